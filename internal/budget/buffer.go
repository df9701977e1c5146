package budget

import (
	"context"
	"errors"
	"io"
)

// Buffer collects an answer whose length is unknown, or only announced by the server. Its
// memory grows with the bytes that have arrived.
type Buffer struct {
	bytes []byte
	taken int
}

// Bytes returns the written bytes without a copy.
func (b *Buffer) Bytes() []byte { return b.bytes }

// Len returns the number of written bytes.
func (b *Buffer) Len() int { return len(b.bytes) }

// Room returns a slice for at least n more bytes. The caller fills it and then calls Wrote. most is
// the maximum length of the buffer in bytes. The error is that of Lease.Take.
func (b *Buffer) Room(ctx context.Context, l *Lease, n, most int) ([]byte, error) {
	if need := len(b.bytes) + n; need > cap(b.bytes) {
		size := min(max(need, 2*cap(b.bytes)), max(most, need))
		if size > Free {
			if err := l.Take(ctx, size); err != nil {
				return nil, err
			}
		}
		grown := make([]byte, len(b.bytes), size)
		copy(grown, b.bytes)
		b.bytes = grown
		l.Drop(b.taken) // the bytes of the previous memory
		if b.taken = 0; size > Free {
			b.taken = size
		}
	}
	return b.bytes[len(b.bytes):cap(b.bytes)], nil
}

// Wrote records that n bytes of the space from Room were used.
func (b *Buffer) Wrote(n int) { b.bytes = b.bytes[:len(b.bytes)+n] }

// Write appends a copy of p.
func (b *Buffer) Write(ctx context.Context, l *Lease, p []byte, most int) error {
	room, err := b.Room(ctx, l, len(p), most)
	if err == nil {
		b.Wrote(copy(room, p))
	}
	return err
}

// Reset discards the content and returns its bytes to the lease. It keeps the memory
// for reuse, up to Free bytes.
func (b *Buffer) Reset(l *Lease) {
	l.Drop(b.taken)
	if b.taken = 0; cap(b.bytes) > Free {
		b.bytes = nil
	}
	b.bytes = b.bytes[:0]
}

// Detach empties the buffer and leaves the memory to the caller of Bytes. The memory still counts for the
// lease.
func (b *Buffer) Detach() { *b = Buffer{} }

// ErrTooLong is the error of Read for a text that is longer than allowed.
var ErrTooLong = errors.New("the text is longer than allowed")

// ReadError is the error of Read if its reader fails.
type ReadError struct{ Err error }

// Error implements error.
func (e *ReadError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the reader.
func (e *ReadError) Unwrap() error { return e.Err }

// firstRead is the size of the first buffer of Read, in bytes.
const firstRead = 4 << 10

// Read reads r to its end, at most limit bytes. It takes memory from l before it reads, so r
// must return decompressed text. size is the announced length, negative if it is unknown. The
// memory grows with the bytes that arrive, not with the announced length.
//
// The error is ErrTooLong, a *ReadError, or the error of Lease.Take.
func Read(ctx context.Context, l *Lease, r io.Reader, size int64, limit int) ([]byte, error) {
	if size > int64(limit) {
		return nil, ErrTooLong
	}
	most := limit + 1
	if size >= 0 {
		most = int(size) + 1 // one more byte for the read that returns io.EOF
	}
	var text Buffer
	for space := min(firstRead, most); ; space = 1 {
		room, err := text.Room(ctx, l, space, most)
		if err != nil {
			return nil, err
		}
		n, err := r.Read(room)
		text.Wrote(n)
		switch {
		case text.Len() > limit:
			return nil, ErrTooLong
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return text.Bytes(), nil
		case err != nil:
			return nil, &ReadError{err}
		}
	}
}
