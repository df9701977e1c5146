package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
)

// calling is a gateway whose runs make calls and end when they are released.
type calling struct {
	mcp.Gateway
	calls    int
	released chan struct{}
}

func (g calling) Exec(ctx context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	if err := emit(toolscript.Event{Type: toolscript.EventStart, RunID: "run_1"}); err != nil {
		return err
	}
	for range g.calls {
		if err := emit(toolscript.Event{Type: toolscript.EventCall, Tool: "demo__x"}); err != nil {
			return err
		}
	}
	select {
	case <-g.released:
		return emit(toolscript.EndEvent("run_1", toolscript.End{OK: true, Value: json.RawMessage("7")}))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answered is a response over HTTP.
type answered struct {
	status int
	header http.Header
	text   string
}

// post sends a message over HTTP.
func post(t *testing.T, url, session, body string) answered {
	t.Helper()
	return exchange(t, http.MethodPost, url, session, body)
}

func exchange(t *testing.T, method, url, session, body string) answered {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return answered{}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return answered{}
	}
	defer func() { _ = w.Body.Close() }() // only read, so an error is harmless
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Error(err)
	}
	return answered{w.StatusCode, w.Header, string(text)}
}

const beginSession = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func overNetwork(t *testing.T, o mcp.Options) (url, session string) {
	t.Helper()
	h, stop := mcp.Handler(o)
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.Close(); stop() })
	w := post(t, s.URL, "", beginSession)
	return s.URL, w.header.Get("Mcp-Session-Id")
}

const runWithoutToken = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"x"}}}`

const runWithToken = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"x"},"_meta":{"progressToken":"p"}}}`

// TestProgressIsInTheResponse: each notification about a request is an event in its response,
// before the answer, even while the client also listens to the stream of the session.
func TestProgressIsInTheResponse(t *testing.T) {
	released := make(chan struct{})
	close(released)
	url, session := overNetwork(t, plain(calling{calls: 5, released: released}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	listening, err := http.DefaultClient.Do(r)
	if err != nil || listening.StatusCode != http.StatusOK {
		t.Fatal(listening, err)
	}
	defer func() { _ = listening.Body.Close() }() // only read, so an error is harmless
	for range 20 {
		text := post(t, url, session, runWithToken).text
		events := strings.Split(strings.TrimSpace(text), "\n\n")
		if len(events) != 6 || !strings.Contains(events[0], `"progress":1`) || !strings.Contains(events[4], `"progress":5`) || !strings.Contains(events[5], `"id":7`) {
			t.Fatalf("the response is %s", text)
		}
		for _, e := range events {
			if data, is := strings.CutPrefix(e, "event: message\ndata: "); !is || !json.Valid([]byte(data)) {
				t.Errorf("event %q", e)
			}
		}
	}
}

// TestCancelledRequestOverHTTP: the response of a cancelled request ends without an answer.
func TestCancelledRequestOverHTTP(t *testing.T) {
	for name, meta := range map[string]string{"silent": "", "with events": `,"_meta":{"progressToken":1}`} {
		t.Run(name, func(t *testing.T) {
			g := html{begun: make(chan struct{}), ended: make(chan struct{})}
			url, session := overNetwork(t, plain(g))
			ended := make(chan string)
			go func() {
				w := post(t, url, session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"wait"}`+meta+`}}`)
				if w.status != http.StatusOK || w.header.Get("Content-Type") != "text/event-stream" {
					t.Errorf("%+v", w)
				}
				ended <- w.text
			}()
			<-g.begun
			if w := post(t, url, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`); w.status != http.StatusAccepted {
				t.Errorf("status %d", w.status)
			}
			if text := <-ended; strings.Contains(text, `"id":1`) {
				t.Errorf("the response is %s", text)
			}
		})
	}
}

// TestSessionsThatHaveEnded: requests of an ended or unknown session are refused.
func TestSessionsThatHaveEnded(t *testing.T) {
	h := overHTTP(t, mcp.Options{})
	ended := h.session()
	if w := h.ask(http.MethodDelete, ended, nil); w.Code != http.StatusOK {
		t.Errorf("DELETE: %d %s", w.Code, w.Body)
	}
	for name, id := range map[string]string{"ended": ended, "made up": newID()} {
		for what, method := range map[string]string{"POST": http.MethodPost, "GET": http.MethodGet, "DELETE": http.MethodDelete} {
			w := h.ask(method, id, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
			if w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "there is no such session") {
				t.Errorf("%s of a session that is %s: %d %s", what, name, w.Code, w.Body)
			}
		}
	}
}

