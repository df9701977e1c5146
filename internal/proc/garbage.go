package proc

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	defaultGarbage = 100     // default of GOGC, in percent
	leastHeap      = 4 << 20 // bytes; the runtime treats a smaller heap as if it had this size
)

// SpareCollections lets the heap grow by at least room bytes between two garbage collections. By default,
// the runtime collects when the heap has doubled. If the heap is small and many short calls fill it, this
// is so often that the collector takes a tenth of the CPU time of the process. A heap larger than room is
// collected as by default. ShrinkMemory returns the garbage to the system. SpareCollections does nothing
// if GOGC is set.
func SpareCollections(room uint64) {
	if os.Getenv("GOGC") != "" {
		return
	}
	now := defaultGarbage
	var adjust func(struct{})
	adjust = func(struct{}) {
		if wanted := garbagePercent(room); wanted < now*9/10 || wanted > now*11/10 {
			debug.SetGCPercent(wanted)
			now = wanted
		}
		runtime.AddCleanup(new(*byte), adjust, struct{}{}) // runs after the next collection
	}
	adjust(struct{}{})
}

// garbagePercent returns the value of GOGC with which the live heap grows by room bytes.
func garbagePercent(room uint64) int {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	return int(max(defaultGarbage, room*100/max(live[0].Value.Uint64(), leastHeap)))
}
