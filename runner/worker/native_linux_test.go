package worker_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An attempt is an action of code that has escaped from the engine. It must fail.
type attempt struct {
	name string
	try  func() error
}

// call returns an attempt that makes a system call and ignores its result.
func call(number uintptr, args ...uintptr) func() error {
	return func() error {
		var a [6]uintptr
		copy(a[:], args)
		if _, _, errno := unix.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
			return errno
		}
		return nil
	}
}

func text(s string) uintptr {
	b, _ := unix.BytePtrFromString(s) // s contains no zero byte
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(b))
}

// kept keeps memory alive whose addresses are passed to system calls.
var kept []*byte

func buffer() uintptr {
	b := new([4096]byte)
	kept = append(kept, &b[0])
	return uintptr(unsafe.Pointer(b))
}

func open(path string) func() error {
	return func() error {
		f, err := os.Open(path)
		if err == nil {
			_ = f.Close()
		}
		return err
	}
}

func dial(network, address string) func() error {
	return func() error {
		c, err := net.Dial(network, address)
		if err == nil {
			_ = c.Close()
		}
		return err
	}
}

func listen(network, address string) func() error {
	return func() error {
		l, err := net.Listen(network, address)
		if err == nil {
			_ = l.Close()
		}
		return err
	}
}

// attempts returns the attempts of a worker whose gateway has the given process id.
func attempts(gateway int) []attempt {
	const here = ^uintptr(99) // AT_FDCWD
	parent, memory := uintptr(gateway), buffer()
	return []attempt{
		{"open a file", open("/etc/passwd")},
		{"open its own program", open("/proc/self/exe")},
		{"open /proc of the gateway", open(fmt.Sprintf("/proc/%d/environ", gateway))},
		{"open the gateway's memory", open(fmt.Sprintf("/proc/%d/mem", gateway))},
		{"read a folder", func() error { _, err := os.ReadDir("/"); return err }},
		{"glob /proc", func() error { _, err := os.ReadDir("/proc"); return err }},
		{"stat a file", func() error { _, err := os.Stat("/etc/passwd"); return err }},
		{"statx a file", call(unix.SYS_STATX, here, text("/etc/passwd"), 0, unix.STATX_SIZE, memory)},
		{"create a file", func() error { return os.WriteFile(filepath.Join(os.TempDir(), "toolscript-escape"), nil, 0o600) }},
		{"make a folder", func() error { return os.Mkdir(filepath.Join(os.TempDir(), "toolscript-escape"), 0o700) }},
		{"remove a file", func() error { return os.Remove("/tmp/toolscript-nothing") }},
		{"read a link", func() error { _, err := os.Readlink("/proc/self/exe"); return err }},
		{"change the folder", func() error { return os.Chdir("/tmp") }},
		{"open by handle", call(unix.SYS_OPEN_BY_HANDLE_AT, here, memory, 0)},
		{"openat2", call(unix.SYS_OPENAT2, here, text("/etc/passwd"), memory, 24)},
		{"watch files", call(unix.SYS_INOTIFY_INIT1, 0)},

		{"dial TCP", dial("tcp", "127.0.0.1:1")},
		{"dial UDP", dial("udp", "127.0.0.1:53")},
		{"dial a socket file", dial("unix", "/var/run/docker.sock")},
		{"dial an abstract socket", dial("unix", "@toolscript")},
		{"listen on TCP", listen("tcp", "127.0.0.1:0")},
		{"listen on a socket file", listen("unix", "/tmp/toolscript-escape")},
		{"resolve a name", resolve},
		{"multipath TCP", call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)},
		{"netlink", call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, 0)},
		{"packets", call(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW, 0)},
		{"virtual machine sockets", call(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
		{"pair of sockets", call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM, 0, memory)},
		{"pass a descriptor to the gateway", call(unix.SYS_SENDMSG, 4, memory, 0)},
		{"pipe", newPipe},
		{"another poller", newPoller},
		{"event", newEvent},
		{"write from several places", call(unix.SYS_WRITEV, 4, memory, 1)},
		{"read to several places", call(unix.SYS_READV, 3, memory, 1)},
		{"take a descriptor", call(unix.SYS_RECVMSG, 3, memory, 0)},

		{"run a program", func() error { return exec.Command("/bin/true").Run() }},
		{"fork", fork},
		{"clone3", call(unix.SYS_CLONE3, memory, 88)},
		{"become a program", func() error { return unix.Exec("/bin/true", []string{"true"}, nil) }},
		{"file in memory", call(unix.SYS_MEMFD_CREATE, text("x"), 0)},
		{"become a file in memory", call(unix.SYS_EXECVEAT, 5, text(""), 0, 0, unix.AT_EMPTY_PATH)},
		{"memory that can be executed", call(unix.SYS_MMAP, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON, ^uintptr(0), 0)},
		{"make memory executable", call(unix.SYS_MPROTECT, memory&^4095, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC)},
		{"the same with a key", call(unix.SYS_PKEY_MPROTECT, memory&^4095, 4096, unix.PROT_EXEC, ^uintptr(0))},
		{"implied execution", call(unix.SYS_PERSONALITY, 0x0400000)},

		{"kill the gateway", call(unix.SYS_KILL, parent, 0)},
		{"kill all", call(unix.SYS_KILL, ^uintptr(0), 0)},
		{"kill a thread of the gateway", call(unix.SYS_TGKILL, parent, parent, 0)},
		{"tkill", call(unix.SYS_TKILL, parent, 0)},
		{"queue a signal", call(unix.SYS_RT_SIGQUEUEINFO, parent, 0, memory)},
		{"have the kernel send a signal", call(unix.SYS_FCNTL, 2, unix.F_SETOWN, parent)},
		{"choose that signal", call(unix.SYS_FCNTL, 2, unix.F_SETSIG, uintptr(unix.SIGKILL))},
		{"pidfd", call(unix.SYS_PIDFD_OPEN, parent, 0)},
		{"trace the gateway", call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, parent)},
		{"read the gateway's memory", call(unix.SYS_PROCESS_VM_READV, parent, memory, 1, memory, 1, 0)},
		{"write the gateway's memory", call(unix.SYS_PROCESS_VM_WRITEV, parent, memory, 1, memory, 1, 0)},
		{"limits of the gateway", call(unix.SYS_PRLIMIT64, parent, unix.RLIMIT_NOFILE, 0, memory)},
		{"its own limits", call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, 0, memory)},
		{"priority of the gateway", call(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, parent, 19)},
		{"join another group", call(unix.SYS_SETPGID, 0, parent)},
		{"new session", call(unix.SYS_SETSID)},

		{"io_uring", call(unix.SYS_IO_URING_SETUP, 8, memory)},
		{"ioctl", call(unix.SYS_IOCTL, 2, unix.TIOCSTI, memory)},
		{"mount", call(unix.SYS_MOUNT, text("none"), text("/tmp"), text("tmpfs"), 0, 0)},
		{"chroot", call(unix.SYS_CHROOT, text("/"))},
		{"unshare", call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)},
		{"enter a namespace", call(unix.SYS_SETNS, 0, 0)},
		{"bpf", call(unix.SYS_BPF, 0, memory, 72)},
		{"perf events", call(unix.SYS_PERF_EVENT_OPEN, memory, 0, ^uintptr(0), ^uintptr(0), 0)},
		{"userfaultfd", call(unix.SYS_USERFAULTFD, 0)},
		{"become somebody", call(unix.SYS_SETUID, 65534)},
		{"change groups", call(unix.SYS_SETGROUPS, 0, 0)},
		{"capabilities", call(unix.SYS_CAPSET, memory, memory)},
		{"be traceable again", call(unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1)},
		{"outlive a parent", call(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, 0)},
		{"keys", call(unix.SYS_KEYCTL, 0, 0, 0)},
		{"add a key", call(unix.SYS_ADD_KEY, text("user"), text("x"), memory, 1, ^uintptr(2))},
		{"shared memory", call(unix.SYS_SHMGET, 0, 4096, 0o1600)},
		{"message queue", call(unix.SYS_MSGGET, 0, 0o1600)},
		{"kernel log", call(unix.SYS_SYSLOG, 3, memory, 4096)},
		{"kernel module", call(unix.SYS_INIT_MODULE, memory, 1, text(""))},
		{"restart the machine", call(unix.SYS_REBOOT, 0, 0, 0, 0)},
		{"name of the machine", call(unix.SYS_UNAME, memory)},
		{"another filter", call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, memory)},
		{"copy a descriptor of the gateway", call(unix.SYS_PIDFD_GETFD, 4, 0, 0)},
	}
}

