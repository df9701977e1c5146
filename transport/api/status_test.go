package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

// TestStatusOfEveryKind checks that each kind of error has its own status.
func TestStatusOfEveryKind(t *testing.T) {
	want := map[toolscript.Kind]int{
		toolscript.Invalid:         400,
		toolscript.Unauthorized:    401,
		toolscript.Forbidden:       403,
		toolscript.NotFound:        404,
		toolscript.Conflict:        409,
		toolscript.TooLarge:        413,
		toolscript.Unsupported:     415,
		toolscript.Busy:            429,
		toolscript.Internal:        500,
		toolscript.ToolFailed:      502,
		toolscript.Unavailable:     503,
		toolscript.Timeout:         504,
		toolscript.LimitCalls:      429,
		toolscript.Cancelled:       499,
		toolscript.InvalidResult:   502,
		toolscript.ApprovalDenied:  403,
		toolscript.ApprovalTimeout: 504,
		toolscript.LimitTime:       500, // ends a run, but is never the answer to a request
	}
	var kind toolscript.Kind
	l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) {
		return nil, &toolscript.Error{Kind: kind, Server: "github", Tool: "create_issue", Err: errors.New("no luck"), RPCCode: -32000}
	}})
	for k, status := range want {
		kind = k
		got := l.ask(t, http.MethodPost, "/tools/github__create_issue", `{}`)
		if got.status != status {
			t.Errorf("status of %s = %d, want %d", k, got.status, status)
		}
		body := failure{Error: "github: no luck", Kind: k, Server: "github", Tool: "create_issue", RPCCode: -32000, Sent: toolscript.SentNo}
		if diff := cmp.Diff(body, got.failure()); diff != "" {
			t.Errorf("body of %s (-want +got):\n%s", k, diff)
		}
		if ct := got.header.Get("Content-Type"); ct != "application/json" {
			t.Errorf("content type of %s = %q", k, ct)
		}
	}
}

func TestErrorDetails(t *testing.T) {
	details := []toolscript.Detail{{Path: "/title", Message: "must be a string"}, {Path: "", Message: "needs body"}}
	l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New("wrong"), Details: details}
	}})
	got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`)
	if diff := cmp.Diff(details, got.failure().Details); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

func TestRetryAfter(t *testing.T) {
	var wait time.Duration
	l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) {
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("down"), RetryAfter: wait}
	}})
	for d, want := range map[time.Duration]string{0: "", time.Millisecond: "1", 1500 * time.Millisecond: "2", time.Minute: "60"} {
		wait = d
		if got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`).header.Get("Retry-After"); got != want {
			t.Errorf("Retry-After for %s = %q, want %q", d, got, want)
		}
	}
}

// TestErrorsWithoutKind: an error without a kind is internal, except the error of an ended context.
func TestErrorsWithoutKind(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want toolscript.Kind
	}{
		{"any error", errors.New("what?"), toolscript.Internal},
		{"a deadline of the backend's own", context.DeadlineExceeded, toolscript.Timeout},
		{"a cancellation of the backend's own", context.Canceled, toolscript.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) { return nil, tt.err }})
			if got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`).kind(); got != tt.want {
				t.Errorf("kind = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPanicIsAnsweredAndLoggedWithItsStack(t *testing.T) {
	l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) { panic("the argument 4711") }})
	got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`)
	if got.status != 500 || got.kind() != toolscript.Internal {
		t.Errorf("answer = %d %s, want 500 internal", got.status, got.kind())
	}
	id := got.header.Get("X-Request-Id")
	if strings.Contains(got.body, "4711") || !strings.Contains(got.body, id) {
		t.Errorf("body = %s; it must name request %s and not the panic", got.body, id)
	}
	line := l.log.line(t, "request", id)
	if line["level"] != "ERROR" || !strings.Contains(line["stack"].(string), "status_test.go") {
		t.Errorf("log line = %v; want level ERROR and the stack of the panic", line)
	}
	if again := l.ask(t, http.MethodGet, "/health", ""); again.status != 200 {
		t.Errorf("health after a panic = %d", again.status)
	}
}

// TestNilErrorPointer: an error that is a nil pointer in an interface, whose methods panic, is handled.
func TestNilErrorPointer(t *testing.T) {
	var none *toolscript.Error
	l := serve(t, &fake{
		callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) { return nil, none },
		exec: func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
			_ = emit(start("r1"))
			return none
		},
	})
	if got := l.ask(t, http.MethodPost, "/tools/a__b", `{}`); got.status != 500 || got.kind() != toolscript.Internal {
		t.Errorf("a call = %d %s, want 500 internal", got.status, got.body)
	}
	if got := l.ask(t, http.MethodPost, "/exec", `{"code":""}`); got.status != 200 {
		t.Errorf("a run = %d %s", got.status, got.body)
	}
	if got := l.ask(t, http.MethodGet, "/health", ""); got.status != 200 {
		t.Errorf("health afterwards = %d", got.status)
	}
}
