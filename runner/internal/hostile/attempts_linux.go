package hostile

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Attempts returns actions that no restricted program may do, by name. An action returns nil if the kernel
// did it, or would have done it on another machine. Without restrictions, all actions are harmless.
func (t Target) Attempts() map[string]func() error {
	all := map[string]func() error{}
	for _, some := range []map[string]func() error{t.processes(), t.properties(), t.kernel()} {
		maps.Copy(all, some)
	}
	return all
}

// unusedUser is the id of a user without processes, whose priorities can be changed without effect.
const unusedUser = 1<<31 - 17

func (t Target) processes() map[string]func() error {
	victim := uintptr(t.Victim)
	const group, user = 2, 3 // IOPRIO_WHO_PGRP and IOPRIO_WHO_USER
	const bestEffort = 2<<13 | 7
	return map[string]func() error{
		"limit a process": func() error {
			limit := unix.Rlimit{Cur: 1 << 30, Max: 1 << 30} // one second would kill it
			return unix.Prlimit(t.Victim, unix.RLIMIT_CPU, &limit, nil)
		},
		"read a limit of a process":               func() error { return unix.Prlimit(t.Victim, unix.RLIMIT_CPU, nil, &unix.Rlimit{}) },
		"the priority of a process":               func() error { return unix.Setpriority(unix.PRIO_PROCESS, t.Victim, 19) },
		"the priority of a group":                 func() error { return found(unix.Setpriority(unix.PRIO_PGRP, t.Victim, 19)) },
		"the priority of all processes of a user": func() error { return found(unix.Setpriority(unix.PRIO_USER, unusedUser, 1)) },
		"the I/O priority of a process":           func() error { return call(unix.SYS_IOPRIO_SET, 1, victim, bestEffort) },
		"the I/O priority of a group":             func() error { return found(call(unix.SYS_IOPRIO_SET, group, victim, bestEffort)) },
		"the I/O priority of a user":              func() error { return found(call(unix.SYS_IOPRIO_SET, user, unusedUser, bestEffort)) },
		"the processors of a process": func() error {
			var set unix.CPUSet
			if err := unix.SchedGetaffinity(0, &set); err != nil {
				return err
			}
			return unix.SchedSetaffinity(t.Victim, &set)
		},
		"the scheduler of a process": func() error {
			return call(unix.SYS_SCHED_SETSCHEDULER, victim, unix.SCHED_BATCH, pointer(make([]byte, 4)))
		},
		"the parameters of a process": func() error {
			return call(unix.SYS_SCHED_SETPARAM, victim, pointer(make([]byte, 4)))
		},
		"the attributes of a process": func() error {
			return unix.SchedSetAttr(t.Victim, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH}, 0)
		},
		"move its memory": func() error { return call(unix.SYS_MIGRATE_PAGES, victim, 0, 0, 0) },
	}
}

// found returns nil for ESRCH, the error that there is no such process, and otherwise err.
func found(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// Constants and system calls that package unix does not define.
const (
	setVersion    = 0x40087602 // FS_IOC_SETVERSION
	setProject    = 0x401c5820 // FS_IOC_FSSETXATTR
	makeSubvolume = 0x5000940e // BTRFS_IOC_SUBVOL_CREATE
	noDump        = 0x40       // FS_NODUMP_FL
	setxattrat    = 463
	fileSetattr   = 469
)

func (t Target) properties() map[string]func() error {
	path := append([]byte(t.File), 0)
	at := unix.AT_FDCWD
	control := func(number uint, argument []byte) func() error {
		return func() error {
			f, err := os.Open(t.File)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }() // only read
			return call(unix.SYS_IOCTL, f.Fd(), uintptr(number), pointer(argument))
		}
	}
	return map[string]func() error{
		"set an attribute": func() error { return unix.Setxattr(t.File, "user.x", []byte("1"), 0) },
		"set an attribute, opened": func() error {
			return onFile(t.File, func(fd int) error { return unix.Fsetxattr(fd, "user.x", nil, 0) })
		},
		"set an attribute, at": func() error {
			name, arguments := []byte("user.x\x00"), make([]byte, 16)
			return call(setxattrat, uintptr(at), pointer(path), 0, pointer(name), pointer(arguments), 16)
		},
		"remove an attribute": func() error {
			err := unix.Removexattr(t.File, "user.kept")
			if errors.Is(err, unix.ENODATA) {
				return nil
			}
			return err
		},
		"file attributes": func() error {
			err := call(fileSetattr, uintptr(at), pointer(path), pointer(make([]byte, 24)), 24, 0)
			if errors.Is(err, unix.ENOSYS) {
				return nil // Linux 6.17 and newer have the call
			}
			return err
		},
		"file flags":       control(unix.FS_IOC_SETFLAGS, []byte{noDump, 0, 0, 0, 0, 0, 0, 0}),
		"the version":      control(setVersion, []byte{1, 0, 0, 0, 0, 0, 0, 0}),
		"the project":      control(setProject, make([]byte, 28)),
		"verity":           elsewhere(control(unix.FS_IOC_ENABLE_VERITY, verity())),
		"encryption":       elsewhere(control(unix.FS_IOC_SET_ENCRYPTION_POLICY, make([]byte, 12))),
		"a key of files":   elsewhere(control(unix.FS_IOC_ADD_ENCRYPTION_KEY, make([]byte, 80))),
		"a subvolume":      elsewhere(control(makeSubvolume, make([]byte, 4096))),
		"a block device":   t.device(unix.S_IFBLK),
		"a char device":    t.device(unix.S_IFCHR),
		"a handle of file": func() error { _, _, err := unix.NameToHandleAt(unix.AT_FDCWD, t.File, 0); return err },
	}
}

