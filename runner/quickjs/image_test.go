package quickjs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// pinned is the hash of the file that go generate writes. It changes only with the npm
// package, the rewriter, and the amount of fuel between two checks.
const pinned = "5fceba1ea9b79b6af2ea7e6d9ef7725170498919a27c288b0dbb29b01d0667d8"

func TestEngineIsPinned(t *testing.T) {
	sum := sha256.Sum256(engineWasm)
	if got := hex.EncodeToString(sum[:]); got != pinned {
		t.Errorf("quickjs.wasm has SHA-256 %s, want %s; run: go generate ./runner/quickjs", got, pinned)
	}
}

// vmOf returns a VM with its own engine.
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

// whole joins the pages of a snapshot.
func whole(s snapshot) []byte {
	all := make([]byte, s.size)
	for _, p := range s.pieces {
		copy(all[p.offset:], p.data)
	}
	return all
}

// TestImagesAreEqual checks that all images are the same, so that no image contains a
// secret or a clock that its runs would share.
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

// TestImageFile checks that an engine with a cache uses the image of the first
// engine, and that a damaged cache is replaced.
func TestImageFile(t *testing.T) {
	o := Options{CacheDir: t.TempDir()}
	booted := vmOf(t, o).engine.image
	file, err := newImageFile(o.CacheDir)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		read, hot, err := file.read()
		if err != nil {
			t.Fatal(err)
		}
		if read.entries != booted.entries || read.stack != booted.stack || !bytes.Equal(whole(read), whole(booted.snapshot)) || !slices.Equal(hot, booted.hot) {
			t.Error("the image in the file is not the one that was booted")
		}
		content, err := os.ReadFile(file.path)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/2] ^= 1
		if err := os.WriteFile(file.path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := file.read(); !errors.Is(err, errDamaged) {
			t.Errorf("reading a damaged image: %v", err)
		}
		job := runner.Job{File: "script.js", Compiled: runner.Compiled{JavaScript: `export default 6 * 7`}, Names: &naming.Names{}}
		if out := vmOf(t, o).Run(t.Context(), job, &rehearsed{}); string(out.Value) != "42" {
			t.Errorf("a script on an engine with a damaged cache: %+v", out)
		}
	}
}

func TestHeapSizeIsWhereItIsRead(t *testing.T) {
	vm := vmOf(t, Options{})
	g := vm.instance
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

// TestCopiedImage checks the copying store, which most systems use. It must behave
// like the mapping store.
func TestCopiedImage(t *testing.T) {
	vm := vmOf(t, Options{copying: true})
	fresh := bytes.Clone(mustRead(t, vm))
	for range 2 {
		g := vm.instance
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
	vm.instance.memory.Grow(10)
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
	all, ok := vm.instance.memory.Read(0, vm.instance.memory.Size())
	if !ok {
		t.Fatal("cannot read the memory")
	}
	return all
}
