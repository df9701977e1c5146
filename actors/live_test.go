package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// watcher reads the events of a System.
type watcher struct {
	t    *testing.T
	stop context.CancelFunc
	err  chan error

	gate chan struct{} // the reader reads while it is closed

	mu     sync.Mutex
	events []toolscript.LiveEvent
	view   toolscript.Snapshot
}

func watch(t *testing.T, s *actors.System, q toolscript.LiveQuery) *watcher {
	t.Helper()
	open := make(chan struct{})
	close(open)
	return watchThrough(t, s, q, open)
}

func watchThrough(t *testing.T, s *actors.System, q toolscript.LiveQuery, gate chan struct{}) *watcher {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &watcher{t: t, stop: cancel, err: make(chan error, 1), gate: gate}
	go func() {
		w.err <- s.Events(ctx, q, func(events []toolscript.LiveEvent) error {
			<-w.gate
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, e := range events {
				w.events = append(w.events, e)
				if err := w.view.Apply(e); err != nil {
					t.Errorf("event %s %s: %v", e.Type, e.Data, err)
				}
			}
			return nil
		})
	}()
	time.Sleep(time.Second) // of synctest
	return w
}

// took returns the entries of some types in the events that have arrived since the last call of took.
func (w *watcher) took(of ...toolscript.LiveType) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, e := range w.events {
		var entry struct {
			ID    string `json:"id"`
			State string `json:"state"`
			Gone  bool   `json:"gone"`
		}
		if err := json.Unmarshal(e.Data, &entry); err != nil {
			w.t.Error(err)
		}
		if entry.Gone {
			entry.State = "gone"
		}
		if slices.Contains(of, e.Type) {
			all = append(all, strings.TrimSpace(fmt.Sprint(e.Type, " ", entry.ID, " ", entry.State)))
		}
	}
	w.events = nil
	slices.Sort(all) // events of different entries come in any order
	return strings.Join(all, ", ")
}

// snapshot returns a copy: the next event changes the entries in place.
func (w *watcher) snapshot() (v toolscript.Snapshot) {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	text, err := json.Marshal(w.view)
	if err = errors.Join(err, json.Unmarshal(text, &v)); err != nil {
		w.t.Error(err)
	}
	return v
}

