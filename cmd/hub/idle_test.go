package hub

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := newIdle(time.Minute)
		ended := func() bool {
			synctest.Wait()
			select {
			case <-i.over:
				return true
			default:
				return false
			}
		}
		time.Sleep(59 * time.Second)
		i.changed(1)
		i.changed(2)
		time.Sleep(time.Hour)
		if ended() {
			t.Fatal("a hub with gateways is idle")
		}
		i.changed(1)
		i.changed(0)
		time.Sleep(59 * time.Second)
		i.changed(0) // does not start the time again
		if ended() {
			t.Fatal("idle too early")
		}
		time.Sleep(time.Second)
		if !ended() {
			t.Error("not idle after a minute without gateways")
		}
	})
}

// TestIdleNever: a hub that no gateway has ever used also ends.
func TestIdleNever(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		i := newIdle(time.Minute)
		<-i.over
	})
}
