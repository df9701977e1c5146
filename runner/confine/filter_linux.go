package confine

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A limit allows a system call if all its checks hold.
type limit struct {
	call   uint32
	checks []check
}

// A check compares the lower half of an argument. The kernel ignores the upper half
// of the arguments that are checked here.
type check struct {
	arg  uint32
	mask uint32
	any  []uint32 // the masked argument must be one of them
}

// is returns a check that an argument is one of values.
func is(arg uint32, values ...uint32) check { return check{arg, ^uint32(0), values} }

// without returns a check that none of bits is set in an argument.
func without(arg, bits uint32) check { return check{arg, bits, []uint32{0}} }

// namespaces are the flags of clone that create namespaces.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// self stands for the id of the process in a check.
const self = ^uint32(0)

// limited lists the calls that are only allowed with certain arguments.
var limited = append([]limit{
	// No executable pages: data must not become code.
	{unix.SYS_MMAP, []check{without(2, unix.PROT_EXEC)}},
	{unix.SYS_MPROTECT, []check{without(2, unix.PROT_EXEC)}},
	// Threads, but not processes.
	{unix.SYS_CLONE, []check{{0, unix.CLONE_THREAD | namespaces, []uint32{unix.CLONE_THREAD}}}},
	// The scheduler interrupts its own threads.
	{unix.SYS_TGKILL, []check{is(0, self)}},
	// Go names its memory.
	{unix.SYS_PRCTL, []check{is(0, unix.PR_SET_VMA)}},
	// F_SETOWN with F_SETSIG would send any signal to any process of the user.
	{unix.SYS_FCNTL, []check{is(1, unix.F_GETFL, unix.F_GETFD)}},
}, limitedHere...)

// The answers of the filter.
const (
	allow   = unix.SECCOMP_RET_ALLOW
	kill    = unix.SECCOMP_RET_KILL_PROCESS
	refuse  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// instructions returns the filter of a process with an id. It checks the most frequent calls first.
func instructions(pid uint32) []bpf.Instruction {
	program := Begin(kill)
	for _, call := range allowed {
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1},
			bpf.RetConstant{Val: allow})
	}
	for _, l := range limited {
		body := l.body(pid)
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: l.call, SkipTrue: uint8(len(body))})
		program = append(program, body...)
	}
	return append(program,
		// Then the C library falls back to clone, whose flags a filter can read.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1},
		bpf.RetConstant{Val: unknown},
		bpf.RetConstant{Val: refuse})
}

// body returns the instructions that answer a call with the number of l.
func (l limit) body(pid uint32) []bpf.Instruction {
	var body []bpf.Instruction
	for _, c := range l.checks {
		body = append(body,
			bpf.LoadAbsolute{Off: ArgsAt + 8*c.arg, Size: 4},
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask})
		for i, value := range c.any {
			if value == self {
				value = pid
			}
			body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(c.any) - i)})
		}
		body = append(body, bpf.RetConstant{Val: refuse})
	}
	return append(body, bpf.RetConstant{Val: allow})
}
