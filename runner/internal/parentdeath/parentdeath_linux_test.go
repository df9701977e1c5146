package parentdeath

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTheMainThreadIsNeverRestricted starts goroutines until one runs on the main
// thread. From there, onOwnThread must use another thread.
func TestTheMainThreadIsNeverRestricted(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	for range 1000 {
		used := make(chan int)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if unix.Gettid() == unix.Getpid() {
				onOwnThread(func() { used <- unix.Gettid() })
				return
			}
			used <- 0
			<-release // the thread stays occupied, so that the next goroutine gets another
		}()
		switch <-used {
		case 0:
		case unix.Getpid():
			t.Fatal("the main thread was used")
		default:
			return
		}
	}
	t.Fatal("no goroutine ran on the main thread")
}
