package confine

import (
	"maps"

	"golang.org/x/sys/unix"
)

// This file is the difference between a restricted program and a free one, as data.

// A Group are calls that only some programs may make.
type Group uint

// The groups.
const (
	// Tracing is access to other processes that Landlock limits to those of the program.
	Tracing Group = 1 << iota
	// Owners are changes of the owners of files, which Landlock does not know.
	Owners
	// Properties are changes of the modes and times of files, which Landlock does not know. A
	// gate limits them to some folders.
	Properties
	// Watching reports changes below a folder with the names of its files. Landlock does not know
	// it. A gate limits it to some folders.
	Watching
	// Listening on a socket needs no bind, which Landlock knows.
	Listening
)

// groups are the calls of the groups, with their names.
var groups = map[Group]map[uint32]string{
	Tracing: {
		unix.SYS_PTRACE: "ptrace", unix.SYS_PROCESS_VM_READV: "process_vm_readv", unix.SYS_PROCESS_VM_WRITEV: "process_vm_writev",
		unix.SYS_KCMP: "kcmp", unix.SYS_PIDFD_GETFD: "pidfd_getfd", unix.SYS_PERF_EVENT_OPEN: "perf_event_open",
	},
	Owners:     with(ownersHere, map[uint32]string{unix.SYS_FCHOWN: "fchown", unix.SYS_FCHOWNAT: "fchownat"}),
	Properties: with(modesHere, timesHere, modes, times),
	Watching:   {unix.SYS_INOTIFY_ADD_WATCH: "inotify_add_watch"},
	Listening:  {unix.SYS_LISTEN: "listen"},
}

var (
	modes = map[uint32]string{unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat", Fchmodat2: "fchmodat2"}
	times = map[uint32]string{unix.SYS_UTIMENSAT: "utimensat"}
)

// Calls that package unix does not have. Their numbers are those of all architectures.
const (
	Fchmodat2     = 452
	setxattrat    = 463
	removexattrat = 466
	openTreeAttr  = 467
	fileSetattr   = 469
)

// newest is the number of the newest call that was looked at for these tables. Newer ones are
// missing to restricted programs, as on an older kernel.
const newest = 471

// refusedToAll are calls that no restricted program may make.
var refusedToAll = with(refusedHere, map[uint32]string{
	// Other processes.
	unix.SYS_PROCESS_MADVISE: "process_madvise", unix.SYS_PROCESS_MRELEASE: "process_mrelease", unix.SYS_MIGRATE_PAGES: "migrate_pages", unix.SYS_MOVE_PAGES: "move_pages",
	// Namespaces and file systems.
	unix.SYS_UNSHARE: "unshare", unix.SYS_SETNS: "setns", unix.SYS_CHROOT: "chroot", unix.SYS_PIVOT_ROOT: "pivot_root", unix.SYS_MOUNT: "mount", unix.SYS_UMOUNT2: "umount2", unix.SYS_MOVE_MOUNT: "move_mount",
	unix.SYS_OPEN_TREE: "open_tree", openTreeAttr: "open_tree_attr", unix.SYS_FSOPEN: "fsopen", unix.SYS_FSCONFIG: "fsconfig", unix.SYS_FSMOUNT: "fsmount", unix.SYS_FSPICK: "fspick", unix.SYS_MOUNT_SETATTR: "mount_setattr",
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
})

// changesOfAttributes are calls that Landlock does not know. They fail as on a file system
// without attributes, so that programs such as install change the mode instead.
var changesOfAttributes = map[uint32]string{
	unix.SYS_SETXATTR: "setxattr", unix.SYS_LSETXATTR: "lsetxattr", unix.SYS_FSETXATTR: "fsetxattr", setxattrat: "setxattrat",
	unix.SYS_REMOVEXATTR: "removexattr", unix.SYS_LREMOVEXATTR: "lremovexattr", unix.SYS_FREMOVEXATTR: "fremovexattr", removexattrat: "removexattrat",
	fileSetattr: "file_setattr",
}

// missing are calls that programs replace by others if the kernel does not have them.
var missing = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// own is the calling process or thread in the arguments of a call.
const own = 0

// limitedToAll are calls that restricted programs may make with certain arguments.
var limitedToAll = []limit{
	{unix.SYS_CLONE, []check{without(0, namespaces)}},
	// A connected pair of datagram sockets could send to sockets with a path.
	{unix.SYS_SOCKETPAIR, []check{{1, socketKind, []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}}}},
	// A limit of CPU time has the kernel kill the process.
	{unix.SYS_PRLIMIT64, []check{is(0, own)}},
	{unix.SYS_SETPRIORITY, []check{is(0, unix.PRIO_PROCESS), is(1, own)}},
	{unix.SYS_IOPRIO_SET, []check{is(0, ioprioProcess), is(1, own)}},
	{unix.SYS_SCHED_SETAFFINITY, []check{is(0, own)}},
	{unix.SYS_SCHED_SETSCHEDULER, []check{is(0, own)}},
	{unix.SYS_SCHED_SETPARAM, []check{is(0, own)}},
	{unix.SYS_SCHED_SETATTR, []check{is(0, own)}},
}