// TestEvents follows a server, calls and an approval.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newConn("a")
		asking := toolscript.ApprovalAllow
		s := startWith(t, actors.Options{
			Servers:       map[string]upstream.Config{"a": {Type: upstream.Stdio, Secrets: map[string]string{"${KEY}": "8675309867"}}},
			Dial:          dialer{"a": func(context.Context) (server.Conn, error) { return conn, nil }}.dial,
			Approvals:     actors.Approvals{Policies: func() toolscript.Approvals { return toolscript.Approvals{{Default: asking}} }},
			Configuration: []string{"/x/.toolscript.json"},
		})
		settle(t, s)
		w := watch(t, s, toolscript.LiveQuery{})
		args := watch(t, s, toolscript.LiveQuery{Arguments: true})
		v := w.snapshot()
		g := v.Gateway
		if g.Ready != 1 || g.Total != 1 || g.Tools != 1 || g.Version != toolscript.Version || g.PID == 0 || len(g.Configuration) != 1 || g.Started.IsZero() {
			t.Errorf("gateway %+v", g)
		}
		if len(v.Servers) != 1 || v.Servers[0].State != toolscript.Ready || len(v.Attention) != 0 || len(v.Index) != 2 || len(v.Actors) < 6 {
			t.Errorf("snapshot %+v", v)
		}
		for _, a := range v.Actors {
			if (a.Parent == "") != (a.Name == "supervisor") || a.Since.IsZero() {
				t.Errorf("actor %+v", a)
			}
		}
		w.took()

		call := toolscript.Call{ID: "a__echo", Args: json.RawMessage(`{"n":8675309867}`)}
		if _, err := s.CallTool(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if got, want := w.took(toolscript.LiveCall, toolscript.LiveAttention), "call call_1 ended"; got != want {
			t.Errorf("after a call: %s, want %s", got, want)
		}
		c, shown := w.snapshot().Calls[0], args.snapshot().Calls[0]
		if c.Outcome != "ok" || c.Server != "a" || c.Tool != "a__echo" || c.ArgsBytes != len(call.Args) || c.ResultBytes == 0 || c.Args != "" {
			t.Errorf("call %+v", c)
		}
		if shown.Args != `{"n":${KEY}}` {
			t.Errorf("arguments %q, want no secret", shown.Args)
		}
		time.Sleep(time.Second)
		if a := w.snapshot().Servers[0]; a.Calls != 1 || a.Errors != 0 {
			t.Errorf("server %+v, want one call", a)
		}
		w.took()

		asking = toolscript.ApprovalAsk
		asked := []toolscript.LiveType{toolscript.LiveCall, toolscript.LiveApproval, toolscript.LiveAttention}
		a, ended := pendingCall(t, s, call)
		time.Sleep(100 * time.Millisecond)
		if got, want := w.took(asked...), "approval "+a.ID+", attention approval/"+a.ID+", call call_2 running"; got != want {
			t.Errorf("while a call waits: %s, want %s", got, want)
		}
		if got := w.snapshot().Attention[0]; got.Action != toolscript.ActionAnswer || got.Command != "toolscript approvals allow "+a.ID {
			t.Errorf("attention %+v", got)
		}
		allowIt(t, s, a.ID)
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if got, want := w.took(asked...), "approval "+a.ID+" gone, attention approval/"+a.ID+" gone, call call_2 ended"; got != want {
			t.Errorf("after the answer: %s, want %s", got, want)
		}

		time.Sleep(time.Second)
		w.took()
		lost := conn
		conn = newConn("a")
		lost.die()
		time.Sleep(100 * time.Millisecond)
		if got := w.took(toolscript.LiveServer); !strings.Contains(got, "server a ") {
			t.Errorf("after the end of the server: %s", got)
		}
		time.Sleep(2 * time.Minute)
		if v := w.snapshot(); v.Servers[0].State != toolscript.Ready || v.Servers[0].Restarts != 1 || len(v.Attention) != 0 {
			t.Errorf("after a while: %+v, attention %+v", v.Servers[0], v.Attention)
		}
		for _, w := range []*watcher{w, args} {
			w.stop()
			if err := <-w.err; toolscript.KindOf(err) != toolscript.Cancelled {
				t.Errorf("Events: %v", err)
			}
		}
	})
}

// TestEventsResume checks that a reader that reconnects gets the events that it has missed, or a snapshot if the
// gateway no longer has them.
func TestEventsResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{}, "a")
		settle(t, s)
		w := watch(t, s, toolscript.LiveQuery{})
		w.mu.Lock()
		last := w.events[len(w.events)-1].ID
		w.mu.Unlock()
		w.stop()
		<-w.err
		for range 2 {
			if _, err := s.CallTool(t.Context(), toolscript.Call{ID: "a__echo"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		again := watch(t, s, toolscript.LiveQuery{After: last})
		if got, want := again.took(toolscript.LiveSnapshot, toolscript.LiveCall), "call call_1 ended, call call_2 ended"; got != want {
			t.Errorf("resumed: %s, want %s", got, want)
		}
		again.stop()
		<-again.err
		time.Sleep(time.Minute) // nothing is kept now
		for _, after := range []string{last, "elsewhere.1.7", "x"} {
			other := watch(t, s, toolscript.LiveQuery{After: after})
			if got := other.took(toolscript.LiveSnapshot); got != "snapshot" {
				t.Errorf("after %s: %s, want a snapshot", after, got)
			}
			other.stop()
			<-other.err
		}
	})
}

