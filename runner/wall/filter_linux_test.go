package wall_test

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/wall"
)

const pid = 4711

func TestFilterLooksAtArguments(t *testing.T) {
	const thread = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_SYSVSEM | unix.CLONE_THREAD
	tests := []struct {
		name string
		call uint32
		args []uint32
		want uint32
	}{
		{"memory", unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, wall.Allow},
		{"memory to execute", unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, wall.Refuse},
		{"protection", unix.SYS_MPROTECT, []uint32{0, 4096, unix.PROT_NONE}, wall.Allow},
		{"protection to execute", unix.SYS_MPROTECT, []uint32{0, 4096, unix.PROT_EXEC}, wall.Refuse},
		{"a thread", unix.SYS_CLONE, []uint32{thread}, wall.Allow},
		{"a process", unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}, wall.Refuse},
		{"a thread in a new network", unix.SYS_CLONE, []uint32{thread | unix.CLONE_NEWNET}, wall.Refuse},
		{"clone3", unix.SYS_CLONE3, nil, wall.Unknown},
		{"a signal to itself", unix.SYS_TGKILL, []uint32{pid, 5, 23}, wall.Allow},
		{"a signal to another", unix.SYS_TGKILL, []uint32{pid + 1, 5, 23}, wall.Refuse},
		{"a signal to a group", unix.SYS_TGKILL, []uint32{0, 5, 23}, wall.Refuse},
		{"flags of a descriptor", unix.SYS_FCNTL, []uint32{3, unix.F_GETFL}, wall.Allow},
		{"whether one is open", unix.SYS_FCNTL, []uint32{3, unix.F_GETFD}, wall.Allow},
		{"owner of a descriptor", unix.SYS_FCNTL, []uint32{3, unix.F_SETOWN, 1}, wall.Refuse},
		{"lock", unix.SYS_FCNTL, []uint32{3, unix.F_SETLK}, wall.Refuse},
		{"name of memory", unix.SYS_PRCTL, []uint32{unix.PR_SET_VMA}, wall.Allow},
		{"dumpable", unix.SYS_PRCTL, []uint32{unix.PR_SET_DUMPABLE, 1}, wall.Refuse},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := wall.Judge(t, pid, wall.Architecture, test.call, test.args...); got != test.want {
				t.Errorf("the filter answers %#x, want %#x", got, test.want)
			}
		})
	}
}

// TestFilterRefusesTheRest asks about every number, also those that no kernel
// has yet.
func TestFilterRefusesTheRest(t *testing.T) {
	limited := wall.Limited()
	for call := range uint32(2048) {
		want := wall.Refuse
		switch {
		case limited[call]:
			continue // the other test
		case slices.Contains(wall.Allowed(), call):
			want = wall.Allow
		}
		if got := wall.Judge(t, pid, wall.Architecture, call); got != want {
			t.Errorf("call %d gets %#x, want %#x", call, got, want)
		}
	}
}

func TestFilterEndsForeignCalls(t *testing.T) {
	for name, call := range map[string]struct{ arch, number uint32 }{
		"32 bit":          {unix.AUDIT_ARCH_I386, unix.SYS_READ},
		"another machine": {unix.AUDIT_ARCH_RISCV64, unix.SYS_READ},
		"x32":             {wall.Architecture, unix.SYS_READ | 1<<30},
		"negative":        {wall.Architecture, ^uint32(0)},
	} {
		if got := wall.Judge(t, pid, call.arch, call.number); got != wall.Kill {
			t.Errorf("%s: the filter answers %#x, want the end", name, got)
		}
	}
}
