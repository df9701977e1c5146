package confine

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
)

// Sockets says which sockets a program may create.
type Sockets int

// The values of Sockets. No value allows unix sockets with a path or an abstract name: through the
// sockets of containers, keyrings, terminals and the session bus, a program could make programs
// act that are not confined.
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

// Program installs a filter of system calls for the calling thread and every process that it
// starts. The filter refuses dangerous calls that Landlock does not restrict: calls about other
// processes, sockets, namespaces, properties of files and settings of the kernel. It allows all
// other known calls. The caller must have locked the goroutine to the thread and set
// PR_SET_NO_NEW_PRIVS.
func Program(r Rules) (toolscript.Confinement, error) {
	part := toolscript.Confinement{Name: callsName}
	if Architecture == 0 {
		part.Detail = "there is no filter of system calls for " + runtime.GOARCH + " yet"
		return part, nil
	}
	return restrict(part, r.instructions(), 0, fmt.Sprintf("%d system calls refused", len(r.refused())+len(changesOfAttributes)+len(missing)))
}

// FiltersPrograms reports whether Program works on this machine.
func FiltersPrograms() bool {
	if Architecture == 0 {
		return false
	}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))) //nolint:gosec // the call takes an address
	return errno == 0
}
