package notify

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The offsets of the fields of struct seccomp_data.
const (
	numberAt = 0
	archAt   = 4
	argsAt   = 16
)

// x32 is the lowest number of the calls of x32, which shares the architecture of amd64 but
// has its own table of calls.
const x32 = 1 << 30

// instructions returns a filter that notifies the listener of the calls that the rules name. It allows
// all other calls, and calls of another architecture: other filters of the thread decide about them.
func instructions(rules []Rule) []bpf.Instruction {
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: architecture, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
		bpf.LoadAbsolute{Off: numberAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	}
	for _, r := range rules {
		body := r.body()
		program = append(program,
			bpf.LoadAbsolute{Off: numberAt, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.Number, SkipTrue: 1},
			bpf.Jump{Skip: uint32(len(body))})
		program = append(program, body...)
	}
	return append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
}

// body returns instructions that notify if all checks of r hold, and otherwise continue after them.
func (r Rule) body() []bpf.Instruction {
	body := []bpf.Instruction{bpf.RetConstant{Val: unix.SECCOMP_RET_USER_NOTIF}}
	for i := len(r.Checks) - 1; i >= 0; i-- {
		c := r.Checks[i]
		head := []bpf.Instruction{
			bpf.LoadAbsolute{Off: argsAt + 8*c.Arg, Size: 4},
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.Mask},
		}
		for j, value := range c.Any {
			head = append(head, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(c.Any) - j)})
		}
		head = append(head, bpf.Jump{Skip: uint32(len(body))})
		body = append(head, body...)
	}
	return body
}
