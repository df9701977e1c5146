package mcpclient_test

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// confiner is an upstream.Confiner that starts processes without confinement, and reports that.
type confiner struct {
	file  *os.File
	got   chan upstream.Confined
	ended chan struct{}
	err   error
}

func (confiner) Lacks(c upstream.Confine) string { return "no " + strings.Join(c.Net, ", ") }

func (c confiner) Start(p upstream.Confined) (upstream.Start, error) {
	if c.err != nil {
		return upstream.Start{}, c.err
	}
	c.got <- p
	return upstream.Start{Args: p.Args, Env: p.Env, Files: []*os.File{c.file}, End: func() { close(c.ended) }}, nil
}

// TestConfine: a server with a Confine is started with the Start of the Confiner, the log names the missing
// restrictions, and the End of that Start is called when the process ends.
func TestConfine(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	c := confiner{file: write, got: make(chan upstream.Confined, 1), ended: make(chan struct{})}
	var mu sync.Mutex
	var logged []string
	cfg := config(t)
	cfg.Confine = &upstream.Confine{Net: []string{"a.example:443"}}
	conn, err := mcpclient.Dialer{Confiner: c}.Dial(kit.Within(t), "srv", cfg, upstream.Events{Log: func(level slog.Level, text string) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, level.String()+" "+text)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if p := <-c.got; p.Path == "" || p.Dir == "" || len(p.Fixed) != len(cfg.Args) || p.Net[0] != "a.example:443" {
		t.Errorf("the process is %+v", p)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	<-c.ended
	if text, err := io.ReadAll(read); err != nil || len(text) > 0 { // EOF: the process has ended, and nobody else holds the file
		t.Errorf("read %q, %v", text, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := "WARN the server is not confined as configured: no a.example:443"; !strings.Contains(strings.Join(logged, "\n"), want) {
		t.Errorf("logged %q", logged)
	}
}

// TestCannotConfine: a server is not started if it cannot be confined.
func TestCannotConfine(t *testing.T) {
	cfg := config(t)
	cfg.Confine = &upstream.Confine{}
	if _, err := (mcpclient.Dialer{}).Dial(kit.Within(t), "srv", cfg, upstream.Events{}); toolscript.KindOf(err) != toolscript.Unsupported {
		t.Errorf("without a Confiner: %v", err)
	}
	if _, err := (mcpclient.Dialer{Confiner: confiner{err: errors.New("no room")}}).Dial(kit.Within(t), "srv", cfg, upstream.Events{}); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("with a Confiner that fails: %v", err)
	}
}
