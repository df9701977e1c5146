package mcpclient

import (
	"fmt"
	"testing"
)

// TestAnnouncedTasks: a change that is announced before its task is known wakes the wait, and announcements of other tasks,
// however many, do not prevent that.
func TestAnnouncedTasks(t *testing.T) {
	var all tasks
	announce := func(id string) { all.announced(map[string]any{"taskId": id}) }
	announce("early")
	moved, forget := all.await("early")
	defer forget()
	for i := range 2 * maxEarly {
		announce(fmt.Sprint(i))
	}
	for range 2 { // the announcement before, and one more
		select {
		case <-moved:
		default:
			t.Fatal("the wait is not woken")
		}
		announce("early")
	}
	if n := all.early.Len(); n > maxEarly {
		t.Errorf("%d tasks are remembered", n)
	}
}
