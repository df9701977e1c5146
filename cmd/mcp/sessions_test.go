package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/test/fixture/heap"
	"github.com/toolscript/toolscript/test/fixture/race"
	"github.com/toolscript/toolscript/test/kit"
)

// handler is a server over HTTP that is called without a network.
type handler struct {
	*testing.T
	http.Handler
}

func overHTTP(t *testing.T, o mcp.Options) handler {
	t.Helper()
	o.Shown = func(string, string, []byte) {}
	h, stop := mcp.Handler(o)
	t.Cleanup(stop)
	return handler{t, h}
}

func (h handler) ask(method, session string, body io.Reader) *httptest.ResponseRecorder {
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.Context()))
	if method == http.MethodGet {
		cancel() // the client closes the connection
	}
	defer cancel()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request(ctx, method, session, body))
	return w
}

// request returns a request of a session; "" is none.
func request(ctx context.Context, method, session string, body io.Reader) *http.Request {
	r := httptest.NewRequestWithContext(ctx, method, "/mcp", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return r
}

func (h handler) post(session string, body ...string) *httptest.ResponseRecorder {
	return h.ask(http.MethodPost, session, strings.NewReader(strings.Join(body, "")))
}

// begin initializes a session for a client with this name.
func (h handler) begin(client string) *httptest.ResponseRecorder {
	return h.post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"`, client, `","version":"1"}}}`)
}

// session initializes a session and returns its id.
func (h handler) session() string { return h.begin("x").Header().Get("Mcp-Session-Id") }

func newID() string { return new(server.StatelessGeneratingSessionIdManager).Generate() }

// kept returns the number of bytes of all heap objects in use.
func kept() int {
	runtime.GC()
	runtime.GC() // also frees what the first one moved out of pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestMemoryOfSessions: the memory that clients leave behind is bounded, and the last client works.
// The test has no short form, because it must exceed the bound.
func TestMemoryOfSessions(t *testing.T) {
	listed := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	name, values := strings.Repeat("x", 60<<10), strings.Repeat("{},", 15_000)
	for what, tt := range map[string]struct {
		times int
		most  int // megabytes that may be kept
		leave func(handler)
	}{
		"long names":           {50, 25, func(h handler) { h.begin(strings.Repeat("x", 4<<20)) }},
		"names that fit":       {600, 25, func(h handler) { h.begin(name) }},
		"many values":          {200, 25, func(h handler) { h.begin(`","icons":[` + values + `{}],"title":"`) }},
		"short names":          {5000, 25, func(h handler) { h.begin("x") }},
		"ids that are made up": {40_000, 6, func(h handler) { h.post(newID(), `{"jsonrpc":"2.0","method":"x"}`) }},
		"streams":              {20_000, 3, func(h handler) { h.ask(http.MethodGet, "", nil) }},
		"streams of any id":    {20_000, 3, func(h handler) { h.ask(http.MethodGet, newID(), nil) }},
	} {
		t.Run(what, func(t *testing.T) {
			switch {
			case race.Enabled:
				tt.times /= 10 // more than the maximum of sessions would take minutes
			case testing.Short():
				tt.times /= 3
			}
			h := overHTTP(t, mcp.Options{})
			before := kept()
			for range tt.times {
				tt.leave(h)
			}
			if grown := kept() - before; grown > tt.most<<20 {
				t.Errorf("%d of them keep %d MB", tt.times, grown>>20)
			}
			last := h.begin("y")
			if w := h.post(last.Header().Get("Mcp-Session-Id"), listed); last.Code != http.StatusOK || w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "run_script") {
				t.Errorf("%d %s, %d %s", last.Code, last.Body, w.Code, w.Body)
			}
		})
	}
}

// TestSessionsThatAreUsedStay: only an idle session is ended to make room for a new one.
func TestSessionsThatAreUsedStay(t *testing.T) {
	release := make(chan struct{})
	h := overHTTP(t, mcp.Options{Gateway: func(context.Context) (mcp.Gateway, func(), error) {
		<-release
		return nil, nil, errors.New("it was read")
	}})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"1"}}}`
	used, waits := h.begin("used").Header().Get("Mcp-Session-Id"), h.begin("waits").Header().Get("Mcp-Session-Id")
	var group sync.WaitGroup
	group.Go(func() {
		if w := h.post(waits, call); !strings.Contains(w.Body.String(), "it was read") {
			t.Errorf("the call that waits: %d %s", w.Code, w.Body)
		}
	})
	for i := range 2500 {
		if w := h.begin(fmt.Sprint(i)); w.Code != http.StatusOK {
			t.Fatalf("session %d: %d %s", i, w.Code, w.Body)
		}
		if w := h.post(used, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); w.Code != http.StatusOK {
			t.Fatalf("the session that is used: %d %s", w.Code, w.Body)
		}
	}
	close(release)
	group.Wait()
	if w := h.ask(http.MethodDelete, used, nil); w.Code != http.StatusOK {
		t.Errorf("its end: %d %s", w.Code, w.Body)
	}
}

// TestIdleSessions: a session ends after an hour without a request. A stream that is open is a request.
func TestIdleSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := overHTTP(t, mcp.Options{})
		idle, used, watching := h.session(), h.session(), h.session()
		ctx, leave := context.WithCancel(t.Context())
		var stream sync.WaitGroup
		stream.Go(func() { h.ServeHTTP(httptest.NewRecorder(), request(ctx, http.MethodGet, watching, nil)) })
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		for range 4 {
			time.Sleep(30 * time.Minute)
			if w := h.post(used, ping); w.Code != http.StatusOK {
				t.Errorf("a session that is used: %d %s", w.Code, w.Body)
			}
		}
		if w := h.post(idle, ping); w.Code != http.StatusNotFound {
			t.Errorf("an idle session: %d %s", w.Code, w.Body)
		}
		if w := h.post(watching, ping); w.Code != http.StatusOK {
			t.Errorf("a session with a stream: %d %s", w.Code, w.Body)
		}
		leave()
		stream.Wait()
	})
}

