package rawio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Frames is a form of frames. A frame is the length of its payload in four bytes, its kind in
// one byte if the form has kinds, and the payload.
type Frames struct {
	Order Order // of the length
	Kinds bool
	Most  int // the largest length of a payload
}

// Order is a byte order: binary.BigEndian or binary.LittleEndian.
type Order interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// The sizes of the parts of a head, in bytes.
const (
	lengthSize = 4
	kindSize   = 1
)

// TooLong is the error for a frame that is longer than its form allows.
type TooLong struct {
	Kind       byte
	Size, Most int
}

func (e *TooLong) Error() string {
	return fmt.Sprintf("a frame of %d bytes exceeds the limit of %d", e.Size, e.Most)
}

// AppendHead appends what comes before a payload of the given size, which must be at most Most.
func (f Frames) AppendHead(b []byte, kind byte, size int) []byte {
	b = f.Order.AppendUint32(b, uint32(size))
	if f.Kinds {
		b = append(b, kind)
	}
	return b
}

// Write writes a frame with one call of w.Write. The error is a *TooLong if nothing was written
// because of the length.
func (f Frames) Write(w io.Writer, kind byte, payload []byte) error {
	if len(payload) > f.Most {
		return &TooLong{Kind: kind, Size: len(payload), Most: f.Most}
	}
	frame := f.AppendHead(make([]byte, 0, lengthSize+kindSize+len(payload)), kind, len(payload))
	_, err := w.Write(append(frame, payload...))
	return err
}

// ReadHead reads what comes before a payload. The error is io.EOF if r ended before the frame, and a
// *TooLong if the payload is too long.
func (f Frames) ReadHead(r io.Reader) (kind byte, size int, err error) {
	var head [lengthSize + kindSize]byte
	read := head[:lengthSize]
	if f.Kinds {
		read = head[:]
	}
	if _, err := io.ReadFull(r, read); err != nil {
		return 0, 0, err
	}
	kind = head[lengthSize]
	length := f.Order.Uint32(head[:])
	if uint64(length) > uint64(f.Most) {
		return 0, 0, &TooLong{Kind: kind, Size: int(length), Most: f.Most}
	}
	return kind, int(length), nil
}

// Read reads a frame, whose payload belongs to the caller. The error is io.EOF if r ended before the
// frame, io.ErrUnexpectedEOF if r ended in it, and a *TooLong if the payload is too long.
func (f Frames) Read(r io.Reader) (kind byte, payload []byte, err error) {
	kind, size, err := f.ReadHead(r)
	if err != nil {
		return 0, nil, err
	}
	payload, err = readPayload(r, size)
	return kind, payload, Unexpected(err)
}

// readPayload allocates memory only as bytes arrive: a forged length costs none.
func readPayload(r io.Reader, size int) ([]byte, error) {
	const trusted = 1 << 20
	if size <= trusted {
		payload := make([]byte, size)
		_, err := io.ReadFull(r, payload)
		return payload, err
	}
	var buf bytes.Buffer
	buf.Grow(trusted)
	_, err := io.CopyN(&buf, r, int64(size))
	return buf.Bytes(), err
}

// Unexpected returns err, or io.ErrUnexpectedEOF in place of io.EOF.
func Unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Cut splits the bytes after a frame without a kind from its payload. found is false if b does not
// begin with a whole frame.
func (f Frames) Cut(b []byte) (payload, rest []byte, found bool) {
	if len(b) < lengthSize {
		return nil, nil, false
	}
	size, rest := f.Order.Uint32(b), b[lengthSize:]
	if uint64(size) > uint64(min(f.Most, len(rest))) {
		return nil, nil, false
	}
	return rest[:size], rest[size:], true
}
