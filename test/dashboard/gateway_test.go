//go:build integration && linux

package dashboard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
	"github.com/toolscript/toolscript/test/kit"
)

// desk is a machine with a terminal, a desktop and a gateway.
type desk struct {
	t       *testing.T
	program harness.Program
	config  string
	stop    func()

	harness.Gateway               // has the URL
	screen          *kit.Terminal // of the gateway
}

// newDesk builds the program and starts a gateway.
func newDesk(t *testing.T, config string) *desk {
	t.Helper()
	home := newHome(t)
	d := &desk{t: t, program: harness.Program{Bin: filepath.Join(home, "bin", "toolscript"), Home: home}}
	if err := errors.Join(os.Mkdir(filepath.Dir(d.program.Bin), 0o700), harness.Build(d.program.Bin, false)); err != nil {
		t.Fatal(err)
	}
	// The desktop opens addresses with this program. It is next to toolscript, so it is the first in PATH.
	opener := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$1\" >>%s/opened\n", home)
	if err := os.WriteFile(filepath.Join(home, "bin", "xdg-open"), []byte(opener), 0o755); err != nil {
		t.Fatal(err)
	}
	var err error
	if d.config, err = d.program.Config("config.json", strings.ReplaceAll(config, "HOME", home)); err != nil {
		t.Fatal(err)
	}
	d.start("0")
	t.Cleanup(func() { d.stop() })
	return d
}

// newHome returns a temporary home folder. Pictures show its path, so for them it is another one.
func newHome(t *testing.T) string {
	t.Helper()
	if *pictures == "" {
		return t.TempDir()
	}
	if err := os.MkdirAll(filepath.Dir(*pictureHome), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(*pictureHome, 0o700); err != nil { // an existing folder belongs to a user
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(*pictureHome); err != nil {
			t.Error(err)
		}
	})
	return *pictureHome
}

// start starts a gateway at a new terminal.
func (d *desk) start(port string) {
	d.t.Helper()
	screen := kit.NewTerminal(d.t, 80)
	cmd := d.program.Command(context.Background(), "gateway", "start", "--config", d.config, "--port", port, "--force")
	cmd.Env = append(cmd.Env, "DISPLAY=:0")
	cmd.Stderr = screen.Screen
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.stop = sync.OnceFunc(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			d.t.Error(err)
		}
		_, _ = io.Copy(io.Discard, out) // the rest of the output is not needed
		if err := cmd.Wait(); err != nil {
			d.t.Errorf("the gateway: %v\n%s", err, screen.Raw())
		}
	})
	d.Gateway, d.screen = harness.Gateway{}, screen
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if url, ok := strings.CutPrefix(lines.Text(), "export TOOLSCRIPT_GATEWAY_URL="); ok {
			d.URL = url
			return
		}
	}
	d.t.Fatalf("the gateway printed no URL; its terminal:\n%s", screen.Raw())
}

// base returns the address of the gateway without the capability.
func (d *desk) base() string { return d.URL[:strings.LastIndexByte(d.URL, '/')] }

// link makes the gateway open the browser, and returns the address that it opens.
func (d *desk) link() string {
	d.t.Helper()
	file := filepath.Join(d.program.Home, "opened")
	_ = os.Remove(file) // the file may not exist
	cmd := d.program.Command(d.t.Context(), "dashboard", "--gateway-url", d.URL)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "/open/") || !strings.Contains(string(out), "opens in the browser") {
		d.t.Fatalf("toolscript dashboard: %v\n%s", err, out)
	}
	opened, err := os.ReadFile(file)
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.TrimSpace(string(opened))
}

// exec runs a script and sends its last event.
func (d *desk) exec(request map[string]any) <-chan map[string]any {
	ended := make(chan map[string]any, 1)
	go func() {
		events, err := d.Exec(context.Background(), request)
		if err != nil || len(events) == 0 {
			ended <- map[string]any{"error": fmt.Sprint(err)}
			return
		}
		ended <- events[len(events)-1]
	}()
	return ended
}

// running returns the ids of the runs in progress.
func (d *desk) running() (ids []string) {
	d.t.Helper()
	var runs []struct{ RunID, State string }
	if status, err := d.Get(d.t.Context(), "/runs", &runs); err != nil || status != http.StatusOK {
		d.t.Fatal(status, err)
	}
	for _, r := range runs {
		if r.State != "ended" {
			ids = append(ids, r.RunID)
		}
	}
	return ids
}

// kill kills the server process that has an argument.
func (d *desk) kill(arg string) {
	d.t.Helper()
	for _, p := range harness.Descendants(os.Getpid()) {
		if strings.Contains(strings.Join(p.Args, " "), arg) {
			if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
				d.t.Fatal(err)
			}
			return
		}
	}
	d.t.Fatalf("no process has the argument %s", arg)
}
