package codegen

import (
	"strings"
	"sync/atomic"
	"testing"
)

// TestParallel: parallel calls do once for each number. If one call panics, parallel panics after the others have ended.
func TestParallel(t *testing.T) {
	const n = 1000
	var calls [n]atomic.Int32
	parallel(n, func(i int) { calls[i].Add(1) })
	for i := range calls {
		if got := calls[i].Load(); got != 1 {
			t.Fatalf("%d calls with %d, want 1", got, i)
		}
	}
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "a schema\n") || !strings.Contains(text, "TestParallel.func") {
			t.Errorf("the panic is %q, want its text and its stack", text)
		}
	}()
	parallel(n, func(i int) {
		if i == 7 {
			panic("a schema")
		}
	})
}
