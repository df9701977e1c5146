package worker_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
)

// TestLoopsDoNotStopTheGateway checks that endless scripts do not stop the gateway,
// which is the reason for worker processes: compiled WebAssembly has no safe points
// for Go's garbage collector, so in a shared process one such loop would stop every
// goroutine at the next collection.
func TestLoopsDoNotStopTheGateway(t *testing.T) {
	for name, code := range map[string]string{"loop": "for (;;);", "join": "new Array(2 ** 32 - 1).join('')"} {
		t.Run(name, func(t *testing.T) {
			stop := make(chan struct{})
			var collector sync.WaitGroup
			collector.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						runtime.GC()
					}
				}
			})
			var runs sync.WaitGroup
			for range runtime.GOMAXPROCS(0) + 1 {
				runs.Go(func() {
					s, err := worker.StartSandbox(t.Context(), worker.Options{CacheDir: cacheDir})
					if err != nil {
						t.Error(err)
						return
					}
					defer s.Close()
					job := newJob(t, code)
					job.Limits.TimeoutMs = 300
					outcome, err := s.Run(t.Context(), job, &host{})
					if kindOf(outcome) != toolscript.LimitTime {
						t.Errorf("outcome = %+v, %v; want %s", outcome.Err, err, toolscript.LimitTime)
					}
				})
			}
			runs.Wait()
			close(stop)
			collector.Wait()
		})
	}
}
