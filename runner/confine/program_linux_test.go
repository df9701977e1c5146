package confine_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
)

const everyGroup = confine.Tracing | confine.Owners | confine.Properties | confine.Watching | confine.Listening

// programs maps kinds of programs, confined servers and programs of the tool exec, to their rules.
var programs = map[string]confine.Rules{
	"a server":                {},
	"a server with a gate":    {Allowed: confine.Properties | confine.Watching},
	"a server with a proxy":   {Sockets: confine.ProxyOnly, Allowed: confine.Properties | confine.Watching},
	"a program":               {Allowed: everyGroup},
	"a program with networks": {Sockets: confine.Internet, Allowed: everyGroup},
}

// TestProgramsHaveOneFilter checks every system call number for every kind of program: kinds differ
// only in the groups of calls and in the sockets.
func TestProgramsHaveOneFilter(t *testing.T) {
	limited, refused, attributes := confine.LimitedToAll(), confine.RefusedToAll(), confine.WithoutEffect()
	for name, rules := range programs {
		for call := range uint32(confine.Newest + 200) {
			want := uint32(confine.Allow)
			switch {
			case call > confine.Newest:
				want = confine.Unknown
			case limited[call]:
				continue // the test below checks it
			case refused[call] != "":
				want = confine.Refuse
			case attributes[call] != "":
				want = confine.Unsupported
			}
			for group, calls := range confine.Groups() {
				if calls[call] != "" && rules.Allowed&group == 0 {
					want = confine.Refuse
				}
			}
			if got := rules.Judge(t, confine.Architecture, call); got != want {
				t.Errorf("%s: call %d gets %#x, want %#x", name, call, got, want)
			}
		}
	}
}

