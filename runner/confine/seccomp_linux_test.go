package confine_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
)

const lockCommand = "__lock"

// TestMain makes the test binary confine itself if its first argument says so.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == lockCommand {
		os.Exit(lockAndWork())
	}
	os.Exit(m.Run())
}

// TestGoRunsUnderTheFilter checks that threads, timers, garbage collections and
// pipes work in a confined process, and that it cannot open files.
func TestGoRunsUnderTheFilter(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), self, lockCommand).CombinedOutput()
	if err != nil || string(out) != "worked\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

func lockAndWork() int {
	var pipes [20][2]*os.File // opened before, because a confined process cannot open pipes
	for i := range pipes {
		var err error
		if pipes[i][0], pipes[i][1], err = os.Pipe(); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	runtime.LockOSThread() // both system calls must apply to one thread
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fmt.Println(err)
		return 1
	}
	part, err := confine.Seccomp()
	if err != nil || !part.Active {
		fmt.Println(part, err)
		return 1
	}
	if _, err := os.ReadFile("/etc/passwd"); !os.IsPermission(err) {
		fmt.Println("a file was read:", err)
		return 1
	}
	return work(pipes[:])
}

// work starts a goroutine for each pipe that waits for the pipe, uses a timer and produces garbage.
func work(pipes [][2]*os.File) int {
	done := make(chan error)
	for _, pipe := range pipes {
		r, w := pipe[0], pipe[1]
		go func() {
			go func() {
				time.Sleep(time.Millisecond)
				_, _ = w.Write(make([]byte, 1<<10))
				_ = w.Close()
			}()
			for garbage := make([][]byte, 0, 100); len(garbage) < cap(garbage); {
				garbage = append(garbage, make([]byte, 1<<16))
			}
			_, err := r.Read(make([]byte, 1))
			done <- err
		}()
	}
	for range pipes {
		if err := <-done; err != nil {
			fmt.Println(err)
			return 1
		}
	}
	fmt.Println("worked")
	return 0
}
