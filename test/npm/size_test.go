//go:build integration && linux && amd64

package npm_test

import (
	"debug/elf"
	"path/filepath"
	"testing"
)

// TestSize bounds the part of the program that is not symbols or debug information: the size of a release.
// task size prints what is in it. It is a fifth larger if anything finds methods by name, such as
// html/template, because the linker then keeps every method.
func TestSize(t *testing.T) {
	const most = 80_000_000 // with the flags of the Taskfile; without them, the server of NATS and protobuf add 1.3 MB
	f, err := elf.Open(filepath.Join(filepath.Dir(packages), "bin/linux-amd64/toolscript"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	size := uint64(0)
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC != 0 && s.Type != elf.SHT_NOBITS {
			size += s.FileSize
		}
	}
	t.Logf("%.1f MB", float64(size)/1e6)
	if size > most || size < most/2 {
		t.Errorf("the program has %d bytes, more than %d; run: task size", size, most)
	}
}
