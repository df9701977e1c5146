package confine

import (
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Results of the filter.
const (
	Allow   = allow
	Kill    = kill
	Refuse  = refuse
	Unknown = unknown

	Unsupported = unsupported
	NoControl   = noControl
	Newest      = newest
)

// Judge returns the result of the filter of process pid for one system call.
func Judge(t *testing.T, pid, arch, call uint32, args ...uint32) uint32 {
	t.Helper()
	return judge(t, instructions(pid), arch, call, args...)
}

// Judge returns the result of a program's filter for one system call.
func (r Rules) Judge(t *testing.T, arch, call uint32, args ...uint32) uint32 {
	t.Helper()
	return judge(t, r.instructions(), arch, call, args...)
}

func judge(t *testing.T, program []bpf.Instruction, arch, call uint32, args ...uint32) uint32 {
	t.Helper()
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	// The VM reads words in big-endian order on every machine, and the filter reads only whole
	// words, so each argument is written to the lower half of its slot.
	data := make([]byte, 64)
	put := func(at int, v uint32) {
		data[at], data[at+1], data[at+2], data[at+3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
	}
	put(NumberAt, call)
	put(ArchAt, arch)
	for i, v := range args {
		put(ArgsAt+8*i, v)
	}
	answer, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(answer)
}

// Limited returns the system calls that are allowed only in some forms.
func Limited() map[uint32]bool {
	all := map[uint32]bool{unix.SYS_CLONE3: true}
	for _, l := range limited {
		all[l.call] = true
	}
	return all
}

// RefusedToAll returns the calls that no program may make.
func RefusedToAll() map[uint32]string { return with(refusedToAll) }

// Groups returns the calls that only some programs may make.
func Groups() map[Group]map[uint32]string { return groups }

// LimitedToAll returns the calls that programs may make only in some forms, and those that are
// reported as missing.
func LimitedToAll() map[uint32]bool {
	all := map[uint32]bool{unix.SYS_IOCTL: true, unix.SYS_SOCKET: true}
	for _, l := range limitedToAll {
		all[l.call] = true
	}
	for _, call := range missing {
		all[call] = true
	}
	return all
}

// Allowed returns the system calls that are allowed in every form.
func Allowed() []uint32 { return allowed }
