package mcpclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestASessionThatEndedIsReplaced(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP)
	changed := make(chan struct{}, 100)
	c := dial(t, cfg, upstream.Events{ToolsChanged: func() { changed <- struct{}{} }})
	before := text(t, c, "bump", `{}`)
	h.Forget()
	var calls sync.WaitGroup
	for range 50 {
		calls.Go(func() { text(t, c, "echo", `{"text":"x"}`) })
	}
	calls.Wait()
	if after := text(t, c, "bump", `{}`); len(after) != len(before) || after == before {
		t.Errorf("bump went from %s to %s", before, after)
	}
	if n := h.Seen("initialize"); n != 2 {
		t.Errorf("initialize was sent %d times, want 2", n)
	}
	kit.Receive(t, changed) // the new session may have other tools
}

// TestRepeatableRequests ends the session and breaks the streams while calls are in
// flight. The server may have executed these calls.
func TestRepeatableRequests(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP)
	c := dial(t, cfg, upstream.Events{})
	if _, err := c.ListTools(kit.Within(t)); err != nil {
		t.Fatal(err)
	}
	sleeps, bumps := calling(kit.Within(t), c, "sleep", `{"ms":300}`), calling(kit.Within(t), c, "bump", `{"ms":300}`)
	kit.Eventually(t, "both calls", func() bool { return h.Seen("tools/call") == 2 })
	h.Forget()
	h.Cut()
	if err := kit.Receive(t, sleeps); err != nil {
		t.Errorf("a tool that only reads: %v", err)
	}
	err := kit.Receive(t, bumps)
	if toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("a tool that changes something: %v", err)
	} else {
		wantText(t, "error", err.Error(), "ended the session", "not known")
	}
	if n := h.Seen("tools/call"); n != 3 {
		t.Errorf("%d calls came, want 3", n)
	}
}

func TestTheListeningStreamFindsTheSessionEnded(t *testing.T) {
	for _, switches := range [][]string{nil, {"strict"}} {
		h, cfg := overHTTP(t, upstream.HTTP, switches...)
		changed := make(chan struct{}, 100)
		dial(t, cfg, upstream.Events{ToolsChanged: func() { changed <- struct{}{} }})
		kit.Eventually(t, "the stream", func() bool { return h.Seen(http.MethodGet) == 1 })
		h.Forget()
		h.Cut()
		kit.Receive(t, changed)
		kit.Eventually(t, "the next stream", func() bool { return h.Seen("initialize") == 2 && h.Seen(http.MethodGet) >= 3 })
	}
}

// If a server answers 401 to an unknown session, the client opens a new session and sends the
// request once more there.
func TestALostSessionThatIsAnsweredWith401(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP, "strict")
	c := dial(t, cfg, upstream.Events{})
	before := text(t, c, "bump", `{}`)
	h.Forget()
	if after := text(t, c, "bump", `{}`); len(after) < len(before) || after == before || c.Err() != nil {
		t.Errorf("bump = %s after %s, Err = %v", after, before, c.Err())
	}
	if calls, sessions := h.Seen("tools/call"), h.Seen("initialize"); calls != 3 || sessions != 2 {
		t.Errorf("%d calls came in %d sessions, want 3 and 2", calls, sessions)
	}
	h.Forget()
	if err := c.Ping(kit.Within(t)); err != nil || h.Seen("initialize") != 3 {
		t.Errorf("Ping = %v after %d sessions", err, h.Seen("initialize"))
	}
}

// If a server answers 200 with an error to an unknown session, also in an event, the client opens a
// new session and sends the request once more there.
func TestALostSessionThatIsAnsweredWith200(t *testing.T) {
	for _, kind := range []string{"polite", "polite=sse"} {
		h, cfg := overHTTP(t, upstream.HTTP, kind)
		c := dial(t, cfg, upstream.Events{})
		before := text(t, c, "bump", `{}`)
		h.Forget()
		if after := text(t, c, "bump", `{}`); after == before || c.Err() != nil {
			t.Errorf("bump = %s after %s, Err = %v", after, before, c.Err())
		}
		if sessions := h.Seen("initialize"); sessions != 2 {
			t.Errorf("%s: %d sessions, want 2", kind, sessions)
		}
		if got := c.Deviations(); !slices.Equal(got, []string{httptransport.SessionByError}) {
			t.Errorf("%s: deviations %q", kind, got)
		}
		_, err := c.CallTool(kit.Within(t), "rpcerror", json.RawMessage(`{"code":-32001,"message":"the browser session 7 was not found"}`), nil)
		if wantText(t, "error", fmt.Sprint(err), "browser session 7"); h.Seen("initialize") != 2 {
			t.Errorf("%s: an error of a tool has ended the session", kind)
		}
	}
}

