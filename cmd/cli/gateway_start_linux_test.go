package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
)

// TestStartsAtOnce: of eight gateways that are started at the same time, one runs. The others end
// with exit code 1 and name the one that runs.
func TestStartsAtOnce(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": `{"mcpServers": {}}`})
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	var all sync.WaitGroup
	var mu sync.Mutex
	var running []*exec.Cmd
	var refused []string
	for range 8 {
		c := exec.CommandContext(t.Context(), os.Args[0], "gateway", "start")
		c.Dir, c.Env = w.dir, w.env
		var stderr kit.Buffer
		c.Stderr = &stderr
		stdout, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			line, err := bufio.NewReader(stdout).ReadString('\n')
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				running = append(running, c)
				return
			}
			if _ = c.Wait(); c.ProcessState.ExitCode() != 1 { // only the exit code matters
				t.Errorf("%v, %q: %s", c.ProcessState, line, stderr.String())
			}
			refused = append(refused, stderr.String())
		})
	}
	all.Wait()
	if len(running) != 1 {
		t.Errorf("%d gateways run, want one", len(running))
	}
	r := w.run(t, "gateway", "status")
	address := strings.Fields(strings.TrimPrefix(r.stdout[max(strings.Index(r.stdout, "http://"), 0):], "http://"))
	if r.code != 0 || len(address) == 0 {
		t.Fatalf("gateway status: %+v", r)
	}
	for _, text := range refused {
		if !strings.Contains(text, "a gateway runs for this configuration at http://"+address[0]) {
			t.Errorf("a start was refused with %q, want the address %s", text, address[0])
		}
	}
	for _, c := range running {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		_ = c.Wait() // killed, so an error is expected
	}
	if files, err := os.ReadDir(w.runtime().Folders()[0]); err != nil || len(files) > 0 {
		t.Errorf("left in the runtime folder: %v, %v", files, err)
	}
}

// TestHooksAtOnce: several session-start hooks at the same time start one gateway for the client,
// and all of them export its URL.
func TestHooksAtOnce(t *testing.T) {
	c := newWorld(t, nil).newClient(t)
	var all sync.WaitGroup
	said := make([]string, 4)
	for i := range said {
		all.Go(func() { said[i] = c.send(t, "session-start", "one", "startup") })
	}
	all.Wait()
	own := c.gateway(t)
	text, err := os.ReadFile(c.envFile)
	if err != nil || strings.Count(string(text), own.URL) != len(said) || strings.Join(said, "") != "" {
		t.Errorf("exported %q, %v; want %s each time; the person reads %q", text, err, own.URL, said)
	}
}
