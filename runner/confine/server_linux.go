package confine

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript"
)

// ServerRules are what a server may do beyond what all confined servers may.
type ServerRules struct {
	TCP   bool // it may create TCP sockets; Landlock says which ports they reach
	Modes bool // it may change the modes of files
}

// Server takes system calls from the calling thread, and from every process that it starts,
// that lead past Landlock: to other processes, to sockets that Landlock does not know, to
// namespaces and to the settings of the kernel. All other calls stay. The caller has locked
// the goroutine to the thread and has set PR_SET_NO_NEW_PRIVS.
func Server(r ServerRules) (toolscript.Confinement, error) {
	part := toolscript.Confinement{Name: seccompName}
	if architecture == 0 {
		part.Detail = "there is no filter of system calls for " + runtime.GOARCH + " yet"
		return part, nil
	}
	program, err := bpf.Assemble(serverInstructions(r))
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
	part.Active, part.Detail = true, fmt.Sprintf("%d system calls refused", len(refusedToServers)+len(changesOfAttributes)+len(changesOfFiles))
	return part, nil
}

// refusedToServers are calls that no server needs for its work, with their names.
var refusedToServers = with(refusedToServersHere, map[uint32]string{
	// Other processes.
	unix.SYS_PTRACE: "ptrace", unix.SYS_PROCESS_VM_READV: "process_vm_readv", unix.SYS_PROCESS_VM_WRITEV: "process_vm_writev", unix.SYS_PROCESS_MADVISE: "process_madvise", unix.SYS_PROCESS_MRELEASE: "process_mrelease",
	unix.SYS_KCMP: "kcmp", unix.SYS_PIDFD_GETFD: "pidfd_getfd", unix.SYS_PERF_EVENT_OPEN: "perf_event_open", unix.SYS_MIGRATE_PAGES: "migrate_pages", unix.SYS_MOVE_PAGES: "move_pages",
	// Namespaces and file systems.
	unix.SYS_UNSHARE: "unshare", unix.SYS_SETNS: "setns", unix.SYS_CHROOT: "chroot", unix.SYS_PIVOT_ROOT: "pivot_root", unix.SYS_MOUNT: "mount", unix.SYS_UMOUNT2: "umount2", unix.SYS_MOVE_MOUNT: "move_mount",
	unix.SYS_OPEN_TREE: "open_tree", unix.SYS_FSOPEN: "fsopen", unix.SYS_FSCONFIG: "fsconfig", unix.SYS_FSMOUNT: "fsmount", unix.SYS_FSPICK: "fspick", unix.SYS_MOUNT_SETATTR: "mount_setattr",
	unix.SYS_SWAPON: "swapon", unix.SYS_SWAPOFF: "swapoff", unix.SYS_QUOTACTL: "quotactl", unix.SYS_QUOTACTL_FD: "quotactl_fd", unix.SYS_ACCT: "acct",
	unix.SYS_NAME_TO_HANDLE_AT: "name_to_handle_at", unix.SYS_OPEN_BY_HANDLE_AT: "open_by_handle_at", unix.SYS_FANOTIFY_INIT: "fanotify_init",
	// The kernel.
	unix.SYS_BPF: "bpf", unix.SYS_USERFAULTFD: "userfaultfd", unix.SYS_KEXEC_LOAD: "kexec_load", unix.SYS_INIT_MODULE: "init_module", unix.SYS_FINIT_MODULE: "finit_module", unix.SYS_DELETE_MODULE: "delete_module",
	unix.SYS_REBOOT: "reboot", unix.SYS_SETHOSTNAME: "sethostname", unix.SYS_SETDOMAINNAME: "setdomainname", unix.SYS_SETTIMEOFDAY: "settimeofday", unix.SYS_CLOCK_SETTIME: "clock_settime", unix.SYS_CLOCK_ADJTIME: "clock_adjtime",
	unix.SYS_ADJTIMEX: "adjtimex", unix.SYS_SYSLOG: "syslog", unix.SYS_VHANGUP: "vhangup",
	// Keys of the user.
	unix.SYS_ADD_KEY: "add_key", unix.SYS_REQUEST_KEY: "request_key", unix.SYS_KEYCTL: "keyctl",
	// System V and POSIX queues and memory have no names in the file system.
	unix.SYS_SHMGET: "shmget", unix.SYS_SHMAT: "shmat", unix.SYS_SHMCTL: "shmctl", unix.SYS_MSGGET: "msgget", unix.SYS_MSGSND: "msgsnd", unix.SYS_MSGRCV: "msgrcv", unix.SYS_MSGCTL: "msgctl",
	unix.SYS_SEMGET: "semget", unix.SYS_SEMOP: "semop", unix.SYS_SEMTIMEDOP: "semtimedop", unix.SYS_SEMCTL: "semctl", unix.SYS_MQ_OPEN: "mq_open", unix.SYS_MQ_UNLINK: "mq_unlink",
	// Landlock knows bind, which listen does not need. Programs with a proxy only connect.
	unix.SYS_LISTEN: "listen",
	// Landlock does not know owners.
	unix.SYS_FCHOWN: "fchown", unix.SYS_FCHOWNAT: "fchownat",
})

