package quickjs

import (
	"bytes"
	"fmt"

	"github.com/tetratelabs/wazero/experimental"
)

// entries are the places in an image by which the host enters it. They are the
// same in every guest made of the image.
type entries struct {
	scratch          uint32
	runtime, context uint32 // of QuickJS
	begin            box    // (run: string): takes the script's arguments and the like
	settle           box    // (call, ok, answer: string): a tool has answered
	fire             box    // (timer)
	feed             box    // (chunk: string | undefined): standard input has come
	finish           box    // (namespace) → promise of the value as JSON, or of undefined
	describe         box    // (error) → what is known of it, as JSON
}

// snapshot is a booted guest, taken apart.
type snapshot struct {
	size    uint32
	pieces  []piece
	stack   uint64
	entries entries
}

// image is a snapshot in a form from which guests are made fresh.
type image struct {
	snapshot
	store store
	hot   []span // what most scripts write to
}

// piece is a part of a memory that is not all zeros.
type piece struct {
	offset int
	data   []byte
}

// store holds the bytes of an image.
type store interface {
	// newMemory is a memory that may grow up to limit bytes. It holds the image
	// after its first restore.
	newMemory(limit uint64) (memory, error)
	close() error
}

// memory is the linear memory of one guest.
type memory interface {
	experimental.LinearMemory
	// setLimit makes growing beyond a size fail.
	setLimit(bytes uint64)
	// restore makes the memory equal to the image. Its size must be that of the
	// image.
	restore() error
	// written are the parts that have been written to since the last restore, where
	// that can be told.
	written() []span
	// warm makes writing to these parts cheap. They stay as they are.
	warm(parts []span)
}

// span is a part of a memory, of whole pages.
type span struct{ offset, size uintptr }

// newImage keeps a snapshot in the best way this system has.
func newImage(s snapshot, copying bool) *image {
	if copying {
		return &image{snapshot: s, store: copiedStore{s}}
	}
	mapped, err := newMappedStore(s)
	if err != nil { // copying is slower and does the same
		return &image{snapshot: s, store: copiedStore{s}}
	}
	return &image{snapshot: s, store: mapped}
}

func (i *image) close() error { return i.store.close() }

const pageSize = 4096

// nonZero are the pieces of a memory, each of whole pages. Of 17 MB they are half
// a megabyte.
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

// snapshot takes the guest's memory and where its stack stands.
func (g *guest) snapshot() (snapshot, error) {
	all, ok := g.memory.Read(0, g.memory.Size())
	if !ok || g.err != nil {
		return snapshot{}, fmt.Errorf("read the memory of the booted engine: %w", g.err)
	}
	return snapshot{size: g.memory.Size(), pieces: nonZero(all), stack: g.stack.Get(), entries: g.entries}, nil
}
