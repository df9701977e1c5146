package budget

import (
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

const (
	returned = 32 << 20 // number of released bytes after which memory is returned to the system

	returning      = time.Second     // between the release and the return
	returningAgain = 4 * time.Second // until a second return: the work of a call may end after its answer was released
)

// Returner returns the memory of large values to the system after they have been released.
// The runtime alone would need minutes. The zero value is ready to use. It is safe for
// concurrent use.
type Returner struct {
	mu    sync.Mutex
	freed int64       // bytes released since memory was last returned
	timer *time.Timer // nil if no return is planned
}

// Released records that n bytes are not needed any more.
func (r *Returner) Released(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freed += n; r.freed >= returned && r.timer == nil {
		r.timer = time.AfterFunc(returning, r.first)
	}
}

func (r *Returner) first() {
	r.mu.Lock()
	r.freed = 0 // bytes that are released from now on need another return
	r.timer = time.AfterFunc(returningAgain, r.second)
	r.mu.Unlock()
	returnMemory()
}

func (r *Returner) second() {
	r.mu.Lock()
	r.timer = nil
	if r.freed >= returned {
		r.timer = time.AfterFunc(returning, r.first)
	}
	r.mu.Unlock()
	returnMemory()
}

func returnMemory() {
	runtime.GC() // the contents of pools are freed by the second of two collections
	debug.FreeOSMemory()
}