// If a server also refuses the request in a new session, the error is about the credentials.
func TestARefusalInANewSession(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP, "json")
	refuses := new(atomic.Bool)
	c := dial(t, behind(t, cfg, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || refuses.Load() && !bytes.Contains(body, []byte(`"initialize"`)) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}), upstream.Events{})
	refuses.Store(true)
	_, err := c.CallTool(kit.Within(t), "bump", nil, nil)
	if toolscript.KindOf(err) != toolscript.Unauthorized || toolscript.SentOf(err) != toolscript.SentNo {
		t.Errorf("error %v, sent: %s", err, toolscript.SentOf(err))
	}
	if why := awaitLost(t, c); toolscript.KindOf(why) != toolscript.Unauthorized || h.Seen("initialize") != 2 {
		t.Errorf("lost because of %v, after %d sessions", why, h.Seen("initialize"))
	}
}

func TestABrokenStreamIsResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	h, cfg := overHTTP(t, upstream.HTTP, "drop")
	c := dial(t, cfg, upstream.Events{})
	for range 5 {
		if got := text(t, c, "echo", `{"text":"x"}`); got != "x" {
			t.Errorf("echo = %q", got)
		}
	}
	if n := h.Seen("tools/call"); n != 5 {
		t.Errorf("%d calls came, want 5: none is sent twice", n)
	}
	found := false
	for _, header := range h.Headers() {
		found = found || strings.HasPrefix(header.Get("Last-Event-Id"), "s")
	}
	if !found {
		t.Error("no request had a Last-Event-ID")
	}
}

func TestABrokenStreamWithoutIDsFailsTheCall(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP, "noids")
	c := dial(t, cfg, upstream.Events{})
	done := calling(kit.Within(t), c, "never", "")
	kit.Eventually(t, "the call", func() bool { return h.Seen("tools/call") == 1 })
	h.Cut()
	err := kit.Receive(t, done)
	if toolscript.KindOf(err) != toolscript.Unavailable {
		t.Fatalf("error %v", err)
	}
	wantText(t, "error", err.Error(), "the connection broke", "not known")
	if got := text(t, c, "echo", `{"text":"x"}`); got != "x" || c.Err() != nil {
		t.Errorf("echo = %q, Err = %v: the connection goes on", got, c.Err())
	}
}

func TestEndedEventStreamFailsAllCalls(t *testing.T) {
	h, cfg := overHTTP(t, upstream.SSE)
	c := dial(t, cfg, upstream.Events{})
	var calls []<-chan error
	for range 20 {
		calls = append(calls, calling(kit.Within(t), c, "never", ""))
	}
	kit.Eventually(t, "the calls", func() bool { return h.Seen("tools/call") == len(calls) })
	h.Cut()
	for _, done := range calls {
		if err := kit.Receive(t, done); toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("error %v", err)
		}
	}
	if err := awaitLost(t, c); err == nil {
		t.Error("no reason")
	}
}

