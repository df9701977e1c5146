package quickjs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/quickjs/prelude"
)

// An imageFile keeps the image of a booted engine between processes, because booting and the
// rehearsal take most of the time of a start. A program that can write to the file controls
// all scripts, as with the compiled engine next to it.
type imageFile struct{ path string }

// imageHeader is the first line of the file, after the hash of the rest. The bytes of the
// pieces follow.
type imageHeader struct {
	Size    uint32
	Stack   uint64
	Entries []uint32
	Pieces  [][2]int // offset, length
	Hot     []span
}

// newImageFile returns the imageFile of this engine and prelude in dir.
func newImageFile(dir string) (imageFile, error) {
	h := sha256.New()
	_, _ = h.Write(engineWasm) // a hash never fails
	for _, part := range append(prelude.Parts(), prelude.Module, prelude.Harden) {
		source, err := prelude.Source(part)
		if err != nil {
			return imageFile{}, err
		}
		_, _ = h.Write([]byte(source + "\x00"))
	}
	return imageFile{filepath.Join(dir, "image-"+hex.EncodeToString(h.Sum(nil)))}, nil
}

var errDamaged = errors.New("the image is damaged")

func (f imageFile) read() (s snapshot, hot []span, err error) {
	content, err := os.ReadFile(f.path)
	if err != nil {
		return s, nil, err
	}
	sum, content := content[:min(len(content), sha256.Size)], content[min(len(content), sha256.Size):]
	if want := sha256.Sum256(content); !bytes.Equal(sum, want[:]) {
		return s, nil, errDamaged
	}
	text, data, _ := bytes.Cut(content, []byte{'\n'})
	var h imageHeader
	if err := json.Unmarshal(text, &h); err != nil {
		return s, nil, err
	}
	s.size, s.stack = h.Size, h.Stack
	addresses := s.entries.addresses()
	if len(h.Entries) != len(addresses) {
		return s, nil, errDamaged
	}
	for i, at := range addresses {
		*at = h.Entries[i]
	}
	for _, p := range h.Pieces {
		s.pieces = append(s.pieces, piece{p[0], data[:p[1]]})
		data = data[p[1]:]
	}
	return s, h.Hot, nil
}

// write replaces the file. read detects damage with the hash.
func (f imageFile) write(s snapshot, hot []span) error {
	h := imageHeader{Size: s.size, Stack: s.stack, Hot: hot}
	for _, at := range s.entries.addresses() {
		h.Entries = append(h.Entries, *at)
	}
	var data []byte
	for _, p := range s.pieces {
		h.Pieces = append(h.Pieces, [2]int{p.offset, len(p.data)})
		data = append(data, p.data...)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	content := append(append(text, '\n'), data...)
	sum := sha256.Sum256(content)
	return files.Write(f.path, append(sum[:], content...))
}

// addresses returns pointers to all fields.
func (e *entries) addresses() []*uint32 {
	return []*uint32{
		&e.scratch, &e.runtime, &e.context, &e.objects, &e.arrays, (*uint32)(&e.begin), (*uint32)(&e.settle), (*uint32)(&e.parse), (*uint32)(&e.fire),
		(*uint32)(&e.feed), (*uint32)(&e.apply), (*uint32)(&e.finish), (*uint32)(&e.describe), (*uint32)(&e.giveUp),
	}
}
