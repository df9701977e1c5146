package worker_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
)

// These commands make the test binary a worker that runs an attacker's code in place of scripts.
const (
	nativeCommand  = "__native"
	foreignCommand = "__foreign"
)

func init() {
	testRoles[nativeCommand] = func(args []string) int { return worker.Native(args[1:], look, attack) }
	testRoles[foreignCommand] = func(args []string) int { return worker.Native(args[1:], look, foreign) }
}

// TestNativeCodeReachesNothing runs the attacker's code without an engine: the confinement by the
// system alone must stop it.
func TestNativeCodeReachesNothing(t *testing.T) {
	stray, err := unix.Open("/etc/passwd", unix.O_RDONLY, 0) // without O_CLOEXEC a child process inherits it
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

// isRefusal reports whether a failure is a refusal by the confinement, and not another error.
func isRefusal(failure string) bool {
	return slices.ContainsFunc([]error{unix.EPERM, unix.EACCES, unix.ENOSYS}, func(err error) bool {
		return strings.Contains(failure, err.Error())
	})
}

// TestAttemptsAreReal makes the harmless attempts without confinement. They must succeed; otherwise
// their failure in a worker would prove nothing.
func TestAttemptsAreReal(t *testing.T) {
	harmless := []string{
		"open a file", "open its own program", "read a folder", "stat a file", "statx a file", "read a link",
		"listen on TCP", "pair of sockets", "pipe", "another poller", "event", "run a program", "fork", "file in memory", "memory that can be executed",
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

// wantWhole fails the test if the kernel lacks a part of the confinement, and names the part: the
// tests need all parts.
func wantWhole(t *testing.T, parts []toolscript.Confinement) {
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

// wantDescriptors checks that a worker has inherited no descriptor of the gateway and
// has opened none by the end.
func wantDescriptors(t *testing.T, found findings, image bool) {
	t.Helper()
	want := []string{"/dev/null", "/dev/null", "anon_inode:[eventfd]", "anon_inode:[eventpoll]", "pipe", "pipe", "pipe", "pipe"}
	if image {
		want = append(want, "/memfd", "anon_inode:[eventpoll]") // the poller of the sandbox
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

// TestForeignCallsEndTheWorker checks that the gateway's error names the forbidden
// system call.
func TestForeignCallsEndTheWorker(t *testing.T) {
	var answer string
	_, err := worker.AskNative(t.Context(), false, worker.Options{Args: []string{foreignCommand}, CacheDir: cacheDir}, &answer)
	if err == nil || !strings.Contains(err.Error(), "forbidden system call") {
		t.Errorf("AskNative = %q, %v; want that the worker was ended for a forbidden system call", answer, err)
	}
}
