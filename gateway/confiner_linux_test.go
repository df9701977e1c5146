package gateway_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestConfiner: a confined server can reach only the hosts that its configuration names, and only
// through the proxy.
func TestConfiner(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	named, other := httptest.NewServer(answer), httptest.NewServer(answer)
	defer named.Close()
	defer other.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var logged []string
	start, err := gateway.Confiner{}.Start(upstream.Confined{
		Confine: upstream.Confine{Net: []string{named.Listener.Addr().String()}},
		Path:    self, Args: []string{self, fetchRole, named.URL, other.URL}, Dir: t.TempDir(),
		Env: append(os.Environ(), "OUTSIDE="+outside),
		Log: func(_ slog.Level, format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			logged = append(logged, fmt.Sprintf(format, args...))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(start.Args[0], start.Args[1:]...)
	cmd.Env, cmd.ExtraFiles = start.Env, start.Files
	out, err := cmd.CombinedOutput()
	start.CloseFiles()
	start.End()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"direct " + named.URL + ": failed\n", "proxy " + named.URL + ": 200 hello\n", "direct " + other.URL + ": failed\n",
		"proxy " + other.URL + ": 403 toolscript: the configuration of this server does not allow " + other.Listener.Addr().String() + "\n",
		"outside: open " + outside + ": permission denied\n", "temporary: <nil>\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("without %q:\n%s", want, out)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	want := []string{named.Listener.Addr().String() + " is not the proxy", other.Listener.Addr().String() + " is not the proxy", `not in "confine.net"`}
	if len(logged) != len(want) || slices.ContainsFunc(want, func(w string) bool { return !strings.Contains(strings.Join(logged, "\n"), w) }) {
		t.Errorf("logged %q", logged)
	}
	for _, entry := range start.Env {
		if folder, ok := strings.CutPrefix(entry, "TMPDIR="); ok {
			if _, err := os.Stat(folder); strings.Contains(folder, "toolscript-server-") && err == nil {
				t.Errorf("the temporary folder %s is left", folder)
			}
		}
		if address, ok := strings.CutPrefix(entry, "HTTPS_PROXY="); ok {
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := net.Dial("tcp", u.Host); err == nil {
				_ = c.Close()
				t.Error("the proxy goes on after the end of the server")
			}
		}
	}
}
