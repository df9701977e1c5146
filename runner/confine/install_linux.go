package confine

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
)

// The offsets of the fields of struct seccomp_data.
const (
	NumberAt = 0 // the number of the call
	ArchAt   = 4 // the architecture
	ArgsAt   = 16
)

// X32 is the lowest number of the calls of x32, which shares the architecture of amd64 but
// has its own table of calls.
const X32 = 1 << 30

// Begin returns the beginning of a filter. It loads the number of the call. Calls of another
// architecture than Architecture, and those of x32, get the answer other.
func Begin(other uint32) []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: ArchAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: Architecture, SkipTrue: 1},
		bpf.RetConstant{Val: other},
		bpf.LoadAbsolute{Off: NumberAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: X32, SkipTrue: 1},
		bpf.RetConstant{Val: other},
	}
}

// Install installs a filter for the calling thread and every process that it starts, or for all threads with
// SECCOMP_FILTER_FLAG_TSYNC. It returns the result of the system call. PR_SET_NO_NEW_PRIVS must be set.
func Install(filter []bpf.Instruction, flags uintptr) (uintptr, error) {
	program, err := bpf.Assemble(filter)
	if err != nil {
		return 0, fmt.Errorf("seccomp: %w", err)
	}
	raw := make([]unix.SockFilter, len(program))
	for i, in := range program {
		raw[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	prog := unix.SockFprog{Len: uint16(len(raw)), Filter: &raw[0]}
	result, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog))) //nolint:gosec // the call takes an address
	runtime.KeepAlive(raw)
	if errno != 0 {
		return 0, fmt.Errorf("seccomp: %w", errno)
	}
	return result, nil
}

// restrict installs a filter. The result is part, with what the filter does or why there is none.
func restrict(part toolscript.Confinement, filter []bpf.Instruction, flags uintptr, detail string) (toolscript.Confinement, error) {
	stuck, err := Install(filter, flags)
	switch {
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		part.Detail = "this kernel filters no system calls; Linux 3.17 and newer do, unless built without"
		return part, nil
	case err != nil:
		return part, err
	case stuck != 0:
		return part, fmt.Errorf("seccomp: thread %d has a filter of its own", stuck)
	}
	part.Active, part.Detail = true, detail
	return part, nil
}