func TestRefusalsOfAServer(t *testing.T) {
	for _, tt := range []struct {
		status int
		kind   toolscript.Kind
		sent   toolscript.Sent
		text   string
	}{
		{http.StatusInternalServerError, toolscript.Unavailable, toolscript.SentUnknown, "HTTP 500"},
		{http.StatusBadGateway, toolscript.Unavailable, toolscript.SentUnknown, "HTTP 502"},
		{http.StatusForbidden, toolscript.Forbidden, toolscript.SentNo, "HTTP 403"},
		{http.StatusTooManyRequests, toolscript.Busy, toolscript.SentNo, "HTTP 429"},
		{http.StatusTeapot, toolscript.ToolFailed, toolscript.SentYes, "HTTP 418"},
	} {
		for _, kind := range []string{upstream.HTTP, upstream.SSE} {
			t.Run(kind+" "+http.StatusText(tt.status), func(t *testing.T) {
				h, cfg := overHTTP(t, kind)
				c := dial(t, cfg, upstream.Events{})
				if kind == upstream.HTTP {
					kit.Eventually(t, "the stream", func() bool { return h.Seen(http.MethodGet) == 1 })
				}
				h.Refuse(tt.status, 1)
				_, err := c.CallTool(kit.Within(t), "echo", nil, nil)
				if toolscript.KindOf(err) != tt.kind || toolscript.SentOf(err) != tt.sent {
					t.Fatalf("error %v of kind %s, sent %s; want %s, %s", err, toolscript.KindOf(err), toolscript.SentOf(err), tt.kind, tt.sent)
				}
				wantText(t, "error", err.Error(), tt.text, "refused on request")
				text(t, c, "echo", `{}`)
			})
		}
	}
}

// A response with an HTTP error status may contain a JSON-RPC error, whose code the caller gets.
func TestCodeOfARefusal(t *testing.T) {
	for _, kind := range []string{upstream.HTTP, upstream.SSE} {
		h, cfg := overHTTP(t, kind, "codes")
		c := dial(t, cfg, upstream.Events{})
		if kind == upstream.HTTP {
			kit.Eventually(t, "the stream", func() bool { return h.Seen(http.MethodGet) == 1 })
		}
		h.Refuse(http.StatusBadRequest, 1)
		_, err := c.CallTool(kit.Within(t), "echo", nil, nil)
		var e *toolscript.Error
		if !errors.As(err, &e) || e.RPCCode != -32050 || !strings.HasSuffix(e.Error(), "HTTP 400 Bad Request: refused on request") {
			t.Errorf("%s: %v, code %d", kind, err, e.RPCCode)
		}
	}
}

func TestAServerThatNeedsAuthorization(t *testing.T) {
	for _, kind := range []string{upstream.HTTP, upstream.SSE} {
		t.Run(kind, func(t *testing.T) {
			h, cfg := overHTTP(t, kind)
			h.Refuse(http.StatusUnauthorized, 100)
			err, _ := refused(t, cfg, kit.Patience)
			if err.Kind != toolscript.Unauthorized {
				t.Errorf("kind %s, want unauthorized", err.Kind)
			}
			wantText(t, "error", err.Error(), "toolscript auth srv")
			cfg.Headers = map[string]string{"authorization": "Bearer secret-token"}
			err, _ = refused(t, cfg, kit.Patience)
			wantText(t, "error", err.Error(), `correct "headers.authorization"`)
			for name, fixed := range map[string]upstream.Config{
				`"headers.X-Api-Key"`:           {Type: kind, URL: cfg.URL, Headers: map[string]string{"X-Api-Key": "secret-token"}},
				`"url"`:                         {Type: kind, URL: cfg.URL + "?key=secret-token"},
				`"headers.X-Api-Key" and "url"`: {Type: kind, URL: cfg.URL + "?key=secret-token", Headers: map[string]string{"X-Api-Key": "secret-token"}},
			} {
				err, _ = refused(t, fixed, kit.Patience)
				wantText(t, "error", err.Error(), "correct "+name)
				if text := err.Error(); strings.Contains(text, "toolscript auth") || strings.Contains(text, "secret-token") {
					t.Errorf("the error names a login or a secret: %s", text)
				}
			}
			h.Refuse(0, 0)

			c := dial(t, cfg, upstream.Events{})
			h.Refuse(http.StatusUnauthorized, 100)
			ctx, progressed := context.WithCancel(kit.Within(t))
			_, failed := c.CallTool(ctx, "echo", nil, nil)
			if toolscript.KindOf(failed) != toolscript.Unauthorized {
				t.Errorf("call: %v", failed)
			}
			if why := c.Err(); why != nil {
				t.Errorf("lost (%v) before the caller has passed the answer on", why)
			}
			progressed()
			if why := awaitLost(t, c); toolscript.KindOf(why) != toolscript.Unauthorized {
				t.Errorf("lost wrapError of %v", why)
			}
			h.Refuse(0, 0)
		})
	}
}

