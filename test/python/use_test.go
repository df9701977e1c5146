//go:build proof && linux

package python

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/kit"
)

var (
	idle  = flag.Duration("idle", 20*time.Second, "how long the servers are idle")
	check = flag.Duration("check", time.Second, "time between two health checks of a server")
)

// TestServers: all servers connect to one gateway, list their tools, have types without errors, and are used
// by scripts, also after an idle time and after SIGKILL.
func TestServers(t *testing.T) {
	all := servers(t, t.TempDir())
	g := start(t, newProgram(t, all), "a", "--health-interval", check.String())
	proveUse(t, g, all)
	proveIdle(t, g, all)
	proveKilled(t, g, all)
	below := harness.Descendants(g.PID())
	if err := g.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = g.Wait() // killed, so an error is expected
	kit.Eventually(t, "the end of all processes of the killed gateway", func() bool { return len(harness.Alive(below)) == 0 })
}

func proveUse(t *testing.T, g *harness.Gateway, all map[string]server) {
	t.Helper()
	now := states(t, g)
	wrong := typeErrors(t, g, all)
	for name, s := range all {
		state := now[name]
		t.Run(name, func(t *testing.T) {
			reports(t, name, "connect", state.Protocol)
			if state.State != "ready" || state.Error != "" || state.Restarts > 0 {
				t.Errorf("%+v", state)
			}
			if len(state.Deviations) > 0 {
				t.Logf("deviates from the protocol: %q", state.Deviations)
			}
		})
		t.Run(name, func(t *testing.T) {
			reports(t, name, "tools", fmt.Sprint(state.Tools))
			if state.Tools == 0 {
				t.Error("no tools")
			}
		})
		t.Run(name, func(t *testing.T) {
			reports(t, name, "types", "ok")
			if wrong[name] != "" {
				t.Error(wrong[name])
			}
		})
		t.Run(name, func(t *testing.T) {
			reports(t, name, "script", cmp.Or(s.note, "ok"))
			run(t, g, s)
		})
	}
}

// proveIdle leaves the servers alone, except for health checks. They have the same processes afterwards.
func proveIdle(t *testing.T, g *harness.Gateway, all map[string]server) {
	t.Helper()
	before := states(t, g)
	select {
	case <-time.After(*idle):
	case <-t.Context().Done():
	}
	after := states(t, g)
	for name, s := range all {
		t.Run(name, func(t *testing.T) {
			reports(t, name, "idle", idle.String())
			if a, b := after[name], before[name]; a.State != "ready" || a.Error != "" || a.Restarts != b.Restarts || a.PID != b.PID {
				t.Errorf("before %+v\nafter %+v", b, a)
			}
			run(t, g, s)
		})
	}
}

// proveKilled kills the interpreter of each server, and then the process that the gateway has started, which
// is uvx for most servers. Each time the server is connected again, and nothing of it is left.
func proveKilled(t *testing.T, g *harness.Gateway, all map[string]server) {
	t.Helper()
	for round, which := range []string{"interpreter", "first process"} {
		before := states(t, g)
		killed := map[string][]harness.Process{}
		for _, p := range harness.Descendants(g.PID()) {
			for name := range all {
				if p.PID == before[name].PID {
					killed[name] = append([]harness.Process{p}, harness.Descendants(p.PID)...)
				}
			}
		}
		for name := range all {
			tree := killed[name]
			if len(tree) == 0 {
				continue // the proof below fails
			}
			target := tree[0]
			if round == 0 && len(tree) > 1 { // others are programs that the server has started
				target = tree[1]
			}
			if err := syscall.Kill(target.PID, syscall.SIGKILL); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for name, s := range all {
			t.Run(name, func(t *testing.T) {
				reports(t, name, "killed", "ok")
				if len(killed[name]) == 0 {
					t.Fatal("there is no process")
				}
				kit.Eventually(t, "the next process after the kill of the "+which, func() bool {
					now := states(t, g)[name]
					return now.State == "ready" && now.Restarts > before[name].Restarts
				})
				run(t, g, s)
				if left := harness.Alive(killed[name]); len(left) > 0 {
					t.Errorf("left after the kill of the %s: %+v", which, left)
				}
			})
		}
	}
}

// typeErrors returns what tsc says about the module of each server, by name.
func typeErrors(t *testing.T, g *harness.Gateway, all map[string]server) map[string]string {
	t.Helper()
	dir := t.TempDir()
	wrong := map[string]string{}
	write := func(file, text string) {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tsconfig.json", `{"compilerOptions": {"target": "es2022", "module": "esnext", "moduleResolution": "bundler", "moduleDetection": "force",
		"strict": true, "noEmit": true, "skipLibCheck": false, "lib": ["es2022"], "types": []}, "include": ["*.ts"]}`)
	for name := range all {
		for _, form := range []string{"full", "compact", "declarations"} {
			var types struct {
				Module string
				Tools  int
			}
			status, err := g.Get(t.Context(), "/types?filter="+name+"&form="+form, &types)
			if err != nil || status != http.StatusOK || types.Tools == 0 {
				wrong[name] += fmt.Sprintf("GET /types: %d, %v\n", status, err)
			}
			ending := ".ts"
			if form == "declarations" {
				ending = ".d.ts"
			}
			write(name+"."+form+ending, types.Module)
		}
	}
	cmd := exec.CommandContext(t.Context(), abs(t, "../node_modules/.bin/tsc"), "-p", dir, "--pretty", "false")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Errorf("tsc: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		name, _, _ := strings.Cut(line, ".")
		wrong[name] += line
	}
	return wrong
}