const (
	socketKind    = 0xf // the kinds of sockets are in the lower bits of the type
	ioprioProcess = 1   // IOPRIO_WHO_PROCESS of linux/ioprio.h
)

// limitedSockets are the limits of the kinds of sockets.
var limitedSockets = map[Sockets][]limit{
	NoSockets: {{unix.SYS_SOCKET, []check{is(0)}}},
	ProxyOnly: {
		{unix.SYS_SOCKET, []check{is(0, unix.AF_INET, unix.AF_INET6), {1, socketKind, []uint32{unix.SOCK_STREAM}}, is(2, 0, unix.IPPROTO_TCP)}},
		// A connection with data in its first packet passes Landlock by.
		{unix.SYS_SENDTO, []check{without(3, unix.MSG_FASTOPEN)}},
		{unix.SYS_SENDMSG, []check{without(2, unix.MSG_FASTOPEN)}},
		{unix.SYS_SENDMMSG, []check{without(3, unix.MSG_FASTOPEN)}},
	},
	Internet: {{unix.SYS_SOCKET, []check{is(0, unix.AF_INET, unix.AF_INET6)}}},
}

// routes are options of sockets, by their levels, that have packets to the proxy sent to
// another host: to one that the sender names, or out of another device.
var routes = [][2]uint32{
	{unix.IPPROTO_IP, unix.IP_OPTIONS}, {unix.IPPROTO_IP, unix.IP_UNICAST_IF},
	{unix.SOL_SOCKET, unix.SO_BINDTODEVICE}, {unix.SOL_SOCKET, unix.SO_BINDTOIFINDEX},
}

// input are the controls that put characters into the input of a terminal.
var input = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// fileSystems are the kinds of controls, in bits 8 to 15 of their numbers, that change files
// and file systems. Most need no descriptor that can write, so that Landlock lets them pass:
// flags such as "immutable", keys, verity, and the subvolumes of Btrfs.
var fileSystems = []uint32{'f' << 8, 'v' << 8, 'X' << 8, 0x94 << 8}

const kindOfControl = 0xff00

// harmlessControls are those of fileSystems that read, or write to an open descriptor.
var harmlessControls = []uint32{
	unix.FS_IOC_GETFLAGS, 0x80087601 /* FS_IOC_GETVERSION */, 0x801c581f /* FS_IOC_FSGETXATTR */, 0xc020660b, /* FS_IOC_FIEMAP */
	unix.FICLONE, unix.FICLONERANGE, unix.FIDEDUPERANGE, 0x81009431, /* FS_IOC_GETFSLABEL */
}

// RefusedToServers are the names of the system calls that fail for every confined server.
func RefusedToServers() map[uint32]string {
	return with(refusedToAll, groups[Tracing], groups[Owners], groups[Listening])
}

// WithoutEffect are the names of the system calls that fail for every restricted program as on
// a file system without attributes.
func WithoutEffect() map[uint32]string { return maps.Clone(changesOfAttributes) }

// ChangesOfModes are the system calls that change the modes of files.
func ChangesOfModes() map[uint32]string { return with(modesHere, modes) }

// ChangesOfTimes are the system calls that change the times of files.
func ChangesOfTimes() map[uint32]string { return with(timesHere, times) }

func with(all ...map[uint32]string) map[uint32]string {
	out := map[uint32]string{}
	for _, names := range all {
		maps.Copy(out, names)
	}
	return out
}
