package quickjs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// The hash of the file that go generate makes. It changes with the npm package,
// the rewriter, or the fuel between two questions, and with nothing else.
const pinned = "5fceba1ea9b79b6af2ea7e6d9ef7725170498919a27c288b0dbb29b01d0667d8"

func TestEngineIsPinned(t *testing.T) {
	sum := sha256.Sum256(engineWasm)
	if got := hex.EncodeToString(sum[:]); got != pinned {
		t.Errorf("quickjs.wasm has SHA-256 %s, want %s; run: go generate ./runner/quickjs", got, pinned)
	}
}

// vmOf is a VM of an engine of its own.
func vmOf(tb testing.TB, o Options) *VM {
	tb.Helper()
	e, err := NewEngine(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	vm, err := e.NewVM(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _, _ = vm.Close(), e.Close() })
	return vm
}

// whole puts a snapshot together again.
func whole(s snapshot) []byte {
	all := make([]byte, s.size)
	for _, p := range s.pieces {
		copy(all[p.offset:], p.data)
	}
	return all
}

// All images are the same, so none holds a secret or a clock that its runs share.
func TestImagesAreEqual(t *testing.T) {
	e, err := NewEngine(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close() //nolint:errcheck // nothing was written
	other, err := e.boot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e.image.entries != other.entries || e.image.stack != other.stack || !bytes.Equal(whole(e.image.snapshot), whole(other)) {
		t.Error("two boots gave different images")
	}
}

func TestHeapSizeIsWhereItIsRead(t *testing.T) {
	vm := vmOf(t, Options{})
	g := vm.guest
	for range 3 {
		g.newString("some more text on the heap")
		g.call(fnMemoryUsage, g.scratch(scratchUsage))
		want, _ := g.memory.ReadUint64Le(uint32(g.scratch(scratchUsage)))
		got, _ := g.memory.ReadUint32Le(g.entries.runtime + heapSize)
		if uint64(got) != want {
			t.Errorf("heap size = %d, want %d", got, want)
		}
	}
}

// The copying store is what most systems have: it must do what the mapping does.
func TestCopiedImage(t *testing.T) {
	vm := vmOf(t, Options{copying: true})
	fresh := bytes.Clone(mustRead(t, vm))
	for range 2 {
		g := vm.guest
		for i := range 1000 {
			g.memory.WriteUint32Le(uint32(i*16000), 0xffffffff)
		}
		vm.fresh = false
		if err := vm.Reset(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(mustRead(t, vm), fresh) {
			t.Error("the memory is not the image after a reset")
		}
	}
	vm.guest.memory.Grow(10)
	vm.fresh = false
	if err := vm.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(mustRead(t, vm), fresh) {
		t.Error("a grown VM is not the image after a reset")
	}
}

func mustRead(t *testing.T, vm *VM) []byte {
	t.Helper()
	all, ok := vm.guest.memory.Read(0, vm.guest.memory.Size())
	if !ok {
		t.Fatal("cannot read the memory")
	}
	return all
}
