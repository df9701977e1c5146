package worker

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFailedStartLeavesNoDescriptors makes each step of a start fail: creating each pipe, without
// free descriptors, and starting the program.
func TestFailedStartLeavesNoDescriptors(t *testing.T) {
	before := openDescriptors(t)
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for few := uint64(0); ; few++ {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: few, Max: limit.Max}); err != nil {
			t.Fatal(err)
		}
		p, err := newPair()
		if restored := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); restored != nil {
			t.Fatal(restored)
		}
		if err == nil {
			p.closeTheirs()
			if err := p.closeOurs(); err != nil {
				t.Error(err)
			}
			break
		}
		failed++
		if after := openDescriptors(t); after != before {
			t.Errorf("%d descriptors are open after %v with a limit of %d, want %d", after, err, few, before)
		}
	}
	if failed < 6 {
		t.Errorf("%d attempts failed, want one for each descriptor", failed)
	}
	if p, err := spawn(roleSandbox, Options{Executable: "/no/such/program"}); err == nil {
		p.Close()
		t.Error("a program that does not exist was started")
	}
	if after := openDescriptors(t); after != before {
		t.Errorf("%d descriptors are open after a failed start, want %d", after, before)
	}
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
