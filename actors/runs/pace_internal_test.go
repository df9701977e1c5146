package runs

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestPace checks which lines pass as time goes on.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPaces()
		lines := strings.Repeat("x\n", 1000)
		for _, step := range []struct {
			wait time.Duration
			kept int
		}{{0, 500}, {0, 0}, {time.Second, 100}, {50 * time.Millisecond, 5}, {time.Hour, 500}} {
			time.Sleep(step.wait)
			if got := strings.Count(p.keep(lines), "x\n"); got != step.kept {
				t.Errorf("after %v: %d lines, want %d", step.wait, got, step.kept)
			}
		}
		if want := 5*1000 - 500 - 100 - 5 - 500; p.lines.dropped != want {
			t.Errorf("%d lines dropped, want %d", p.lines.dropped, want)
		}
	})
}