// TestEventsOfAnActorThatPanics checks that its stack is shown.
func TestEventsOfAnActorThatPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := make(chan struct{})
		o := actors.Options{Dial: dialer{}.dial}
		actors.Intercept(&o, func(_ string, message any) {
			switch message {
			case "block":
				<-block
			case "panic":
				panic("odd")
			}
		})
		s := startWith(t, o)
		w := watch(t, s, toolscript.LiveQuery{})
		at := actors.Find(s, "typecache")
		find := func() (found toolscript.ActorEntry) {
			for _, a := range w.snapshot().Actors {
				if a.Name == "typecache" {
					found = a
				}
			}
			return found
		}
		time.Sleep(2 * time.Second)
		if a := find(); a.State != "running" || a.MailboxMs != 0 {
			t.Errorf("actor %+v, want one without a delay", a)
		}
		mailbox.Send(at.Engine, at.PID, "block")
		for range 7 {
			mailbox.Send(at.Engine, at.PID, "nothing")
		}
		time.Sleep(15 * time.Second)
		v := w.snapshot()
		if a := find(); a.MailboxMs < 10_000 || len(v.Attention) != 1 || v.Attention[0].Command != "toolscript gateway restart" {
			t.Errorf("actor %+v, want the state stuck; attention: %+v", a, v.Attention)
		}
		if a := find(); a.Waiting < 7 {
			t.Errorf("actor %+v, want 7 messages that wait, and a probe", a)
		}
		close(block)
		time.Sleep(2 * time.Second)
		mailbox.Send(at.Engine, at.PID, "panic")
		time.Sleep(100 * time.Millisecond)
		if a := find(); a.State != "restarting" || !strings.Contains(a.LastStack, "live_test.go") || a.LastError == "" {
			t.Errorf("actor %+v, want one with its stack", a)
		}
		w.stop()
		<-w.err
	})
}

// TestSlowReader checks that a reader that does not read gets the last calls once it reads, and that others do not
// wait for it.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{}, "a")
		settle(t, s)
		gate := make(chan struct{})
		slow, quick := watchThrough(t, s, toolscript.LiveQuery{}, gate), watch(t, s, toolscript.LiveQuery{})
		for range 200 {
			for range 100 {
				if _, err := s.CallTool(t.Context(), toolscript.Call{ID: "a__echo"}); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(50 * time.Millisecond)
		}
		slow.mu.Lock()
		if n := len(slow.events); n != 0 {
			t.Errorf("a reader that does not read has %d events", n)
		}
		slow.mu.Unlock()
		close(gate)
		time.Sleep(time.Second)
		slow.mu.Lock()
		if n := len(slow.events); n > 500 {
			t.Errorf("%d events wait for a slow reader", n)
		}
		slow.mu.Unlock()
		for _, w := range []*watcher{slow, quick} {
			for _, c := range w.snapshot().Calls {
				if c.State != toolscript.CallEnded {
					t.Errorf("call %+v", c)
				}
			}
			if v := w.snapshot(); len(v.Calls) != toolscript.SnapshotCalls || v.Calls[0].ID != "call_19901" || v.Servers[0].Calls != 20000 {
				t.Errorf("%d calls, the first of the last batch %+v; server %+v", len(v.Calls), v.Calls[0], v.Servers[0])
			}
			w.stop()
			<-w.err
		}
	})
}

// TestManyQuickCalls checks that the last of many quick calls have events, and that a call whose begin had an event
// has its end.
func TestManyQuickCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		conn := newConn("a", "echo", "wait")
		conn.call = func(_ context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
			if tool == "wait" {
				<-release
				return nil, errors.New("no")
			}
			return args, nil
		}
		s := start(t, dialer{"a": answers(conn, nil)}, "a")
		settle(t, s)
		w := watch(t, s, toolscript.LiveQuery{})
		waited := make(chan error)
		go func() {
			_, err := s.CallTool(t.Context(), toolscript.Call{ID: "a__wait"})
			waited <- err
		}()
		time.Sleep(100 * time.Millisecond)
		for range 250 {
			if _, err := s.CallTool(t.Context(), toolscript.Call{ID: "a__echo"}); err != nil {
				t.Fatal(err)
			}
		}
		close(release)
		if err := <-waited; err == nil {
			t.Error("the call that waits has no error")
		}
		time.Sleep(time.Second)
		v, failed := w.snapshot(), strings.Count(w.took(toolscript.LiveCall), "call call_1 ended")
		if stats := v.Servers[0]; len(v.Calls) != toolscript.SnapshotCalls || failed != 1 || stats.Calls != 251 || stats.Errors != 1 {
			t.Errorf("%d calls; %d ends of the call that waits; %+v", len(v.Calls), failed, stats)
		}
		w.stop()
		<-w.err
	})
}

