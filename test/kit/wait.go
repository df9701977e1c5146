package kit

import (
	"context"
	"strings"
	"testing"
	"time"
)

// Patience is the longest time that a test waits for something that happens soon on any machine. A test
// that passes never waits so long.
const Patience = 2 * time.Minute

// Within returns a context for one step of a test. It ends after Patience.
func Within(tb testing.TB) context.Context {
	tb.Helper()
	return WithTimeout(tb, Patience)
}

// WithTimeout returns a context that ends after d, or with the test.
func WithTimeout(tb testing.TB, d time.Duration) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), d)
	tb.Cleanup(cancel)
	return ctx
}

// Eventually waits until holds returns true, for changes without an event, such as the end of a process
// that is no child of this one. It ends the test if that is not so within Patience.
func Eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(Patience); !holds(); {
		select {
		case <-tick.C:
		case <-late:
			tb.Fatalf("waited in vain: %s", what)
		}
	}
}

// Shows waits until an output contains a text. It ends the test, and prints the output, if that is not so
// within Patience.
func Shows(tb testing.TB, output func() string, text string) {
	tb.Helper()
	shown := func() bool { return strings.Contains(output(), text) }
	for late := time.After(Patience); !shown(); {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-late:
			tb.Fatalf("%q is not shown in\n%s", text, output())
		}
	}
}

// Receive waits for a value of a channel. It ends the test if none comes within Patience.
func Receive[T any](tb testing.TB, from <-chan T) T {
	tb.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(Patience):
		tb.Fatal("waited in vain for a value")
		panic("unreachable")
	}
}
