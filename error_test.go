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
