package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
)

// TestStatusOfSentCalls: programs repeat requests after some statuses, so a call that may have had
// an effect never gets such a status.
func TestStatusOfSentCalls(t *testing.T) {
	var failed *toolscript.Error
	l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) { return nil, failed }})
	for _, tt := range []struct {
		kind                 toolscript.Kind
		notSent, sent, reads int // status of a call that was not sent, of a sent call, and of a sent call of a read-only tool
	}{
		{toolscript.Unavailable, 503, 424, 503},
		{toolscript.Timeout, 504, 424, 504},
		{toolscript.Internal, 500, 424, 500},
		{toolscript.ToolFailed, 502, 424, 502},
		{toolscript.InvalidResult, 502, 424, 502},
		{toolscript.Busy, 429, 424, 429},
		{toolscript.TooLarge, 413, 413, 413},
		{toolscript.Cancelled, 499, 499, 499},
		{toolscript.Forbidden, 403, 403, 403},
	} {
		for _, sent := range []toolscript.Sent{toolscript.SentNo, toolscript.SentUnknown, toolscript.SentYes} {
			for _, reads := range []bool{false, true} {
				failed = &toolscript.Error{Kind: tt.kind, Err: errors.New("no luck"), Sent: sent, Repeatable: reads, RetryAfter: time.Second}
				want, again := tt.sent, "" // expected status and Retry-After
				switch {
				case sent == toolscript.SentNo:
					want, again = tt.notSent, "1"
				case reads:
					want, again = tt.reads, "1"
				}
				got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`)
				body := got.failure()
				if got.status != want || body.Sent != sent || got.header.Get("Retry-After") != again || (body.RetryMs > 0) != (again != "") {
					t.Errorf("%s, sent %s, reads %t: status %d, sent %q, Retry-After %q, retryAfterMs %d; want %d, %q",
						tt.kind, sent, reads, got.status, body.Sent, got.header.Get("Retry-After"), body.RetryMs, want, again)
				}
			}
		}
	}
}

// TestRefusedRequestsAreNotSent: errors of the gateway itself about a call say that it was not sent.
func TestRefusedRequestsAreNotSent(t *testing.T) {
	l := serve(t, &fake{})
	for path, body := range map[string]string{"/tools/a__b": `[1]`, "/tools/a__b?colour=red": `{}`} {
		if got := l.ask(t, http.MethodPost, path, body); got.failure().Sent != toolscript.SentNo {
			t.Errorf("%s with %s: %d, sent %q", path, body, got.status, got.failure().Sent)
		}
	}
	if got := l.ask(t, http.MethodGet, "/tools?wait=long", ""); got.failure().Sent != "" {
		t.Errorf("a request that makes no call: sent %q", got.failure().Sent)
	}
}

// TestCurlDoesNotRepeatACall: a call that may have had an effect gets none of the statuses after
// which curl --retry repeats a POST: 408, 429, 500, 502, 503 and 504.
func TestCurlDoesNotRepeatACall(t *testing.T) {
	t.Parallel()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed")
	}
	for _, tt := range []struct {
		name  string
		err   *toolscript.Error
		calls int32
	}{
		{"unknown", &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown}, 1},
		{"timeout", &toolscript.Error{Kind: toolscript.Timeout, Sent: toolscript.SentUnknown}, 1},
		{"a fault of the gateway", &toolscript.Error{Kind: toolscript.Internal, Sent: toolscript.SentUnknown}, 1},
		{"the server answered", &toolscript.Error{Kind: toolscript.ToolFailed, Sent: toolscript.SentYes}, 1},
		{"an answer that cannot be kept", &toolscript.Error{Kind: toolscript.Busy, Sent: toolscript.SentYes}, 1},
		{"not sent", &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentNo, RetryAfter: time.Second}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			tt.err.Err = errors.New("no luck")
			l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) {
				calls.Add(1)
				return nil, tt.err
			}})
			c := exec.CommandContext(t.Context(), curl, "--silent", "--retry", "1", "--header", "Content-Type: application/json", "--data", "{}", l.URL()+"/tools/a__b")
			if out, err := c.CombinedOutput(); err != nil {
				t.Fatalf("curl: %v\n%s", err, out)
			}
			if got := calls.Load(); got != tt.calls {
				t.Errorf("%d calls, want %d", got, tt.calls)
			}
		})
	}
}

// TestIdempotencyKey: the key in the header of a request becomes the key of its call.
func TestIdempotencyKey(t *testing.T) {
	var got []string
	l := serve(t, &fake{callTool: func(_ context.Context, c toolscript.Call) (json.RawMessage, error) {
		got = append(got, c.Key)
		return json.RawMessage(`{}`), nil
	}})
	for _, tt := range []struct {
		keys   []string
		status int
	}{
		{nil, 200}, {[]string{"order-4711"}, 200}, {[]string{`"8e03978e-40d5-43dd-bc93-6894a57f9324"`}, 200},
		{[]string{""}, 400}, {[]string{"a b"}, 400}, {[]string{"k", "k"}, 400}, {[]string{strings.Repeat("x", 256)}, 400}, {[]string{"schlüssel"}, 400},
	} {
		answer := l.ask(t, http.MethodPost, "/tools/a__b", `{}`, func(r *http.Request) { r.Header["Idempotency-Key"] = tt.keys })
		if answer.status != tt.status || tt.status != 200 && answer.failure().Sent != toolscript.SentNo {
			t.Errorf("%q: status %d, sent %q, want %d", tt.keys, answer.status, answer.failure().Sent, tt.status)
		}
	}
	if want := []string{"", "order-4711", `"8e03978e-40d5-43dd-bc93-6894a57f9324"`}; !slices.Equal(got, want) {
		t.Errorf("the calls have the keys %q, want %q", got, want)
	}
}
