package actors_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The record of a run has the reason of each failed call, without secrets.
func TestTheRecordHasReasons(t *testing.T) {
	conn, cache := newConn("a"), t.TempDir()
	conn.call = func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		if string(args) == `{"n":1}` {
			return args, nil
		}
		return json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no such issue: hunter2hunter2"}]}`), nil
	}
	o := actors.Options{
		Dial:    dialer{"a": answers(conn, nil)}.dial,
		Servers: map[string]upstream.Config{"a": {Type: upstream.Stdio, Secrets: map[string]string{"${KEY}": "hunter2hunter2"}}},
	}
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartChecker(ctx, worker.Options{CacheDir: cache})
	}
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartSandbox(ctx, worker.Options{CacheDir: cache})
	}
	s := startWith(t, o)
	settle(t, s)
	id := ""
	script := `for (const n of [1, 2, "secret"]) await tools.a.echo({ n }).catch(() => {})`
	err := s.Exec(t.Context(), toolscript.ExecRequest{Code: script, Rules: toolscript.Rules{Check: toolscript.CheckOff}}, func(e toolscript.Event) error {
		if e.Type == toolscript.EventStart {
			id = e.RunID
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	record, err := s.Run(t.Context(), id)
	if err != nil || len(record.Calls) != 3 {
		t.Fatalf("%d calls (%v)", len(record.Calls), err)
	}
	for i, want := range []string{"", "no such issue: ${KEY}", ""} { // the last reason would quote the arguments
		if got := record.Calls[i].Error; got != want {
			t.Errorf("call %d has the reason %q, want %q", i+1, got, want)
		}
	}
}
