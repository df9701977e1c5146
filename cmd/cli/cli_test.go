package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
)

// TestSignalsEndCommandsThatRead: a signal ends a command that waits for the rest of its standard input.
func TestSignalsEndCommandsThatRead(t *testing.T) {
	for _, args := range [][]string{
		{"harness"}, {"call", "demo__read_file", "-"}, {"run", "lines", "-"}, {"exec", "-"}, {"check", "-"},
		{"secret", "set", "KEY"}, {"secret", "import", "-"}, {"hook", "pre-tool-use"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig, "work/lines.ts": "return 1"})
			if r := w.run(t, "save", "lines", "lines.ts"); r.code != 0 {
				t.Fatalf("save: %+v", r)
			}
			stdin, typed := io.Pipe()
			c := w.start(t, command{stdin: stdin, stdout: io.Discard}, args...)
			if _, err := io.WriteString(typed, "{"); err != nil { // the write returns when the command has read the text
				t.Fatal(err)
			}
			c.signals <- syscall.SIGTERM
			if code := <-c.code; code != 143 {
				t.Errorf("code = %d, want 143; stderr:\n%s", code, c.stderr)
			}
		})
	}
}

// A command whose output is not read does not end by itself. The second signal ends
// it immediately, unless it is a duplicate of the first.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		untaken, stdout := io.Pipe()
		c := w.start(t, command{stdout: stdout}, "version")
		synctest.Wait()
		for range 2 { // one to the process, and one to its group
			c.signals <- os.Interrupt
			synctest.Wait()
		}
		if len(c.exits) > 0 {
			t.Errorf("Exit(%d) at a signal that was sent twice", <-c.exits)
		}
		time.Sleep(time.Second)
		c.signals <- os.Interrupt
		if code := <-c.exits; code != 130 {
			t.Errorf("Exit(%d), want 130", code)
		}
		if err := untaken.Close(); err != nil {
			t.Fatal(err)
		}
		<-c.code
	})
}

// gatewayAt starts a gateway and returns its two lines of output.
func gatewayAt(t *testing.T, w *world, args ...string) (listening, export string) {
	t.Helper()
	listening, export, _ = gatewayWithLog(t, w, args...)
	return listening, export
}

// gatewayWithLog is like gatewayAt, and also returns the gateway's standard error.
func gatewayWithLog(t *testing.T, w *world, args ...string) (listening, export string, log *kit.Buffer) {
	t.Helper()
	seen, stdout := io.Pipe()
	c := w.start(t, command{stdout: stdout}, append([]string{"gateway", "start"}, args...)...)
	t.Cleanup(func() {
		c.signals <- os.Interrupt
		if code := <-c.code; code != 0 {
			t.Errorf("the gateway ended with %d; stderr:\n%s", code, c.stderr)
		}
	})
	lines := bufio.NewReader(seen)
	for _, line := range []*string{&listening, &export} {
		text, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%v; stderr:\n%s", err, c.stderr)
		}
		*line = strings.TrimSuffix(text, "\n")
	}
	return listening, export, c.stderr
}

// strangeGateway starts a server that answers /health like another version of the program.
func strangeGateway(t *testing.T, version string, protocol int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"status":"ok","version":%q,"protocol":%d,"search":{}}`, version, protocol)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestGatewayOfAnotherVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	w := newWorld(t, nil)
	newer := strangeGateway(t, "99.0.0", toolscript.Protocol+1)
	if r := w.run(t, "exec", "-g", newer, "return 1"); r.code != 0 || r.stdout != "1\n" || !strings.Contains(r.stderr, "99.0.0") {
		t.Errorf("exec = %+v, want 1 and a word about 99.0.0", r)
	}
	if r := w.run(t, "list-servers", "-g", newer); r.code != 0 || !strings.Contains(r.stderr, "99.0.0") {
		t.Errorf("list-servers = %+v, want an answer without that gateway", r)
	}
	if r := w.run(t, "gateway", "reload", "-g", newer); r.code != 1 || !strings.Contains(r.stderr, "99.0.0") {
		t.Errorf("gateway reload = %+v, want a refusal", r)
	}
	same := strangeGateway(t, "0.0.1", toolscript.Protocol)
	if r := w.run(t, "exec", "-g", same, "return 2"); r.stdout != "2\n" || !strings.Contains(r.stderr, "0.0.1") {
		t.Errorf("exec = %+v, want 2 and a word about 0.0.1", r)
	}
}
