package confine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
)

// Seccomp limits all threads of this process to the system calls that a running Go program
// needs: reading and writing open descriptors, memory that is not executable, threads,
// clocks. Other calls fail with EPERM, clone3 with ENOSYS. A call of another architecture
// kills the process with SIGSYS. PR_SET_NO_NEW_PRIVS must be set.
func Seccomp() (toolscript.Confinement, error) {
	part := toolscript.Confinement{Name: seccompName}
	if len(allowed) == 0 {
		part.Detail = "there is no list of system calls for " + runtime.GOARCH + " yet"
		return part, nil
	}
	program, err := filter(uint32(os.Getpid()))
	if err != nil {
		return part, fmt.Errorf("seccomp: %w", err)
	}
	switch err := install(program); {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		part.Detail = "this kernel filters no system calls; Linux 3.17 and newer do, unless built without"
		return part, nil
	case err != nil:
		return part, fmt.Errorf("seccomp: %w", err)
	}
	part.Active = true
	part.Detail = fmt.Sprintf("%d system calls of %s allowed, %d of them only with some arguments", len(allowed)+len(limited), runtime.GOARCH, len(limited))
	return part, nil
}

// install installs the filter in all threads at once.
func install(program []bpf.RawInstruction) error {
	filters := rawFilters(program)
	prog := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	stuck, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog))) //nolint:gosec // the call takes an address
	runtime.KeepAlive(filters)
	if errno != 0 {
		return errno
	}
	if stuck != 0 {
		return fmt.Errorf("thread %d has a filter of its own", stuck)
	}
	return nil
}

// rawFilters converts a program to the types of the kernel.
func rawFilters(program []bpf.RawInstruction) []unix.SockFilter {
	filters := make([]unix.SockFilter, len(program))
	for i, in := range program {
		filters[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	return filters
}
