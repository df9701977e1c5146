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

// Sockets says which sockets a program may create.
type Sockets int

// The values of Sockets. No value allows sockets with a path or an abstract name: the sockets of
// containers, keyrings, terminals and the session bus lead to programs that are not confined.
const (
	NoSockets Sockets = iota
	ProxyOnly         // TCP sockets that connect; Landlock and a confined.Gate limit the targets
	Internet          // every socket of IPv4 and IPv6
)

// Rules say what a program may do beyond what all restricted programs may.
type Rules struct {
	Sockets Sockets
	Allowed Group
}

// Program makes system calls that Landlock does not restrict fail for the calling thread and
// every process that it starts: calls for other processes, for sockets, namespaces,
// properties of files and settings of the kernel. It allows all other known calls. The caller
// must have locked the goroutine to the thread and set PR_SET_NO_NEW_PRIVS.
func Program(r Rules) (toolscript.Confinement, error) {
	part := toolscript.Confinement{Name: callsName}
	if architecture == 0 {
		part.Detail = "there is no filter of system calls for " + runtime.GOARCH + " yet"
		return part, nil
	}
	program, err := bpf.Assemble(r.instructions())
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
	part.Active, part.Detail = true, fmt.Sprintf("%d system calls refused", len(r.refused())+len(changesOfAttributes)+len(missing))
	return part, nil
}

// FiltersPrograms reports whether Program works on this machine.
func FiltersPrograms() bool {
	if architecture == 0 {
		return false
	}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))) //nolint:gosec // the call takes an address
	return errno == 0
}
