package proc_test

import (
	"runtime"
	"testing"

	"github.com/toolscript/toolscript/internal/proc"
)

// TestSpareCollections: 64 MB of garbage in a small heap cause only a few collections. By default they cause about 15.
func TestSpareCollections(t *testing.T) {
	t.Setenv("GOGC", "")
	proc.SpareCollections(32 << 20)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1000 {
		kept = make([]byte, 64<<10)
	}
	runtime.ReadMemStats(&after)
	if n := after.NumGC - before.NumGC; n > 5 {
		t.Errorf("%d collections", n)
	}
}

var kept []byte
