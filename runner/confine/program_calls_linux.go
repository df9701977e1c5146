package confine

import (
	"maps"

	"golang.org/x/sys/unix"
)

// This file has the tables of system calls in which restricted programs differ from others.

// A Group is a group of system calls that only some programs may make, or a union of groups.
type Group uint

// The groups.
const (
	// Tracing gives access to other processes. Landlock limits it to processes of the program.
	Tracing Group = 1 << iota
	// Owners changes the owners of files, which Landlock cannot restrict.
	Owners
	// Properties changes the modes and times of files, which Landlock cannot restrict. A
	// confined.Gate limits it to some folders.
	Properties
	// Watching reports changes in a folder with the names of its files, which Landlock cannot
	// restrict. A confined.Gate limits it to some folders.
	Watching
	// Listening listens on a socket. This works without bind, which is all that Landlock restricts.
	Listening
)

// groups maps each Group to its system calls and their names.
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

// System calls that package unix does not define. Their numbers are the same on all architectures.
const (
	Fchmodat2     = 452
	setxattrat    = 463
	removexattrat = 466
	openTreeAttr  = 467
	fileSetattr   = 469
)

// newest is the number of the newest call that these tables take into account. Newer calls fail
// for restricted programs as on an older kernel.
const newest = 471

// refusedToAll lists the calls that no restricted program may make.
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

// changesOfAttributes lists calls that Landlock cannot restrict. They fail as on a file
// system without attributes, so programs such as install change the mode instead.
var changesOfAttributes = map[uint32]string{
	unix.SYS_SETXATTR: "setxattr", unix.SYS_LSETXATTR: "lsetxattr", unix.SYS_FSETXATTR: "fsetxattr", setxattrat: "setxattrat",
	unix.SYS_REMOVEXATTR: "removexattr", unix.SYS_LREMOVEXATTR: "lremovexattr", unix.SYS_FREMOVEXATTR: "fremovexattr", removexattrat: "removexattrat",
	fileSetattr: "file_setattr",
}

// missing lists calls that fail with ENOSYS. Programs then fall back to other calls, which a filter can check.
var missing = []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// own means the calling process or thread in the arguments of a call.
const own = 0

// limitedToAll lists calls that restricted programs may only make with certain arguments.
var limitedToAll = []limit{
	{unix.SYS_CLONE, []check{without(0, namespaces)}},
	// A connected pair of datagram sockets could send to sockets with a path.
	{unix.SYS_SOCKETPAIR, []check{{1, socketKind, []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}}}},
	// With a limit of CPU time, a program could make the kernel kill another process.
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

// limitedSockets lists the further limits for each kind of Sockets.
var limitedSockets = map[Sockets][]limit{
	NoSockets: {{unix.SYS_SOCKET, []check{is(0)}}},
	ProxyOnly: {
		{unix.SYS_SOCKET, []check{is(0, unix.AF_INET, unix.AF_INET6), {1, socketKind, []uint32{unix.SOCK_STREAM}}, is(2, 0, unix.IPPROTO_TCP)}},
		// Landlock does not check a connection with data in its first packet.
		{unix.SYS_SENDTO, []check{without(3, unix.MSG_FASTOPEN)}},
		{unix.SYS_SENDMSG, []check{without(2, unix.MSG_FASTOPEN)}},
		{unix.SYS_SENDMMSG, []check{without(3, unix.MSG_FASTOPEN)}},
	},
	Internet: {{unix.SYS_SOCKET, []check{is(0, unix.AF_INET, unix.AF_INET6)}}},
}

// routes lists socket options, as level and option, with which packets to the proxy could be
// sent to another host: through a source route or another network device.
var routes = [][2]uint32{
	{unix.IPPROTO_IP, unix.IP_OPTIONS}, {unix.IPPROTO_IP, unix.IP_UNICAST_IF},
	{unix.SOL_SOCKET, unix.SO_BINDTODEVICE}, {unix.SOL_SOCKET, unix.SO_BINDTOIFINDEX},
}

// input lists the ioctls that put characters into the input of a terminal.
var input = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// fileSystems lists the types of ioctls, in bits 8 to 15 of their numbers, that change files and
// file systems: flags such as "immutable", keys, verity, and the subvolumes of Btrfs. Most of them
// work on a descriptor that is only open for reading, so Landlock does not prevent them.
var fileSystems = []uint32{'f' << 8, 'v' << 8, 'X' << 8, 0x94 << 8}

const kindOfControl = 0xff00

// harmlessControls lists the ioctls of fileSystems that only read, or need a descriptor open for writing.
var harmlessControls = []uint32{
	unix.FS_IOC_GETFLAGS, 0x80087601 /* FS_IOC_GETVERSION */, 0x801c581f /* FS_IOC_FSGETXATTR */, 0xc020660b, /* FS_IOC_FIEMAP */
	unix.FICLONE, unix.FICLONERANGE, unix.FIDEDUPERANGE, 0x81009431, /* FS_IOC_GETFSLABEL */
}

// RefusedToServers returns the names of the system calls that fail for every confined server.
func RefusedToServers() map[uint32]string {
	return with(refusedToAll, groups[Tracing], groups[Owners], groups[Listening])
}

// WithoutEffect returns the names of the system calls that fail for every restricted program in the same
// way as on a file system without attributes.
func WithoutEffect() map[uint32]string { return maps.Clone(changesOfAttributes) }

// ChangesOfModes returns the names of the system calls that change the modes of files.
func ChangesOfModes() map[uint32]string { return with(modesHere, modes) }

// ChangesOfTimes returns the names of the system calls that change the times of files.
func ChangesOfTimes() map[uint32]string { return with(timesHere, times) }

func with(all ...map[uint32]string) map[uint32]string {
	out := map[uint32]string{}
	for _, names := range all {
		maps.Copy(out, names)
	}
	return out
}
