package confine

import (
	"fmt"
	"os"
	"runtime"

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
	return restrict(part, instructions(uint32(os.Getpid())), unix.SECCOMP_FILTER_FLAG_TSYNC,
		fmt.Sprintf("%d system calls of %s allowed, %d of them only with some arguments", len(allowed)+len(limited), runtime.GOARCH, len(limited)))
}
