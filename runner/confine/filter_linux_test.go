package confine_test

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
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
		{"memory", unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_READ | unix.PROT_WRITE}, confine.Allow},
		{"memory to execute", unix.SYS_MMAP, []uint32{0, 4096, unix.PROT_READ | unix.PROT_EXEC}, confine.Refuse},
		{"protection", unix.SYS_MPROTECT, []uint32{0, 4096, unix.PROT_NONE}, confine.Allow},
		{"protection to execute", unix.SYS_MPROTECT, []uint32{0, 4096, unix.PROT_EXEC}, confine.Refuse},
		{"a thread", unix.SYS_CLONE, []uint32{thread}, confine.Allow},
		{"a process", unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}, confine.Refuse},
		{"a thread in a new network", unix.SYS_CLONE, []uint32{thread | unix.CLONE_NEWNET}, confine.Refuse},
		{"clone3", unix.SYS_CLONE3, nil, confine.Unknown},
		{"a signal to itself", unix.SYS_TGKILL, []uint32{pid, 5, 23}, confine.Allow},
		{"a signal to another", unix.SYS_TGKILL, []uint32{pid + 1, 5, 23}, confine.Refuse},
		{"a signal to a group", unix.SYS_TGKILL, []uint32{0, 5, 23}, confine.Refuse},
		{"flags of a descriptor", unix.SYS_FCNTL, []uint32{3, unix.F_GETFL}, confine.Allow},
		{"whether one is open", unix.SYS_FCNTL, []uint32{3, unix.F_GETFD}, confine.Allow},
		{"owner of a descriptor", unix.SYS_FCNTL, []uint32{3, unix.F_SETOWN, 1}, confine.Refuse},
		{"lock", unix.SYS_FCNTL, []uint32{3, unix.F_SETLK}, confine.Refuse},
		{"name of memory", unix.SYS_PRCTL, []uint32{unix.PR_SET_VMA}, confine.Allow},
		{"dumpable", unix.SYS_PRCTL, []uint32{unix.PR_SET_DUMPABLE, 1}, confine.Refuse},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := confine.Judge(t, pid, confine.Architecture, test.call, test.args...); got != test.want {
				t.Errorf("the filter answers %#x, want %#x", got, test.want)
			}
		})
	}
}

// TestFilterRefusesTheRest checks every system call number, including those that no kernel uses yet.
func TestFilterRefusesTheRest(t *testing.T) {
	limited := confine.Limited()
	for call := range uint32(2048) {
		want := confine.Refuse
		switch {
		case limited[call]:
			continue // the test above checks it
		case slices.Contains(confine.Allowed(), call):
			want = confine.Allow
		}
		if got := confine.Judge(t, pid, confine.Architecture, call); got != want {
			t.Errorf("call %d gets %#x, want %#x", call, got, want)
		}
	}
}

func TestFilterEndsForeignCalls(t *testing.T) {
	for name, call := range map[string]struct{ arch, number uint32 }{
		"32 bit":          {unix.AUDIT_ARCH_I386, unix.SYS_READ},
		"another machine": {unix.AUDIT_ARCH_RISCV64, unix.SYS_READ},
		"x32":             {confine.Architecture, unix.SYS_READ | 1<<30},
		"negative":        {confine.Architecture, ^uint32(0)},
	} {
		if got := confine.Judge(t, pid, call.arch, call.number); got != confine.Kill {
			t.Errorf("%s: the filter answers %#x, want the end", name, got)
		}
	}
}
