package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/transport/upstream"
)

// keyed starts a gateway whose server counts its effects. It shares the folder with others.
func keyed(t *testing.T, folder string, effects *atomic.Int32, change func(*actors.Options)) *actors.System {
	t.Helper()
	conn := newConn("up")
	conn.call = func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		effects.Add(1)
		if string(args) == `{"n":13}` {
			return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("the connection was lost")}
		}
		return args, nil
	}
	o := actors.Options{
		Servers: map[string]upstream.Config{"up": {Type: upstream.HTTP, URL: "http://up.test"}},
		Dial:    dialer{"up": func(context.Context) (server.Conn, error) { return conn, nil }}.dial,
		Store:   &store.Options{Folder: folder},
	}
	if change != nil {
		change(&o)
	}
	s := startWith(t, o)
	settle(t, s)
	return s
}

// TestCallsOfOneKey: two gateways of a host carry out the calls with one key once, even if the first gateway has
// ended or the outcome is not known.
func TestCallsOfOneKey(t *testing.T) {
	folder, effects := t.TempDir(), &atomic.Int32{}
	call := func(s *actors.System, key, args string) (string, error) {
		result, err := s.CallTool(t.Context(), toolscript.Call{ID: "up__echo", Args: json.RawMessage(args), Key: key})
		return string(result), err
	}
	first := keyed(t, folder, effects, nil)
	for range 2 {
		if result, err := call(first, "a", `{"n":7}`); err != nil || result != `{"n":7}` {
			t.Errorf("%s, %v", result, err)
		}
	}
	if _, err := call(first, "b", `{"n":13}`); toolscript.SentOf(err) != toolscript.SentUnknown {
		t.Errorf("a lost call: %v", err)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := keyed(t, folder, effects, nil)
	if result, err := call(second, "a", `{"n":7}`); err != nil || result != `{"n":7}` {
		t.Errorf("at the second gateway: %s, %v", result, err)
	}
	var e *toolscript.Error
	if _, err := call(second, "b", `{"n":13}`); !errors.As(err, &e) || e.Kind != toolscript.Unavailable || e.Sent != toolscript.SentUnknown || e.RetryAfter != 0 || e.Server != "up" {
		t.Errorf("the lost call at the second gateway: %#v", err)
	}
	if _, err := call(second, "a", `{"n":8}`); toolscript.KindOf(err) != toolscript.Invalid {
		t.Errorf("other arguments: %v", err)
	}
	if _, err := call(second, "a b", `{"n":7}`); toolscript.KindOf(err) != toolscript.Invalid {
		t.Errorf("a wrong key: %v", err)
	}
	if n := effects.Load(); n != 2 {
		t.Errorf("%d effects, want 2", n)
	}
	other := keyed(t, folder, effects, func(o *actors.Options) {
		o.Servers = map[string]upstream.Config{"up": {Type: upstream.HTTP, URL: "http://other.test"}}
	})
	if _, err := call(other, "a", `{"n":7}`); err != nil || effects.Load() != 3 {
		t.Errorf("another server: %v, %d effects", err, effects.Load())
	}
	none := keyed(t, folder, effects, func(o *actors.Options) { o.Store = nil })
	if _, err := call(none, "a", `{"n":7}`); toolscript.KindOf(err) != toolscript.Unsupported || toolscript.SentOf(err) != toolscript.SentNo {
		t.Errorf("without a store: %v", err)
	}
}

// TestAuditHasTheKey: the lines of calls in the audit have their keys, so that a reader sees which calls had one
// effect together.
func TestAuditHasTheKey(t *testing.T) {
	dir, effects := t.TempDir(), &atomic.Int32{}
	log := audit.NewLog(audit.Options{Chain: audit.ChainOptions{Dir: dir}, Logger: slog.New(slog.DiscardHandler)})
	s := keyed(t, t.TempDir(), effects, func(o *actors.Options) { o.Audit = log })
	for range 2 {
		if _, err := s.CallTool(t.Context(), toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{}`), Key: "k-1"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if line := lastLine(t, dir); line.Key != "k-1" || line.Outcome != toolscript.OutcomeOK || effects.Load() != 1 {
		t.Errorf("the line has the key %q and the outcome %s, after %d effects", line.Key, line.Outcome, effects.Load())
	}
}
