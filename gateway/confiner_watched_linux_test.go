package gateway_test

import (
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestWatchedAndConfined: watching a confined server does not change its confinement, and the
// record contains what the server could not do.
func TestWatchedAndConfined(t *testing.T) {
	if missing := confined.Missing(confined.Parts([]string{"api.example.com:443"})); len(missing) > 0 {
		t.Skip(missing)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folder, outside := filepath.Join(root, "folder"), filepath.Join(root, "outside")
	inside := filepath.Join(folder, "inside")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{inside, outside} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outputs := map[bool]string{}
	for _, watched := range []bool{false, true} {
		record := &observed.Record{}
		start, err := gateway.Confiner{Record: record}.Start(upstream.Confined{
			Confine: upstream.Confine{Write: []string{folder}, Net: []string{"api.example.com:443"}, Watched: watched},
			Path:    self, Args: []string{self, breakRole, inside, outside}, Dir: folder, Env: os.Environ(),
			Log: func(_ slog.Level, format string, args ...any) { t.Logf(format, args...) },
		})
		if err != nil {
			t.Fatal(err)
		}
		port := proxyPort(t, start.Env)
		other, err := net.Listen("tcp4", "127.0.0.2:"+port)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(start.Args[0], start.Args[1:]...)
		cmd.Dir, cmd.Env, cmd.ExtraFiles = folder, start.Env, start.Files
		out, err := cmd.CombinedOutput()
		start.CloseFiles()
		start.End()
		_ = other.Close()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		outputs[watched] = strings.ReplaceAll(string(out), port, "PORT")
		if !watched {
			continue
		}
		var done []string
		for _, a := range record.Acts() {
			done = append(done, a.Kind+" "+strings.ReplaceAll(a.Target, port, "PORT"))
		}
		for _, want := range []string{"mode " + inside, "set-id " + inside, "mode " + outside, "connect 127.0.0.2:PORT"} {
			if !slices.Contains(done, want) {
				t.Errorf("%q was not observed: %q", want, done)
			}
		}
		if !slices.ContainsFunc(record.Files(), func(f observed.File) bool { return f.Path == outside }) {
			t.Errorf("the refused file was not observed")
		}
	}
	if outputs[true] != outputs[false] {
		t.Errorf("watched:\n%s\nnot watched:\n%s", outputs[true], outputs[false])
	}
	for _, want := range []string{"mode inside: <nil>\n", "setuid: chmod " + inside + ": operation not permitted\n", "mode outside: chmod " + outside + ": permission denied\n", "other host: dial tcp4 127.0.0.2:PORT: connect: permission denied\n"} {
		if !strings.Contains(outputs[true], want) {
			t.Errorf("without %q:\n%s", want, outputs[true])
		}
	}
}

// proxyPort is the port of the proxy in an environment.
func proxyPort(t *testing.T, env []string) string {
	t.Helper()
	for _, entry := range env {
		if address, ok := strings.CutPrefix(entry, "HTTPS_PROXY="); ok {
			u, err := url.Parse(address)
			if err != nil {
				t.Fatal(err)
			}
			return u.Port()
		}
	}
	t.Fatal("no proxy")
	return ""
}
