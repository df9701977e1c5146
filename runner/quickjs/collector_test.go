package quickjs_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// TestGarbageCollectionDuringNativeLoops runs endless scripts together with Go's garbage collector.
// Code that wazero compiles has no safe points for Go: without fuel, such a script and a collection
// would block the process forever.
func TestGarbageCollectionDuringNativeLoops(t *testing.T) {
	stop := make(chan struct{})
	var collecting, running sync.WaitGroup
	collecting.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for i := range runtime.GOMAXPROCS(0) + 1 {
		vm := newVM(t)
		running.Go(func() {
			job := script([]string{`new Array(2**32-1).join('')`, `for(;;);`}[i%2])
			job.Limits.TimeoutMs = 200
			start := time.Now()
			out := vm.Run(t.Context(), job, newHost())
			if took := time.Since(start); out.Err == nil || out.Err.Code != toolscript.LimitTime || took > 200*time.Millisecond+pace.Limit(soon) {
				t.Errorf("ended after %v as %+v, want limit_time", took, out.Err)
			}
		})
	}
	running.Wait()
	close(stop)
	collecting.Wait()
}