func TestProgramFilterLooksAtArguments(t *testing.T) {
	const (
		refuse, allow, unknown, noControl = confine.Refuse, confine.Allow, confine.Unknown, confine.NoControl

		enableVerity  = 0x40806685
		makeSubvolume = 0x5000940e
		fiemap        = 0xc020660b
		highest       = ^uint32(0)
	)
	everyone := []string{"a server", "a server with a gate", "a server with a proxy", "a program", "a program with networks"}
	without := []string{"a server", "a server with a gate", "a program"}
	proxy, networks := []string{"a server with a proxy"}, []string{"a program with networks"}
	for _, test := range []struct {
		name  string
		kinds []string
		call  uint32
		args  []uint32
		want  uint32
	}{
		{"a process", everyone, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}, allow},
		{"a user namespace", everyone, unix.SYS_CLONE, []uint32{unix.CLONE_NEWUSER | uint32(unix.SIGCHLD)}, refuse},
		{"a namespace of files", everyone, unix.SYS_CLONE, []uint32{unix.CLONE_NEWNS}, refuse},
		{"clone3", everyone, unix.SYS_CLONE3, nil, unknown},
		{"io_uring", everyone, unix.SYS_IO_URING_SETUP, nil, unknown},
		{"its own limits", everyone, unix.SYS_PRLIMIT64, []uint32{0}, allow},
		{"limits of another", everyone, unix.SYS_PRLIMIT64, []uint32{4711}, refuse},
		{"its own priority", everyone, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_PROCESS, 0}, allow},
		{"another's priority", everyone, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_PROCESS, 4711}, refuse},
		{"the priority of its group", everyone, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_PGRP, 0}, refuse},
		{"the priority of its user", everyone, unix.SYS_SETPRIORITY, []uint32{unix.PRIO_USER, 0}, refuse},
		{"its own I/O priority", everyone, unix.SYS_IOPRIO_SET, []uint32{1, 0}, allow},
		{"the I/O priority of its user", everyone, unix.SYS_IOPRIO_SET, []uint32{3, 0}, refuse},
		{"its own processors", everyone, unix.SYS_SCHED_SETAFFINITY, []uint32{0}, allow},
		{"another's processors", everyone, unix.SYS_SCHED_SETAFFINITY, []uint32{4711}, refuse},
		{"another's scheduler", everyone, unix.SYS_SCHED_SETSCHEDULER, []uint32{4711}, refuse},
		{"another's parameters", everyone, unix.SYS_SCHED_SETPARAM, []uint32{4711}, refuse},
		{"another's attributes", everyone, unix.SYS_SCHED_SETATTR, []uint32{4711}, refuse},
		{"a pair", everyone, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, allow},
		{"a pair for datagrams", everyone, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_DGRAM}, refuse},

		{"a size of a terminal", everyone, unix.SYS_IOCTL, []uint32{0, unix.TIOCGWINSZ}, allow},
		{"input of a terminal", everyone, unix.SYS_IOCTL, []uint32{0, unix.TIOCSTI}, refuse},
		{"input of a console", everyone, unix.SYS_IOCTL, []uint32{0, unix.TIOCLINUX}, refuse},
		{"close on exec", everyone, unix.SYS_IOCTL, []uint32{3, 0x5451}, allow},
		{"read flags", everyone, unix.SYS_IOCTL, []uint32{3, unix.FS_IOC_GETFLAGS}, allow},
		{"set flags", everyone, unix.SYS_IOCTL, []uint32{3, unix.FS_IOC_SETFLAGS}, noControl},
		{"extents", everyone, unix.SYS_IOCTL, []uint32{3, fiemap}, allow},
		{"clone a file", everyone, unix.SYS_IOCTL, []uint32{3, unix.FICLONE}, allow},
		{"verity", everyone, unix.SYS_IOCTL, []uint32{3, enableVerity}, noControl},
		{"a subvolume", everyone, unix.SYS_IOCTL, []uint32{3, makeSubvolume}, noControl},
		{"a control of a file system that does not exist yet", everyone, unix.SYS_IOCTL, []uint32{3, 'f'<<8 | 0xff}, noControl},

		{"TCP", without, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_STREAM}, refuse},
		{"TCP", proxy, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, unix.IPPROTO_TCP}, allow},
		{"TCP", networks, unix.SYS_SOCKET, []uint32{unix.AF_INET6, unix.SOCK_STREAM}, allow},
		{"UDP", without, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_DGRAM}, refuse},
		{"UDP", proxy, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_DGRAM}, refuse},
		{"UDP", networks, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_DGRAM}, allow},
		{"multipath TCP", proxy, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_STREAM, 262}, refuse},
		{"a path", everyone, unix.SYS_SOCKET, []uint32{unix.AF_UNIX, unix.SOCK_STREAM}, refuse},
		{"no family", everyone, unix.SYS_SOCKET, []uint32{unix.AF_UNSPEC, unix.SOCK_STREAM}, refuse},
		{"netlink", everyone, unix.SYS_SOCKET, []uint32{unix.AF_NETLINK, unix.SOCK_RAW}, refuse},
		{"virtual machines", everyone, unix.SYS_SOCKET, []uint32{unix.AF_VSOCK, unix.SOCK_STREAM}, refuse},
		{"a family that does not exist yet", everyone, unix.SYS_SOCKET, []uint32{highest, unix.SOCK_STREAM}, refuse},
		{"a source route", proxy, unix.SYS_SETSOCKOPT, []uint32{3, unix.IPPROTO_IP, unix.IP_OPTIONS}, refuse},
		{"keep alive", proxy, unix.SYS_SETSOCKOPT, []uint32{3, unix.SOL_SOCKET, unix.SO_KEEPALIVE}, allow},
		{"data first", proxy, unix.SYS_SENDTO, []uint32{3, 0, 1, unix.MSG_FASTOPEN}, refuse},
	} {
		for _, kind := range test.kinds {
			if got := programs[kind].Judge(t, confine.Architecture, test.call, test.args...); got != test.want {
				t.Errorf("%s: %s gets %#x, want %#x", kind, test.name, got, test.want)
			}
		}
	}
}

func TestProgramFilterEndsForeignCalls(t *testing.T) {
	for kind, rules := range programs {
		for name, call := range map[string]struct{ arch, number uint32 }{
			"32 bit":   {unix.AUDIT_ARCH_I386, unix.SYS_READ},
			"x32":      {confine.Architecture, unix.SYS_READ | 1<<30},
			"negative": {confine.Architecture, ^uint32(0)},
		} {
			if got := rules.Judge(t, call.arch, call.number); got != confine.Kill {
				t.Errorf("%s, %s: the filter answers %#x, want the end", kind, name, got)
			}
		}
	}
}