// TestAcceptEncodingOfTheConfiguration: answers are decompressed even if the configuration sets this header.
func TestAcceptEncodingOfTheConfiguration(t *testing.T) {
	for _, kind := range []string{upstream.HTTP, upstream.SSE} {
		h, cfg := overHTTP(t, kind)
		cfg.Headers = map[string]string{"accept-encoding": "br", "X-Other": "1"}
		sentCall(t, dial(t, cfg, upstream.Events{}), "echo", `{"text": "hi"}`)
		for _, header := range h.Headers() {
			if header.Get("Accept-Encoding") == "br" || header.Get("X-Other") != "1" {
				t.Errorf("%s: a request had the headers %v", kind, header)
			}
		}
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func TestCredentialsOfARoundTripper(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP)
	var token error
	d := mcpclient.Dialer{RoundTripper: func(server string, _ upstream.Config, base http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			if token != nil {
				return nil, token
			}
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer for "+server)
			return base.RoundTrip(r)
		})
	}}
	c, err := d.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for i, header := range h.Headers() {
		if got := header.Get("Authorization"); got != "Bearer for srv" {
			t.Errorf("request %d: Authorization %q", i, got)
		}
	}
	token = &toolscript.Error{Kind: toolscript.Unauthorized, Err: errors.New("no token yet")}
	_, err = d.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
	if toolscript.KindOf(err) != toolscript.Unauthorized || !strings.Contains(err.Error(), "no token yet") {
		t.Errorf("Dial: %v", err)
	}
}

func TestRedirects(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP)
	var got []http.Header
	other := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Header) }))
	for _, status := range []int{301, 302, 307, 308} {
		front := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/away":
				http.Redirect(w, r, other, status)
			case "/near":
				http.Redirect(w, r, "/mcp", status)
			default:
				h.ServeHTTP(w, r)
			}
		}))
		cfg.Headers = map[string]string{"X-Key": "0123456789"}
		cfg.URL = front + "/away"
		err, _ := refused(t, cfg, kit.Patience)
		wantText(t, "error", err.Error(), "another origin", other)
		cfg.URL = front + "/near"
		if got := text(t, dial(t, cfg, upstream.Events{}), "echo", `{"text":"x"}`); got != "x" {
			t.Errorf("%d: echo = %q", status, got)
		}
	}
	if len(got) != 0 {
		t.Errorf("the other origin was sent %v", got)
	}
}

func TestMessageURLOfAnotherOriginIsRefused(t *testing.T) {
	_, cfg := overHTTP(t, upstream.SSE, "elsewhere")
	err, _ := refused(t, cfg, kit.Patience)
	wantText(t, "error", err.Error(), "another origin")
}

// TestLargeAnswers: an answer above the limit fails its call only.
func TestLargeAnswers(t *testing.T) {
	for _, kind := range []string{upstream.Stdio, upstream.HTTP} {
		t.Run(kind, func(t *testing.T) {
			cfg, _ := started(t, kind)
			c := dial(t, cfg, upstream.Events{})
			ctx := kit.WithTimeout(t, 3*kit.Patience) // with the race detector, the call takes twenty times longer
			_, err := c.CallTool(ctx, "big", json.RawMessage(`{"bytes":67200000}`), nil)
			if toolscript.KindOf(err) != toolscript.TooLarge || !strings.Contains(err.Error(), "64 MB") {
				t.Errorf("65 MB: %v, want kind too_large with the limit in it", err)
			}
			if got, err := c.CallTool(ctx, "big", json.RawMessage(`{"bytes":60000000}`), nil); err != nil || len(got) < 60_000_000 {
				t.Errorf("60 MB: %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestCloseDeletesTheSession(t *testing.T) {
	h, cfg := overHTTP(t, upstream.HTTP)
	c, err := mcpclient.Dialer{}.Dial(kit.Within(t), "srv", cfg, upstream.Events{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n := h.Seen(http.MethodDelete); n != 1 {
		t.Errorf("%d DELETE, want 1", n)
	}
	if _, err := c.CallTool(context.Background(), "echo", nil, nil); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("a call after Close: %v", err)
	}
}