// elsewhere ignores errors of file systems that lack an ioctl or reject its arguments.
func elsewhere(attempt func() error) func() error {
	return func() error {
		err := attempt()
		if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ENOTTY) && !filtered() {
			return nil
		}
		return err
	}
}

// filtered reports whether this process has a filter of system calls.
func filtered() bool {
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return err == nil && mode != 0
}

// verity returns a struct fsverity_enable_arg.
func verity() []byte {
	b := make([]byte, 128)
	b[0], b[4], b[9] = 1, 1, 0x10 // version, SHA-256, 4096
	return b
}

func (t Target) device(kind uint32) func() error {
	return func() error {
		path := filepath.Join(t.Folder, "device")
		err := unix.Mknod(path, kind|0o600, int(unix.Mkdev(7, 200)))
		_ = os.Remove(path)
		return err
	}
}

func (t Target) kernel() map[string]func() error {
	return map[string]func() error{
		"a user namespace": func() error { return inNamespace(unix.CLONE_NEWUSER) },
		"a mount namespace": func() error {
			return inNamespace(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)
		},
		"another's namespace": func() error {
			fd, err := unix.Open("/proc/self/ns/uts", unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			defer unix.Close(fd) //nolint:errcheck // only read
			return unix.Setns(fd, unix.CLONE_NEWUTS)
		},
		"a keyring": func() error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true); return err },
		"a new key": func() error {
			_, err := unix.AddKey("user", "toolscript-test", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
			return err
		},
		"find a key":  func() error { return noKey(requestKey()) },
		"io_uring":    func() error { return call(unix.SYS_IO_URING_SETUP, 1, pointer(make([]byte, 256))) },
		"userfaultfd": func() error { return call(unix.SYS_USERFAULTFD, 0) },
		"shared memory": func() error {
			id, _, errno := unix.Syscall(unix.SYS_SHMGET, unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
			if errno != 0 {
				return errno
			}
			return call(unix.SYS_SHMCTL, id, unix.IPC_RMID, 0)
		},
		"a message queue": func() error {
			id, _, errno := unix.Syscall(unix.SYS_MSGGET, unix.IPC_PRIVATE, unix.IPC_CREAT|0o600, 0)
			if errno != 0 {
				return errno
			}
			return call(unix.SYS_MSGCTL, id, unix.IPC_RMID, 0)
		},
		"input of a terminal": func() error { return noTerminal(call(unix.SYS_IOCTL, 0, unix.TIOCSTI, pointer([]byte{'x'}))) },
		"a console":           func() error { return noTerminal(call(unix.SYS_IOCTL, 0, unix.TIOCLINUX, pointer([]byte{2}))) },
		"a pair to a path": func() error {
			pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
			if err == nil {
				_, _ = unix.Close(pair[0]), unix.Close(pair[1])
			}
			return err
		},
	}
}

func requestKey() error {
	kind, name := []byte("user\x00"), []byte("toolscript-missing\x00")
	return call(unix.SYS_REQUEST_KEY, pointer(kind), pointer(name), 0, 0)
}

func noKey(err error) error {
	if errors.Is(err, unix.ENOKEY) {
		return nil
	}
	return err
}

// noTerminal returns nil for ENOTTY, the error that a descriptor is not a terminal, and otherwise err.
func noTerminal(err error) error {
	if errors.Is(err, unix.ENOTTY) {
		return nil
	}
	return err
}

func inNamespace(flags uintptr) error {
	cmd := exec.CommandContext(context.Background(), "/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	return cmd.Run()
}

func onFile(path string, f func(fd int) error) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // only read
	return f(fd)
}

func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// kept keeps memory whose address the kernel gets. It must not be on a stack, which can move.
var kept [][]byte

func pointer(b []byte) uintptr {
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(&b[0])) //nolint:gosec // the call takes an address
}