// TestSessionsInTheFeed: operators see the client of each session, its calls, and what it waits for.
func TestSessionsInTheFeed(t *testing.T) {
	feed := live.NewFeed()
	feed.Open(live.Sources{
		Look: func(context.Context) []any { return nil }, Calls: func() []toolscript.CallEntry { return nil },
		Warn: func(context.Context) []string { return nil }, Closing: t.Context(), Logger: slog.New(slog.DiscardHandler),
	})
	var shown toolscript.Snapshot
	sees := func(want string) {
		t.Helper()
		enough := errors.New(want)
		ctx, cancel := context.WithTimeout(t.Context(), kit.Patience)
		defer cancel()
		err := feed.Read(ctx, toolscript.LiveQuery{}, func(events []toolscript.LiveEvent) error {
			for _, e := range events {
				if err := shown.Apply(e); err != nil {
					return err
				}
			}
			var all []string
			for _, s := range shown.Sessions {
				all = append(all, fmt.Sprint(s.ID, " ", s.Client, " ", s.Version, " ", s.Transport, " ", *s.Calls, s.Waits, s.Last != nil && !s.Last.Before(s.Since)))
			}
			if strings.Join(all, ", ") == want {
				return enough
			}
			return nil
		})
		if err != enough { //nolint:errorlint // emit has returned it
			t.Fatalf("%v: %+v", err, shown.Sessions)
		}
	}
	release := make(chan struct{})
	h := overHTTP(t, mcp.Options{Feed: feed, Gateway: func(context.Context) (mcp.Gateway, func(), error) {
		<-release
		return nil, nil, errors.New("it was read")
	}})
	sees("")
	session := h.begin("editor").Header().Get("Mcp-Session-Id")
	sees("http_1 editor 1 http 0 [] false")
	h.post(session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	sees("http_1 editor 1 http 0 [] false")
	var group sync.WaitGroup
	group.Go(func() {
		h.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"1"}}}`)
	})
	sees("http_1 editor 1 http 0 [run_script] true")
	close(release)
	group.Wait()
	sees("http_1 editor 1 http 1 [] true")
	h.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	sees("http_1 editor 1 http 1 [] true")
	h.ask(http.MethodDelete, session, nil)
	sees("")
}

// TestMessagesThatAreTooLarge: messages that mcp-go would decode into too much memory are refused.
func TestMessagesThatAreTooLarge(t *testing.T) {
	h := overHTTP(t, mcp.Options{})
	session := h.session()
	for name, tt := range map[string]struct {
		body   string
		status int
	}{
		"9 MB":              {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 9<<20) + `"}}`, http.StatusRequestEntityTooLarge},
		"many arrays":       {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[` + strings.Repeat("[],", 1<<20) + `1]}}`, http.StatusRequestEntityTooLarge},
		"many members":      {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + strings.Repeat(`"a":{},`, 1<<20) + `"b":1}}`, http.StatusRequestEntityTooLarge},
		"a long initialize": {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":"` + strings.Repeat("x", 65<<10) + `"}}`, http.StatusRequestEntityTooLarge},
		"in other letters":  {`{"jsonrpc":"2.0","id":1,"METHOD":"initialize","params":{"a":"` + strings.Repeat("x", 65<<10) + `"}}`, http.StatusRequestEntityTooLarge},
		"7 MB":              {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 7<<20) + `"}}`, http.StatusOK},
	} {
		if w := h.post(session, tt.body); w.Code != tt.status || tt.status != http.StatusOK && !strings.Contains(w.Body.String(), `"jsonrpc":"2.0"`) {
			t.Errorf("%s: %d %.300s", name, w.Code, w.Body)
		}
	}
}

// TestLargeMessagesAtOnce: messages that exceed the memory for concurrent messages are refused.
func TestLargeMessagesAtOnce(t *testing.T) {
	release := make(chan struct{})
	h := overHTTP(t, mcp.Options{Gateway: func(context.Context) (mcp.Gateway, func(), error) {
		<-release
		return nil, nil, errors.New("it was read")
	}})
	body := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"` + strings.Repeat("x", 4<<20) + `"}}}`)
	session := h.session()
	const calls = 100
	codes := make(chan int, calls)
	stop := heap.Growth()
	for range calls {
		go func() { codes <- h.ask(http.MethodPost, session, bytes.NewReader(body)).Code }()
	}
	busy := 0
	for busy < calls-10 {
		if code := <-codes; code != http.StatusServiceUnavailable {
			t.Fatalf("status %d", code)
		}
		busy++
	}
	if peak := stop(); peak > 300<<20 {
		t.Errorf("the messages took %d MB", peak>>20)
	}
	close(release)
	for ; busy < calls; busy++ {
		if code := <-codes; code != http.StatusOK && code != http.StatusServiceUnavailable {
			t.Errorf("status %d", code)
		}
	}
	if w := h.ask(http.MethodPost, session, bytes.NewReader(body)); w.Code != http.StatusOK {
		t.Errorf("afterwards: %d %.300s", w.Code, w.Body)
	}
}
