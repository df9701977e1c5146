package notify

import (
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
)

// instructions returns a filter that notifies the listener of the calls that the rules name. It allows
// all other calls, and calls of another architecture: other filters of the thread decide about them.
func instructions(rules []Rule) []bpf.Instruction {
	program := confine.Begin(unix.SECCOMP_RET_ALLOW)
	for _, r := range rules {
		body := r.body()
		program = append(program,
			bpf.LoadAbsolute{Off: confine.NumberAt, Size: 4},
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
			bpf.LoadAbsolute{Off: confine.ArgsAt + 8*c.Arg, Size: 4},
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
