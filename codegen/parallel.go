package codegen

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/toolscript/toolscript/internal/rescue"
)

// parallel calls do for each number from 0 to n-1, on GOMAXPROCS goroutines. If do panics, parallel
// panics with the text and stack of the first panic, after the other goroutines have ended.
func parallel(n int, do func(int)) {
	var next atomic.Int64
	var fault atomic.Pointer[string]
	var calls sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		calls.Go(func() {
			defer rescue.Catch(func(p *rescue.Error) {
				text := fmt.Sprintf("%v\n%s", p.Reason, p.Stack)
				fault.CompareAndSwap(nil, &text)
			})
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	calls.Wait()
	if text := fault.Load(); text != nil {
		panic(*text)
	}
}
