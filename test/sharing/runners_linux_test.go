package sharing_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// fleetHub starts `toolscript hub` with arguments, and returns when gateways can use the hub. ready is
// the end of the line with which it reports that.
func (w *world) fleetHub(ready string, args ...string) *exec.Cmd {
	w.Helper()
	cmd := w.Command(context.WithoutCancel(w.Context()), append([]string{"hub"}, args...)...)
	log, err := os.OpenFile(filepath.Join(w.Home, "hub.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		w.Fatal(err)
	}
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			if err := cmd.Wait(); err != nil {
				w.Errorf("the hub ended with %v", err)
			}
		}
		_ = log.Close()
	})
	if lines := bufio.NewScanner(out); !lines.Scan() || !strings.HasSuffix(lines.Text(), ready) {
		w.Fatalf("the hub says %q, want %q at its end: %v\n%s", lines.Text(), ready, lines.Err(), w.hubLog())
	}
	return cmd
}

func (w *world) hubLog() string {
	text, _ := os.ReadFile(filepath.Join(w.Home, "hub.log")) // the file may not exist
	return string(text)
}

// endOf runs a script in a gateway and returns its last event.
func (w *world) endOf(g *harness.Gateway, request map[string]any) (end struct {
	Value   json.RawMessage
	Kind    string
	Error   struct{ Message string }
	Metrics struct{ Host string }
}) {
	w.Helper()
	request["check"] = "off"
	events, err := g.Exec(w.Context(), request)
	if err != nil || len(events) == 0 {
		w.Fatalf("exec: %v", err)
	}
	text, err := json.Marshal(events[len(events)-1])
	if err == nil {
		err = json.Unmarshal(text, &end)
	}
	if err != nil {
		w.Fatal(err)
	}
	return end
}

// TestRunners runs scripts of a gateway in sandboxes of a hub: with calls of the gateway's own server,
// while the hub is killed, and without a hub.
func TestRunners(t *testing.T) {
	t.Parallel()
	n := newNATS(t)
	n.start()
	w := newWorld(t, `{"mcpServers": {"count": {SERVER}}, "limits": {"pool": "fleet"}, "fleet": {"url": "`+n.url()+`"}}`)
	h := w.fleetHub("1 runners", "--runners", "1")
	g := w.gateway("a")
	w.ready(g)
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	end := w.endOf(g, map[string]any{"code": `await tools.count.bump(); return (await tools.count.bump())`})
	if !strings.Contains(string(end.Value), "2") || end.Metrics.Host != machine {
		t.Errorf("a run in the fleet: %+v", end)
	}
	if end := w.endOf(g, map[string]any{"code": `return tools.count.bump().catch((e) => e.code)`, "allow": []string{}}); string(end.Value) != `"forbidden"` {
		t.Errorf("a run without permission for a tool: %+v", end)
	}
	status := w.must("status", "fleet", "--json")
	var seen struct {
		Runners []struct {
			Host string
			Runs int
		}
	}
	if err := json.Unmarshal([]byte(status), &seen); err != nil || len(seen.Runners) != 1 || seen.Runners[0].Runs != 2 || seen.Runners[0].Host != machine {
		t.Errorf("status fleet: %v, %s", err, status)
	}
	if all := w.must("status", "gateways"); !regexp.MustCompile(`(?m)^fleet\tnats://127\.0\.0\.1:\d+\talive\t.*\t0 servers\t.*\nrunners\t1 sandboxes on ` + regexp.QuoteMeta(machine) + `\talive\t.*\t0 runs\t`).MatchString(all) {
		t.Errorf("status gateways prints\n%s", all)
	}

	ended := make(chan string, 1)
	go func() {
		end := w.endOf(g, map[string]any{"code": `await tools.count.bump(); for (;;) await new Promise((r) => setTimeout(r, 50))`})
		ended <- end.Kind + ": " + end.Error.Message
	}()
	w.until(func() bool { return strings.Count(g.Log(), "tool=count__bump run=") == 3 })
	if err := h.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.Wait() // killed, so an error is expected
	if got := <-ended; !strings.HasPrefix(got, "unavailable: ") || !strings.Contains(got, "was not started again") {
		t.Errorf("a run whose hub was killed ended with %q", got)
	}
	if n := w.bump(g); n != 4 {
		t.Errorf("a call after the end of the runner is the %dth, want the 4th", n)
	}
	if end := w.endOf(g, map[string]any{"code": `return 1`}); string(end.Value) != "1" || end.Metrics.Host != "" {
		t.Errorf("a run without a hub: %+v", end)
	}
}

// TestServedFile: at SIGHUP the hub reads its file again, keeps its servers if the file has a mistake,
// and joins the fleet again after the NATS server was stopped.
func TestServedFile(t *testing.T) {
	t.Parallel()
	n := newNATS(t)
	n.start()
	w := newWorld(t, `{"mcpServers": {}, "fleet": {"url": "`+n.url()+`"}}`)
	path := filepath.Join(w.Home, "servers.json")
	write := func(servers ...string) {
		var all []string
		for _, name := range servers {
			all = append(all, fmt.Sprintf(`%q: {"command": %q, "args": [%q, "asks"], "stateless": true}`, name, w.Bin, asServer))
		}
		if err := os.WriteFile(path, []byte(`{"mcpServers": {`+strings.Join(all, ",")+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	offered := func(names ...string) bool {
		out, err := w.run("status", "fleet", "--json")
		if err != nil {
			return false
		}
		var s struct {
			Servers []struct{ Name, State string }
		}
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range s.Servers {
			if one.State == "ready" {
				got = append(got, one.Name)
			}
		}
		return slices.Equal(got, names)
	}
	write("one")
	h := w.fleetHub("servers one", "--serve", path)
	w.until(func() bool { return offered("one") })
	before := w.servers()
	write("one", "two")
	if err := h.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return offered("one", "two") })
	if after := w.servers(); len(after) != 2 || !slices.Contains(after, before[0]) {
		t.Errorf("servers %v, then %v: the first one must go on", before, after)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"one": {}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return strings.Contains(w.hubLog(), "the old ones stay in force") })
	before = w.servers()
	n.stop()
	w.until(func() bool { return strings.Contains(w.hubLog(), "connection to the fleet lost") })
	n.start()
	w.until(func() bool { return offered("one", "two") })
	if after := w.servers(); !slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(after))) {
		t.Errorf("servers %v, and %v after the NATS server was back", before, after)
	}
	write("two")
	if err := h.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return offered("two") && len(w.servers()) == 1 })
}
