package confine

import "golang.org/x/sys/unix"

// Architecture is the one of the system calls that the filters know; 0: none.
const Architecture = unix.AUDIT_ARCH_AARCH64

// allowed lists the calls that are allowed with any arguments. This architecture has no call
// for thread-local variables.
var allowed = []uint32{
	unix.SYS_FUTEX, unix.SYS_READ, unix.SYS_WRITE, unix.SYS_EPOLL_PWAIT, unix.SYS_MADVISE,
	unix.SYS_NANOSLEEP, unix.SYS_SCHED_YIELD, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGPROCMASK,
	unix.SYS_GETRUSAGE, unix.SYS_CLOCK_GETTIME, unix.SYS_GETPID, unix.SYS_GETTID,

	unix.SYS_CLOSE, unix.SYS_PREAD64,
	unix.SYS_MUNMAP, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETTIMEOFDAY, unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_EPOLL_CTL,
	unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK, unix.SYS_RESTART_SYSCALL,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_GETRANDOM,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ,
}

var limitedHere []limit
