package toolscript_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/toolscript/toolscript"
)

func TestContextError(t *testing.T) {
	busy := &toolscript.Error{Kind: toolscript.Busy}
	tests := []struct {
		name  string
		cause error
		want  toolscript.Kind
	}{
		{"a cause with a kind", busy, toolscript.Busy},
		{"a cause with a kind inside", fmt.Errorf("because: %w", busy), toolscript.Busy},
		{"a kind before the time", &toolscript.Error{Kind: toolscript.LimitTime, Err: context.DeadlineExceeded}, toolscript.LimitTime},
		{"time over", context.DeadlineExceeded, toolscript.Timeout},
		{"the caller left", context.Canceled, toolscript.Cancelled},
		{"any other cause", errors.New("why not"), toolscript.Cancelled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			if err := toolscript.ContextError(ctx); err != nil {
				t.Errorf("before its end: %v", err)
			}
			cancel(tt.cause)
			if got := toolscript.KindOf(toolscript.ContextError(ctx)); got != tt.want {
				t.Errorf("kind = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSentOf(t *testing.T) {
	for kind, want := range map[toolscript.Kind]toolscript.Sent{
		toolscript.Invalid: toolscript.SentNo, toolscript.NotFound: toolscript.SentNo, toolscript.LimitCalls: toolscript.SentNo,
		toolscript.ToolFailed: toolscript.SentYes, toolscript.InvalidResult: toolscript.SentYes,
		toolscript.Unavailable: toolscript.SentUnknown, toolscript.Timeout: toolscript.SentUnknown, toolscript.Busy: toolscript.SentUnknown,
		toolscript.Internal: toolscript.SentUnknown, toolscript.Cancelled: toolscript.SentUnknown,
	} {
		e := &toolscript.Error{Kind: kind, Err: errors.New("no luck")}
		if got := toolscript.SentOf(fmt.Errorf("because: %w", e)); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
		for _, sent := range []toolscript.Sent{toolscript.SentNo, toolscript.SentUnknown, toolscript.SentYes} {
			with := toolscript.WithSent(e, sent)
			if got := toolscript.SentOf(with); got != sent || e.Sent != "" || !errors.Is(with, e) {
				t.Errorf("%s with %q: %q; the error itself has %q", kind, sent, got, e.Sent)
			}
			if again := toolscript.WithSent(with, toolscript.SentNo); toolscript.SentOf(again) != sent {
				t.Errorf("%s: %q was replaced", kind, sent)
			}
		}
	}
	if got := toolscript.SentOf(nil); got != "" {
		t.Errorf("nil: %q", got)
	}
	if got := toolscript.SentOf(errors.New("an error without a kind")); got != toolscript.SentUnknown {
		t.Errorf("without a kind: %q", got)
	}
}

func TestMayRepeat(t *testing.T) {
	for sent, want := range map[toolscript.Sent]bool{"": true, toolscript.SentNo: true, toolscript.SentUnknown: false, toolscript.SentYes: false} {
		if got := (&toolscript.Error{Sent: sent}).MayRepeat(); got != want {
			t.Errorf("%q: %t", sent, got)
		}
		if !(&toolscript.Error{Sent: sent, Repeatable: true}).MayRepeat() {
			t.Errorf("%q of a tool that only reads: false", sent)
		}
	}
}