// TestReadersAreBounded checks that the number of readers is bounded, and that a reader that leaves makes room.
func TestReadersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, dialer{})
		var all []*watcher
		for range 32 {
			all = append(all, watch(t, s, toolscript.LiveQuery{}))
		}
		if err := <-watch(t, s, toolscript.LiveQuery{}).err; toolscript.KindOf(err) != toolscript.Busy {
			t.Errorf("one more reader: %v, want busy", err)
		}
		all[0].stop()
		<-all[0].err
		all[0] = watch(t, s, toolscript.LiveQuery{})
		for _, w := range all {
			if len(w.snapshot().Actors) == 0 {
				t.Error("a reader has no snapshot")
			}
			w.stop()
			<-w.err
		}
	})
}

// TestLogAmongEvents checks that the last lines are in the snapshot, and that later ones
// are events.
func TestLogAmongEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := live.NewFeed()
		log := slog.New(feed.Handler(slog.DiscardHandler)).With(slog.Int("n", 1)).WithGroup("g")
		quiet := slog.New(slog.DiscardHandler)
		s := startWith(t, actors.Options{Feed: feed, Logger: quiet})
		log.Handler().(interface {
			HandleLater(context.Context, slog.Record)
		}).HandleLater(t.Context(), slog.NewRecord(time.Now(), slog.LevelInfo, "a quick call", 0))
		feed.Handler(slog.DiscardHandler).Handle(t.Context(), slog.NewRecord(time.Now(), slog.LevelInfo, "zero", 0)) //nolint:errcheck // DiscardHandler has none
		for i := range 300 {
			_ = log.Handler().Handle(t.Context(), slog.NewRecord(time.Now(), slog.LevelInfo, fmt.Sprint("before ", i), 0)) // as above
		}
		w := watch(t, s, toolscript.LiveQuery{})
		if logs := w.snapshot().Logs; len(logs) != toolscript.SnapshotLogs || logs[0].Message != "before 100" || logs[199].Message != "before 299" {
			t.Errorf("%d lines", len(logs))
		}
		r := slog.NewRecord(time.Now(), slog.LevelWarn, "after", 0)
		r.AddAttrs(slog.String("k", strings.Repeat("é", 3000)), slog.Group("h", slog.Duration("d", time.Second)))
		_ = log.Handler().Handle(t.Context(), r) // as above
		time.Sleep(100 * time.Millisecond)
		logs := w.snapshot().Logs
		l := logs[len(logs)-1]
		if l.Message != "after" || l.Level != "WARN" || l.Attrs["n"] != "1" || l.Attrs["g.h.d"] != "1s" || len(l.Attrs["g.k"]) > 2010 {
			t.Errorf("line %+v", l)
		}
		w.stop()
		<-w.err
	})
}

// TestApprovalsAreGoneWithTheirActor checks that no call waits for a person in the feed after the actor of the approvals
// has panicked.
func TestApprovalsAreGoneWithTheirActor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := actors.Options{
			Servers:   map[string]upstream.Config{"a": {Type: upstream.Stdio}},
			Dial:      dialer{"a": answers(newConn("a"), nil)}.dial,
			Approvals: actors.Approvals{Policies: func() toolscript.Approvals { return toolscript.Approvals{{Default: toolscript.ApprovalAsk}} }},
		}
		actors.Intercept(&o, func(_ string, message any) {
			if message == "panic" {
				panic("odd")
			}
		})
		s := startWith(t, o)
		settle(t, s)
		w := watch(t, s, toolscript.LiveQuery{})
		a, ended := pendingCall(t, s, toolscript.Call{ID: "a__echo"})
		time.Sleep(100 * time.Millisecond)
		if all := w.snapshot().Approvals; len(all) != 1 || all[0].ID != a.ID {
			t.Errorf("approvals %+v, want %s", all, a.ID)
		}
		at := actors.Find(s, "approvals")
		mailbox.Send(at.Engine, at.PID, "panic")
		if err := <-ended; err == nil {
			t.Error("the call has no error")
		}
		time.Sleep(time.Minute)
		if all := w.snapshot().Approvals; len(all) != 0 {
			t.Errorf("approvals %+v, want none", all)
		}
		w.stop()
		<-w.err
	})
}
