package confined_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confined"
)

// Kernels of the tests, named by what they lack.
const (
	withoutLandlock     = "without Landlock"
	withoutNotification = "without user notification"
)

// age executes a program under a filter that answers like a kernel that lacks something.
func age(kernel string, argv []string) int {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	const number, firstFlags, jump, load = 0, 24, unix.BPF_JMP | unix.BPF_K, unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	answer := func(errno syscall.Errno) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
	}
	allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
	filter := []unix.SockFilter{
		{Code: load, K: number},
		{Code: jump | unix.BPF_JEQ, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jf: 1},
		answer(unix.ENOSYS), allow,
	}
	if kernel == withoutNotification {
		filter = []unix.SockFilter{
			{Code: load, K: number},
			{Code: jump | unix.BPF_JEQ, K: unix.SYS_SECCOMP, Jf: 3},
			{Code: load, K: firstFlags},
			{Code: jump | unix.BPF_JSET, K: unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, Jf: 1},
			answer(unix.EINVAL), allow,
		}
	}
	env := os.Environ()
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Fprintln(os.Stderr, syscall.Exec(argv[0], argv, env))
	return 1
}

// TestOldKernels: if a part of the confinement is missing, the other parts still hold.
func TestOldKernels(t *testing.T) {
	for kernel, open := range map[string][]string{
		withoutLandlock:     {"read a file", "create a file", "signal a process"},
		withoutNotification: {"another host", "another host from a child", "another host by IPv6"},
	} {
		s := newScene(t)
		s.kernel, s.Harmless = kernel, true
		gate := kernel != withoutNotification // without notification, GateMissing reports that no gate is possible
		names, _ := reached(t, s.run(t, "attack", &confined.Spec{Port: uint16(s.Port), Gate: gate}))
		for _, name := range open {
			if !slices.Contains(names, name) {
				t.Errorf("%s: %q failed; the others are %q", kernel, name, names)
			}
		}
		for _, name := range names {
			for _, closed := range []string{"TCP", "UDP", "DNS", "unix socket", "trace", "memory", "listen", "namespace", "owner", "mode"} {
				if strings.Contains(name, closed) && name != "open its memory" && name != "shared memory" {
					t.Errorf("%s: %q succeeded", kernel, name)
				}
			}
			if kernel == withoutLandlock && strings.Contains(name, "another host") {
				t.Errorf("%s: %q succeeded", kernel, name)
			}
			if kernel == withoutNotification && strings.Contains(name, "file") {
				t.Errorf("%s: %q succeeded", kernel, name)
			}
		}
	}
}

// TestGateThatFails: a server with a gate does not start if the kernel cannot pass its connections to
// the gate.
func TestGateThatFails(t *testing.T) {
	s := newScene(t)
	s.kernel = withoutNotification
	_, problem, err := s.try(t, "attack", &confined.Spec{Port: uint16(s.Port), Gate: true})
	if err == nil || !strings.Contains(problem, "have the gateway check connections") {
		t.Errorf("%v: %s", err, problem)
	}
}