// writes is a response writer that sends each written part to a channel.
type writes struct {
	header http.Header
	parts  chan string
}

func (w writes) Header() http.Header { return w.header }
func (w writes) WriteHeader(int)     {}
func (w writes) Flush()              {}
func (w writes) Write(p []byte) (int, error) {
	w.parts <- string(p)
	return len(p), nil
}

// inBubble runs a test with a server over HTTP in a synctest bubble. send sends a message and
// returns the parts of the response; release ends the runs.
func inBubble(t *testing.T, test func(t *testing.T, send func(body string) <-chan string, release func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		h, stop := mcp.Handler(plain(calling{calls: 1, released: released}))
		defer stop()
		session := handler{t, h}.session()
		test(t, func(body string) <-chan string {
			w := writes{http.Header{}, make(chan string, 10)}
			go h.ServeHTTP(w, request(t.Context(), http.MethodPost, session, strings.NewReader(body)))
			return w.parts
		}, func() { close(released) })
	})
}

// TestSignsOfLife: a client that has asked for progress gets a notification every 15 s while a run is silent.
func TestSignsOfLife(t *testing.T) {
	inBubble(t, func(t *testing.T, send func(string) <-chan string, release func()) {
		t.Helper()
		began := time.Now()
		parts := send(runWithToken)
		for i, want := range []string{"calling demo__x", "running for 15 s", "running for 30 s", "running for 45 s", "running for 60 s"} {
			if part := <-parts; !strings.Contains(part, want) || !strings.Contains(part, `"progressToken":"p"`) || time.Since(began) != time.Duration(i)*15*time.Second {
				t.Errorf("after %s: %s", time.Since(began), part)
			}
		}
		release()
		if part := <-parts; !strings.Contains(part, `"id":7`) || !strings.Contains(part, `\"value\":7`) {
			t.Errorf("the answer is %s", part)
		}
	})
}

// TestClientWithoutProgress: a client that has not asked for progress gets the id of the run after 50 s, and can
// continue to wait with it.
func TestClientWithoutProgress(t *testing.T) {
	inBubble(t, func(t *testing.T, send func(string) <-chan string, release func()) {
		t.Helper()
		began := time.Now()
		const running = `\"running\":true,`
		if part := news(send(runWithoutToken)); !strings.Contains(part, running) || time.Since(began) != 50*time.Second {
			t.Errorf("after %s: %s", time.Since(began), part)
		}
		waits := `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"run_script","arguments":{"run":"run_1","wait":"20s"},"_meta":{"progressToken":"q"}}}`
		parts := send(waits)
		for _, want := range []string{`"progressToken":"q"`, running} {
			if part := news(parts); !strings.Contains(part, want) {
				t.Errorf("after %s: %s", time.Since(began), part)
			}
		}
		if time.Since(began) != 70*time.Second {
			t.Errorf("it waited for %s", time.Since(began)-50*time.Second)
		}
		parts = send(waits)
		release()
		if part := <-parts; !strings.Contains(part, `"id":8`) || !strings.Contains(part, `\"value\":7`) {
			t.Errorf("the answer is %s", part)
		}
	})
}

// counting is a gateway whose runs do not end by themselves.
type counting struct {
	mcp.Gateway
	begun, cancelled atomic.Int64
}

func (g *counting) Exec(ctx context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	if err := emit(toolscript.Event{Type: toolscript.EventStart, RunID: fmt.Sprint("run_", g.begun.Add(1))}); err != nil {
		return err
	}
	<-ctx.Done()
	g.cancelled.Add(1)
	return ctx.Err()
}

// TestRunsThatNoClientReturnsFor: the number of runs whose client does not return is bounded, and they are cancelled
// after an hour.
func TestRunsThatNoClientReturnsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most, more = 200, 7
		g := &counting{}
		h, stop := mcp.Handler(plain(g))
		defer stop()
		session := handler{t, h}.session()
		for range most + more {
			go handler{t, h}.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"x"}}}`)
			synctest.Wait()
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := g.cancelled.Load(); g.begun.Load() != most+more || n != more {
			t.Errorf("of %d runs, %d are cancelled, want %d", g.begun.Load(), n, more)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := g.cancelled.Load(); n != most+more {
			t.Errorf("after an hour, %d are cancelled", n)
		}
	})
}
