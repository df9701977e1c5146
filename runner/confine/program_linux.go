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

// Sockets are the sockets that a program may create.
type Sockets int

// The sockets of a program. None of them has a path or an abstract name: those of containers,
// keyrings, terminals and the session bus lead to programs that are not confined.
const (
	NoSockets Sockets = iota
	ProxyOnly         // TCP sockets that connect; Landlock and a gate say where to
	Internet          // every socket of IPv4 and IPv6
)

// Rules are what a program may do beyond what every restricted program may.
type Rules struct {
	Sockets Sockets
	Allowed Group
}

// Program takes system calls from the calling thread, and from every process that it starts,
// that lead past Landlock: to other processes, to sockets that Landlock does not know, to
// namespaces, to properties of files and to the settings of the kernel. All other calls stay.
// The caller has locked the goroutine to the thread and has set PR_SET_NO_NEW_PRIVS.
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

// FiltersPrograms reports whether Program has a filter for this machine.
func FiltersPrograms() bool {
	if architecture == 0 {
		return false
	}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))) //nolint:gosec // the call takes an address
	return errno == 0
}
