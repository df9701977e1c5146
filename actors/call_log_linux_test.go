package actors_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/worker"
)

// patient is a handler that keeps the lines of HandleLater until Flush.
type patient struct {
	slog.Handler
	mu             sync.Mutex
	waits, written []string // ids of calls
}

var _ actors.LaterHandler = (*patient)(nil)

func (*patient) Enabled(context.Context, slog.Level) bool { return true }

func (p *patient) HandleLater(_ context.Context, r slog.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "call" {
			p.waits = append(p.waits, a.Value.String())
		}
		return true
	})
}

func (p *patient) Flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written, p.waits = append(p.written, p.waits...), nil
}

func (p *patient) lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.written...)
}

// TestTheLogOfARunIsCompleteAtItsEnd checks that lines of calls wait, and that they are
// written in order before the last event of the run.
func TestTheLogOfARunIsCompleteAtItsEnd(t *testing.T) {
	conn := newConn("a")
	conn.inline = true
	conn.call = func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) { return args, nil }
	log, cache := &patient{Handler: slog.DiscardHandler}, t.TempDir()
	o := actors.Options{Servers: configs("a"), Dial: dialer{"a": answers(conn, nil)}.dial, Logger: slog.New(log)}
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartChecker(ctx, worker.Options{CacheDir: cache})
	}
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartSandbox(ctx, worker.Options{CacheDir: cache})
	}
	var want, early, atEnd []string
	for n := range 20 {
		want = append(want, strconv.Itoa(n+1))
	}
	script := `for (let n = 0; n < 20; n++) await tools.a.echo({ n }); console.log("all")`
	err := startWith(t, o).Exec(t.Context(), toolscript.ExecRequest{Code: script, Rules: toolscript.Rules{Check: toolscript.CheckOff}}, func(e toolscript.Event) error {
		switch e.Type {
		case toolscript.EventStdout:
			early = log.lines()
		case toolscript.EventEnd:
			atEnd = log.lines()
		default:
		}
		return nil
	})
	if err != nil || len(early) > 0 {
		t.Errorf("Exec: %v; lines before the end: %q", err, early)
	}
	if diff := cmp.Diff(want, atEnd); diff != "" {
		t.Errorf("lines at the end (-want +got):\n%s", diff)
	}
}
