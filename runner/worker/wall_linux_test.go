package worker_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
)

// Workers that run code of an attacker instead of scripts.
const (
	nativeCommand  = "__native"
	foreignCommand = "__foreign"
)

func init() {
	disguises[nativeCommand] = func(args []string) int { return worker.Native(args[1:], look, attack) }
	disguises[foreignCommand] = func(args []string) int { return worker.Native(args[1:], look, foreign) }
}

// TestNativeCodeReachesNothing has no engine between the attacker and the
// system: the second wall alone must hold.
func TestNativeCodeReachesNothing(t *testing.T) {
	stray, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0) // passes to what is started: no O_CLOEXEC
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(stray) //nolint:errcheck // only read
	for _, role := range []string{"sandbox", "checker"} {
		t.Run(role, func(t *testing.T) {
			var found findings
			parts, err := worker.AskNative(t.Context(), role == "checker", worker.Options{Args: []string{nativeCommand}, CacheDir: cacheDir}, &found)
			if err != nil {
				t.Fatal(err)
			}
			wantWhole(t, parts)
			for name, failure := range found.Failed {
				if !isRefusal(failure) {
					t.Errorf("%s: got %q, want that it is refused", name, failure)
				}
			}
			if len(found.Failed) < 75 {
				t.Errorf("only %d attempts were made", len(found.Failed))
			}
			wantDescriptors(t, found, role == "sandbox")
		})
	}
}

// isRefusal tells what a wall answers from what fails for reasons of its own.
func isRefusal(failure string) bool {
	return slices.ContainsFunc([]error{unix.EPERM, unix.EACCES, unix.ENOSYS}, func(err error) bool {
		return strings.Contains(failure, err.Error())
	})
}

// TestAttemptsAreReal makes those attempts here, without a wall, that do no harm.
func TestAttemptsAreReal(t *testing.T) {
	harmless := []string{
		"open a file", "open its own program", "read a folder", "stat a file", "statx a file", "read a link",
		"listen on TCP", "pair of sockets", "run a program", "fork", "file in memory", "memory that can be executed",
		"have the kernel send a signal", "its own limits", "name of the machine", "watch files", "pidfd",
	}
	for _, a := range attempts(unix.Getpid()) {
		if !slices.Contains(harmless, a.name) {
			continue
		}
		if err := a.try(); err != nil {
			t.Errorf("%s fails without a wall too: %v", a.name, err)
		}
	}
}

// wantWhole fails where the kernel lacks a part, and says which: the tests need
// one that has all.
func wantWhole(t *testing.T, parts []toolscript.WallPart) {
	t.Helper()
	for _, p := range parts {
		t.Logf("%-13s %t: %s", p.Name, p.Active, p.Detail)
		if !p.Active {
			t.Errorf("%s is missing: %s", p.Name, p.Detail)
		}
	}
	if len(parts) < 8 {
		t.Errorf("the wall has %d parts: %v", len(parts), parts)
	}
}

// wantDescriptors holds what a worker has open: nothing that was open for the
// gateway, and nothing new at the end.
func wantDescriptors(t *testing.T, found findings, image bool) {
	t.Helper()
	want := []string{"/dev/null", "/dev/null", "anon_inode:[eventfd]", "anon_inode:[eventpoll]", "pipe", "pipe", "socket"}
	if image {
		want = append(want, "/memfd")
	}
	var got []string
	for fd, target := range found.Descriptors {
		kind, _, _ := strings.Cut(target, ":")
		if kind == "anon_inode" {
			kind = target
		}
		got = append(got, kind)
		if !slices.Contains(found.Later, fd) {
			t.Errorf("descriptor %d (%s) was closed", fd, target)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("open descriptors: %v, want %v", got, want)
	}
	if len(found.Later) != len(got) {
		t.Errorf("%d descriptors at the end, %d at the beginning", len(found.Later), len(got))
	}
}

// TestForeignCallsEndTheWorker: the gateway learns why it is gone.
func TestForeignCallsEndTheWorker(t *testing.T) {
	var answer string
	_, err := worker.AskNative(t.Context(), false, worker.Options{Args: []string{foreignCommand}, CacheDir: cacheDir}, &answer)
	if err == nil || !strings.Contains(err.Error(), "forbidden system call") {
		t.Errorf("AskNative = %q, %v; want that the worker was ended for a forbidden system call", answer, err)
	}
}
