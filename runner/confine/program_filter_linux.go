package confine

import (
	"maps"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Answers that make a call look unsupported by the file system or the device.
const (
	unsupported = unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP)
	noControl   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOTTY)
)

// refused returns the calls that the program may not make, with their names.
func (r Rules) refused() map[uint32]string {
	all := with(refusedToAll)
	for group, calls := range groups {
		if r.Allowed&group == 0 {
			maps.Copy(all, calls)
		}
	}
	return all
}

// limits returns the calls that the program may only make with certain arguments.
func (r Rules) limits() []limit { return slices.Concat(limitedToAll, limitedSockets[r.Sockets]) }

// instructions returns the filter of a program. It allows calls up to newest that are in no table.
func (r Rules) instructions() []bpf.Instruction {
	program := append(Begin(kill),
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: newest, SkipTrue: 1},
		bpf.RetConstant{Val: unknown})
	answer := func(calls []uint32, with uint32) {
		for _, call := range calls {
			program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1}, bpf.RetConstant{Val: with})
		}
	}
	answer(missing, unknown)
	answer(slices.Sorted(maps.Keys(r.refused())), refuse)
	answer(slices.Sorted(maps.Keys(changesOfAttributes)), unsupported)
	look := func(call uint32, body []bpf.Instruction) {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: uint8(len(body))})
		program = append(program, body...)
	}
	for _, l := range r.limits() {
		look(l.call, l.body(0))
	}
	look(unix.SYS_IOCTL, controls())
	if r.Sockets == ProxyOnly {
		look(unix.SYS_SETSOCKOPT, withoutRoutes())
	}
	return append(program, bpf.RetConstant{Val: allow})
}

// controls returns the instructions that refuse ioctls that change file systems or the input of a terminal.
func controls() []bpf.Instruction {
	const number = ArgsAt + 8*1
	body := []bpf.Instruction{bpf.LoadAbsolute{Off: number, Size: 4}}
	for _, value := range input {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: value, SkipTrue: 1}, bpf.RetConstant{Val: refuse})
	}
	for _, value := range harmlessControls {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: value, SkipTrue: 1}, bpf.RetConstant{Val: allow})
	}
	body = append(body, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: kindOfControl})
	for _, kind := range fileSystems {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: kind, SkipTrue: 1}, bpf.RetConstant{Val: noControl})
	}
	return append(body, bpf.RetConstant{Val: allow})
}

// withoutRoutes returns the instructions that refuse to set an option of routes.
func withoutRoutes() []bpf.Instruction {
	const level, option = ArgsAt + 8*1, ArgsAt + 8*2
	var body []bpf.Instruction
	for _, r := range routes {
		body = append(body,
			bpf.LoadAbsolute{Off: level, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: r[0], SkipTrue: 3},
			bpf.LoadAbsolute{Off: option, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: r[1], SkipTrue: 1},
			bpf.RetConstant{Val: refuse})
	}
	return append(body, bpf.RetConstant{Val: allow})
}
