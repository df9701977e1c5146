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

// Sockets makes the calling thread, and every process that it starts, unable to create
// sockets of any family. Pairs of connected sockets stay possible. io_uring could create
// sockets behind the filter, so it is refused as well. The caller has locked the
// goroutine to the thread and has set PR_SET_NO_NEW_PRIVS.
//
// Landlock does not replace this: it knows TCP only, and sockets with a path, such as
// those of containers and keyrings, lead to programs that are not confined.
func Sockets() (toolscript.Confinement, error) {
	part := toolscript.Confinement{Name: socketsName}
	if architecture == 0 {
		part.Detail = "there is no filter of system calls for " + runtime.GOARCH + " yet"
		return part, nil
	}
	program, err := bpf.Assemble(socketInstructions())
	if err != nil {
		return part, fmt.Errorf("seccomp: %w", err)
	}
	filters := rawFilters(program)
	prog := unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))) //nolint:gosec // the call takes an address
	runtime.KeepAlive(filters)
	switch {
	case errors.Is(errno, unix.ENOSYS), errors.Is(errno, unix.EINVAL):
		part.Detail = "this kernel filters no system calls; Linux 3.17 and newer do, unless built without"
		return part, nil
	case errno != 0:
		return part, fmt.Errorf("seccomp: %w", errno)
	}
	part.Active, part.Detail = true, "no sockets can be created"
	return part, nil
}

func socketInstructions() []bpf.Instruction {
	return []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: architecture, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		bpf.LoadAbsolute{Off: numberAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_IO_URING_SETUP, SkipTrue: 1},
		bpf.RetConstant{Val: allow},
		bpf.RetConstant{Val: refuse},
	}
}
