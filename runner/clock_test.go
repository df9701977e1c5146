package runner_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/runner"
)

// TestClock checks that while two holds overlap, the clock is stopped only once.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c runner.Clock
		begun := time.Now()
		counts := func(want time.Duration) {
			t.Helper()
			if got := c.Since(begun); got != want {
				t.Errorf("%s count, want %s", got, want)
			}
		}
		now, stopped := c.Watch()
		time.Sleep(time.Second)
		if now {
			t.Error("it is stopped without a holder")
		}
		first := c.Hold()
		<-stopped
		_, goesOn := c.Watch()
		time.Sleep(time.Second)
		second := c.Hold()
		time.Sleep(time.Second)
		counts(time.Second)
		first()
		first() // a second call has no effect
		time.Sleep(time.Second)
		counts(time.Second)
		select {
		case <-goesOn:
			t.Error("it goes on, and one still holds it")
		default:
		}
		second()
		<-goesOn
		time.Sleep(time.Second)
		counts(2 * time.Second)
	})
}

func TestNoClock(t *testing.T) {
	var c *runner.Clock
	if now, changed := c.Watch(); now || changed != nil || c.Away() != 0 {
		t.Error("a clock that is not there stands still")
	}
}