func newPipe() error {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	return errors.Join(unix.Close(fds[0]), unix.Close(fds[1]))
}

func newPoller() error {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func newEvent() error {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// resolve queries a name server with Go's resolver, because the C library hides the
// cause of a failure.
func resolve() error {
	_, err := (&net.Resolver{PreferGo: true}).LookupHost(context.Background(), "toolscript.invalid")
	return err
}

// fork ends the child process at once, so that only one process continues the test.
func fork() error {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		unix.Exit(0)
	}
	_, err := unix.Wait4(int(pid), nil, 0, nil)
	return err
}

// before is the state that a worker can see before it is confined.
type before struct {
	descriptors map[int]string
	gateway     int
}

func look() any {
	open := map[int]string{}
	for fd := range 64 {
		if target, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil {
			open[fd] = target
		}
	}
	return before{open, os.Getppid()}
}

// findings is the result of the attack.
type findings struct {
	Descriptors map[int]string    // open before the confinement
	Later       []int             // open at the end
	Failed      map[string]string // error by attempt; "" means that it succeeded
}

func attack(seen any) any {
	known := seen.(before)
	found := findings{Descriptors: known.descriptors, Failed: map[string]string{}}
	for _, a := range attempts(known.gateway) {
		found.Failed[a.name] = ""
		if err := a.try(); err != nil {
			found.Failed[a.name] = err.Error()
		}
	}
	for fd := range 64 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
			found.Later = append(found.Later, fd)
		}
	}
	return found
}

// foreign makes a system call with the number of another architecture.
func foreign(any) any {
	_, _, errno := unix.RawSyscall(unix.SYS_GETPID|1<<30, 0, 0, 0)
	return errno.Error()
}
