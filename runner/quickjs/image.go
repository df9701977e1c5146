package quickjs

import (
	"bytes"
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
)

// entries are the addresses of functions and objects of an image that the host uses. They are
// the same in every instance of the image.
type entries struct {
	scratch          uint32
	runtime, context uint32 // JSRuntime and JSContext of QuickJS
	objects, arrays  uint32 // prototypes of objects and arrays
	begin            handle // (run: string): sets the script's arguments and other values
	settle           handle // (call, how, answer): a tool has answered
	parse            handle // (JSON: string) → its value, with bigints for large integers
	fire             handle // (timer)
	feed             handle // (chunk: string | undefined): standard input has arrived
	apply            handle // (namespace) → promise of a namespace whose default is the function's result
	finish           handle // (namespace) → promise of the value as JSON, or of undefined
	describe         handle // (error) → description of the error as JSON
	giveUp           handle // (namespace, last: number) → notice about the timers that were dropped, or undefined
}

// snapshot is the state of a booted instance.
type snapshot struct {
	size    uint32
	pieces  []piece
	stack   uint64
	entries entries
}

// image is a snapshot in a form from which instances can be restored quickly.
type image struct {
	snapshot
	store store
	hot   []span // the pages that most scripts write to
}

// piece is a part of a memory that is not zero.
type piece struct {
	offset int
	data   []byte
}

// store holds the bytes of an image.
type store interface {
	// newMemory returns a memory that may grow up to limit bytes. It contains the image after
	// its first restore.
	newMemory(limit uint64) (memory, error)
	close() error
}

// memory is the linear memory of one instance.
type memory interface {
	experimental.LinearMemory
	// setLimit makes growth beyond a size fail.
	setLimit(bytes uint64)
	// restore makes the memory equal to the image. It must have the size of the image.
	restore() error
	// written returns the parts that were written since the last restore, if the
	// system can report them.
	written() []span
	// warm makes the first write to each of parts cheap. It does not change their content.
	warm(parts []span)
}

// span is a part of a memory, of whole pages.
type span struct{ Offset, Size uintptr }

// newImage returns an image of a snapshot in the fastest store that this system supports.
func newImage(s snapshot, copying bool) *image {
	if copying {
		return &image{snapshot: s, store: copiedStore{s}}
	}
	mapped, err := newMappedStore(s)
	if err != nil { // copying is slower but equivalent
		return &image{snapshot: s, store: copiedStore{s}}
	}
	return &image{snapshot: s, store: mapped}
}

func (i *image) close() error { return i.store.close() }

const pageSize = 4096

// nonZero returns the parts of a memory that are not zero, in whole pages: half a megabyte of
// 17 MB for the booted engine.
func nonZero(memory []byte) []piece {
	var pieces []piece
	zeros := make([]byte, pageSize)
	for at := 0; at < len(memory); at += pageSize {
		page := memory[at : at+pageSize]
		if bytes.Equal(page, zeros) {
			continue
		}
		if last := len(pieces) - 1; last >= 0 && pieces[last].offset+len(pieces[last].data) == at {
			pieces[last].data = append(pieces[last].data, page...)
			continue
		}
		pieces = append(pieces, piece{at, bytes.Clone(page)})
	}
	return pieces
}

// snapshot returns a snapshot of the instance.
func (in *instance) snapshot() (snapshot, error) {
	all, ok := in.memory.Read(0, in.memory.Size())
	if !ok || in.err != nil {
		return snapshot{}, fmt.Errorf("read the memory of the booted engine: %w", in.err)
	}
	return snapshot{size: in.memory.Size(), pieces: nonZero(all), stack: in.stack.Get(), entries: in.entries}, nil
}
