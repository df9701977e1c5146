package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

// watch begins GET /events and returns a reader of its lines.
func (l *live) watch(t *testing.T, path string, change ...func(*http.Request)) *bufio.Reader {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), kit.Patience)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(req)
	}
	resp, err := (&http.Transport{}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	if ct := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || ct != "text/event-stream" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("GET %s = %d %v", path, resp.StatusCode, resp.Header)
	}
	return bufio.NewReader(resp.Body)
}

func readLines(t *testing.T, r *bufio.Reader, n int) (text string) {
	t.Helper()
	for range n {
		text += readLine(t, r)
	}
	return text
}

// TestEventsAreServerSentEvents checks the text of the stream, and that each batch is sent before
// the next one exists.
func TestEventsAreServerSentEvents(t *testing.T) {
	next, asked := make(chan struct{}), make(chan toolscript.LiveQuery, 1)
	l := serve(t, &fake{events: func(_ context.Context, q toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) error {
		asked <- q
		for _, batch := range [][]toolscript.LiveEvent{
			{{ID: "a.1", Type: toolscript.LiveSnapshot, Data: json.RawMessage(`{"servers":[]}`)}},
			{{ID: "a.2", Type: toolscript.LiveServer, Data: json.RawMessage(`{"id":"<&> é"}`)}, {ID: "a.3", Type: toolscript.LiveRun, Data: json.RawMessage(`{}`)}},
			{{Type: toolscript.LiveNotice, Data: json.RawMessage(`{"reason":"stopping"}`)}},
		} {
			if err := emit(batch); err != nil {
				return err
			}
			<-next
		}
		return nil
	}})
	r := l.watch(t, "/events?arguments=true", header("Last-Event-ID", "a.0"))
	if got, want := <-asked, (toolscript.LiveQuery{After: "a.0", Arguments: true}); got != want {
		t.Errorf("query %+v, want %+v", got, want)
	}
	for _, want := range []string{
		"id: a.1\nevent: snapshot\ndata: {\"servers\":[]}\n\n",
		"id: a.2\nevent: server\ndata: {\"id\":\"<&> é\"}\n\nid: a.3\nevent: run\ndata: {}\n\n",
		"event: notice\ndata: {\"reason\":\"stopping\"}\n\n",
	} {
		lines := 0
		for _, c := range want {
			if c == '\n' {
				lines++
			}
		}
		if got := readLines(t, r, lines); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		next <- struct{}{}
	}
	if rest, err := r.ReadString(0); rest != "" || err == nil {
		t.Errorf("%q after the notice", rest)
	}
}

// TestEventsThroughTheClient checks that the Go client skips heartbeats, and that the notice ends the stream.
func TestEventsThroughTheClient(t *testing.T) {
	want := []toolscript.LiveEvent{
		{ID: "a.1", Type: toolscript.LiveSnapshot, Data: json.RawMessage(`{"a":"\n: x"}`)},
		{ID: "a.2", Type: toolscript.LiveLog, Data: json.RawMessage(`{"b":1}`)},
		{Type: toolscript.LiveNotice, Data: json.RawMessage(`{"reason":"stopping"}`)},
	}
	beats := make(chan struct{})
	l := serve(t, &fake{events: func(_ context.Context, _ toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) error {
		_ = emit(want[:1])
		<-beats
		return emit(want[1:])
	}}, func(o *api.Options) { o.Heartbeat = time.Millisecond })
	raw := l.watch(t, "/events")
	readLines(t, raw, 4)
	if got := readLines(t, raw, 2); got != ":\n\n" {
		t.Errorf("heartbeat %q", got)
	}
	var got []toolscript.LiveEvent
	first := true
	err := l.client(t).Events(t.Context(), toolscript.LiveQuery{}, func(e toolscript.LiveEvent) error {
		got = append(got, e)
		if first {
			first = false
			close(beats)
		}
		return nil
	})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Events: %v, -want +got\n%s", err, diff)
	}
}

// TestEventsThatCannotBegin checks that an error before the first event has its HTTP status.
func TestEventsThatCannotBegin(t *testing.T) {
	busy := &toolscript.Error{Kind: toolscript.Busy, RetryAfter: time.Second, Err: errors.New("too many")}
	l := serve(t, &fake{events: func(context.Context, toolscript.LiveQuery, func([]toolscript.LiveEvent) error) error { return busy }})
	if a := l.ask(t, http.MethodGet, "/events", ""); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "1" {
		t.Errorf("GET /events = %d %s", a.status, a.body)
	}
	err := l.client(t).Events(t.Context(), toolscript.LiveQuery{}, func(toolscript.LiveEvent) error { return nil })
	if toolscript.KindOf(err) != toolscript.Busy {
		t.Errorf("Events: %v, want busy", err)
	}
	if a := l.ask(t, http.MethodGet, "/events?arguments=maybe", ""); a.status != http.StatusBadRequest {
		t.Errorf("GET /events?arguments=maybe = %d", a.status)
	}
}

// TestEventsEndWithTheirReader checks that the context of the Backend ends when a reader disconnects.
func TestEventsEndWithTheirReader(t *testing.T) {
	left := make(chan error, 1)
	l := serve(t, &fake{events: func(ctx context.Context, _ toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) error {
		_ = emit([]toolscript.LiveEvent{{Type: toolscript.LiveSnapshot, Data: json.RawMessage(`{}`)}})
		<-ctx.Done()
		left <- context.Cause(ctx)
		return ctx.Err()
	}})
	stop := errors.New("enough")
	err := l.client(t).Events(t.Context(), toolscript.LiveQuery{}, func(toolscript.LiveEvent) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("Events: %v, want %v", err, stop)
	}
	if cause := <-left; toolscript.KindOf(cause) != toolscript.Cancelled {
		t.Errorf("the Backend ended with %v", cause)
	}
}

// TestEventsEndWithTheGateway checks that readers get a notice when the gateway ends.
func TestEventsEndWithTheGateway(t *testing.T) {
	l := serve(t, &fake{events: func(ctx context.Context, _ toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) error {
		_ = emit([]toolscript.LiveEvent{{Type: toolscript.LiveSnapshot, Data: json.RawMessage(`{}`)}})
		<-ctx.Done()
		return ctx.Err()
	}})
	var last toolscript.LiveEvent
	err := l.client(t).Events(t.Context(), toolscript.LiveQuery{}, func(e toolscript.LiveEvent) error {
		last = e
		if e.Type == toolscript.LiveSnapshot {
			go func() { _ = l.Shutdown(t.Context()) }() // serve checks the result of its own Shutdown
		}
		return nil
	})
	var n toolscript.Notice
	if json.Unmarshal(last.Data, &n) != nil || err != nil || n.Reason != toolscript.NoticeStopping {
		t.Errorf("the last event is %s %s (%v), want a notice", last.Type, last.Data, err)
	}
}
