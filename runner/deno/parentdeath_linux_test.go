package deno

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// MainThreadCommand makes the test binary carry out TryMainThread.
const MainThreadCommand = "try-main-thread"

// TestTheMainThreadIsNeverRestricted uses a new process: in this one, another test may occupy
// the main thread.
func TestTheMainThreadIsNeverRestricted(t *testing.T) {
	if out, err := exec.CommandContext(t.Context(), os.Args[0], MainThreadCommand).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TryMainThread starts goroutines until one runs on the main thread. From there, onOwnThread
// must use another thread.
func TryMainThread() error {
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
			return errors.New("the main thread was used")
		default:
			return nil
		}
	}
	return errors.New("no goroutine ran on the main thread")
}
