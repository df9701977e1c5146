package notify

import (
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/toolscript/toolscript/runner/confine"
)

func FuzzAddress(f *testing.F) {
	f.Add([]byte{2, 0, 1, 187, 127, 0, 0, 1})
	f.Add([]byte("\x01\x00/run/socket\x00rest"))
	f.Add([]byte("\x01\x00\x00name"))
	f.Add([]byte("\x0a\x00\x01\xbb"))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := parseAddress(b)
		if err != nil {
			return
		}
		if a.IP.IsValid() && a.Path != "" {
			t.Errorf("%x is both %s and %q", b, a.IP, a.Path)
		}
	})
}

// TestArchitecture: calls of another architecture, and those of x32, are left to other filters.
func TestArchitecture(t *testing.T) {
	vm, err := bpf.NewVM(instructions([]Rule{{Number: 5}, {Number: 7, Checks: []Check{{Arg: 1, Mask: 3, Any: []uint32{1, 2}}}}}))
	if err != nil {
		t.Fatal(err)
	}
	// The emulated machine reads numbers in big-endian order.
	data := func(number, arch, arg uint32) []byte {
		b := make([]byte, 64)
		for at, n := range map[int]uint32{confine.NumberAt: number, confine.ArchAt: arch, confine.ArgsAt + 8: arg} {
			b[at], b[at+1], b[at+2], b[at+3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
		}
		return b
	}
	for _, c := range []struct {
		number, arch, arg uint32
		want              int
	}{
		{5, confine.Architecture, 0, unix.SECCOMP_RET_USER_NOTIF},
		{6, confine.Architecture, 1, unix.SECCOMP_RET_ALLOW},
		{7, confine.Architecture, 1, unix.SECCOMP_RET_USER_NOTIF},
		{7, confine.Architecture, 6, unix.SECCOMP_RET_USER_NOTIF},
		{7, confine.Architecture, 3, unix.SECCOMP_RET_ALLOW},
		{5, confine.Architecture + 1, 0, unix.SECCOMP_RET_ALLOW},
		{5 | confine.X32, confine.Architecture, 0, unix.SECCOMP_RET_ALLOW},
	} {
		if got, err := vm.Run(data(c.number, c.arch, c.arg)); err != nil || got != c.want {
			t.Errorf("call %d of %#x with %d: %#x, %v; want %#x", c.number, c.arch, c.arg, got, err, c.want)
		}
	}
}
