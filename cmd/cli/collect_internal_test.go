package cli

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// gcPercent returns the value of GOGC that is in effect.
func gcPercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func TestCollectLater(t *testing.T) {
	t.Setenv("GOGC", "")
	usual := gcPercent()
	for _, args := range [][]string{{"gateway", "start"}, {"-c", "x.json", "mcp"}, {"hub"}} {
		if collectLater(args); gcPercent() != usual {
			t.Errorf("%q: GOGC is %d", args, gcPercent())
		}
	}
	t.Setenv("GOGC", "50")
	if collectLater([]string{"call"}); gcPercent() != usual {
		t.Errorf("with GOGC of the user, it is %d", gcPercent())
	}
	t.Setenv("GOGC", "")
	if collectLater([]string{"call", "a.b"}); gcPercent() != 400 {
		t.Errorf("GOGC is %d, want 400", gcPercent())
	}
	for gcPercent() != usual { // the first collection restores the usual value
		runtime.GC()
	}
}