// changesOfAttributes are calls that Landlock does not know. They fail as on a file system
// without attributes, so that programs such as install change the mode instead.
var changesOfAttributes = map[uint32]string{
	unix.SYS_SETXATTR: "setxattr", unix.SYS_LSETXATTR: "lsetxattr", unix.SYS_FSETXATTR: "fsetxattr", setxattrat: "setxattrat",
	unix.SYS_REMOVEXATTR: "removexattr", unix.SYS_LREMOVEXATTR: "lremovexattr", unix.SYS_FREMOVEXATTR: "fremovexattr", removexattrat: "removexattrat",
}

// RefusedToServers are the names of the system calls that fail for every confined server.
func RefusedToServers() map[uint32]string { return maps.Clone(refusedToServers) }

// WithoutEffectForServers are the names of the system calls that fail for every confined
// server as on a file system without attributes.
func WithoutEffectForServers() map[uint32]string { return maps.Clone(changesOfAttributes) }

func with(all ...map[uint32]string) map[uint32]string {
	out := map[uint32]string{}
	for _, names := range all {
		maps.Copy(out, names)
	}
	return out
}

// changesOfFiles are calls that change modes, which Landlock does not know.
var changesOfFiles = append([]uint32{unix.SYS_FCHMOD, unix.SYS_FCHMODAT, Fchmodat2}, changesOfFilesHere...)

// ChangesOfModes are the system calls that change the modes of files.
func ChangesOfModes() []uint32 { return changesOfFiles }

// Calls that package unix does not have. Their numbers are those of all architectures.
const (
	Fchmodat2     = 452
	setxattrat    = 463
	removexattrat = 466
)

// missingToServers are calls that programs replace by others if the kernel does not have them.
var missingToServers = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// The kinds of sockets are in the lower bits of the type.
const socketKind = 0xf

func serverInstructions(r ServerRules) []bpf.Instruction {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: architecture, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
		bpf.LoadAbsolute{Off: numberAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		bpf.RetConstant{Val: kill},
	}
	answer := func(calls []uint32, with uint32) {
		for _, call := range calls {
			program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1}, bpf.RetConstant{Val: with})
		}
	}
	answer(missingToServers, unknown)
	answer(slices.Sorted(maps.Keys(refusedToServers)), refuse)
	answer(slices.Sorted(maps.Keys(changesOfAttributes)), unix.SECCOMP_RET_ERRNO|uint32(unix.EOPNOTSUPP))
	if !r.Modes {
		answer(changesOfFiles, refuse)
	}
	limits := []limit{
		{unix.SYS_CLONE, []check{without(0, namespaces)}},
		// A connected pair of datagram sockets could send to sockets with a path.
		{unix.SYS_SOCKETPAIR, []check{{1, socketKind, []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}}}},
		{unix.SYS_PRLIMIT64, []check{is(0, 0)}}, // its own
	}
	if r.TCP {
		limits = append(limits, limit{unix.SYS_SOCKET, []check{
			is(0, unix.AF_INET, unix.AF_INET6), {1, socketKind, []uint32{unix.SOCK_STREAM}}, is(2, 0, unix.IPPROTO_TCP),
		}})
	} else {
		answer([]uint32{unix.SYS_SOCKET}, refuse)
	}
	// A connection with data in its first packet passes Landlock by.
	limits = append(limits, limit{unix.SYS_SENDTO, []check{without(3, unix.MSG_FASTOPEN)}}, limit{unix.SYS_SENDMSG, []check{without(2, unix.MSG_FASTOPEN)}},
		limit{unix.SYS_SENDMMSG, []check{without(3, unix.MSG_FASTOPEN)}})
	program = append(program, withoutRoutes()...)
	for _, l := range limits {
		body := l.body(0)
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: l.call, SkipTrue: uint8(len(body))})
		program = append(program, body...)
	}
	return append(program, bpf.RetConstant{Val: allow})
}

// routes are options of sockets, by their levels, that have packets to the proxy sent to
// another host: to one that the sender names, or out of another device.
var routes = [][2]uint32{
	{unix.IPPROTO_IP, unix.IP_OPTIONS}, {unix.IPPROTO_IP, unix.IP_UNICAST_IF},
	{unix.SOL_SOCKET, unix.SO_BINDTODEVICE}, {unix.SOL_SOCKET, unix.SO_BINDTOIFINDEX},
}

// withoutRoutes refuses to set one of routes.
func withoutRoutes() []bpf.Instruction {
	const level, option = 1, 2
	var body []bpf.Instruction
	for _, r := range routes {
		body = append(body,
			bpf.LoadAbsolute{Off: argsAt + 8*level, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: r[0], SkipTrue: 3},
			bpf.LoadAbsolute{Off: argsAt + 8*option, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: r[1], SkipTrue: 1},
			bpf.RetConstant{Val: refuse})
	}
	body = append(body, bpf.RetConstant{Val: allow})
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_SETSOCKOPT, SkipTrue: uint8(len(body))}}, body...)
}

// FiltersServers reports whether Server has a filter for this machine.
func FiltersServers() bool {
	if architecture == 0 {
		return false
	}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action))) //nolint:gosec // the call takes an address
	return errno == 0
}
