package worker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A frame is a length (four bytes, big endian, of the payload), a type (one byte) and
// the payload.
const headerSize = 5

// MaxFrame bounds a payload, in bytes. Both sides refuse longer frames: a worker that a
// script controls must not fill the gateway's memory.
const MaxFrame = 32 << 20

// A link carries frames in both directions. Writes may be concurrent; reads may not.
type link struct {
	r    *bufio.Reader
	hold bool             // buffer short frames until flush, which sends them in one write
	now  func([]byte) int // writes what fits without blocking; nil if w cannot do this

	mu  sync.Mutex // held while a frame is written
	w   io.Writer
	buf []byte // frames that have not been sent yet
}

func newLink(rw io.ReadWriter) *link {
	return &link{r: bufio.NewReaderSize(rw, 64<<10), w: rw}
}

// write sends one frame. Its payload is the concatenation of parts.
func (l *link) write(t frameType, parts ...[]byte) error {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	if size > MaxFrame {
		return fmt.Errorf("frame of %d bytes: %w", size, errFrameTooLong)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = binary.BigEndian.AppendUint32(l.buf, uint32(size))
	l.buf = append(l.buf, byte(t))
	for i, part := range parts {
		if len(part) > maxCopied {
			return l.writeParts(parts[i:])
		}
		l.buf = append(l.buf, part...)
	}
	if len(l.buf) > maxCopied || !l.hold {
		return l.send()
	}
	return nil
}

// writeNow writes a frame of at most maxCopied bytes as far as this is possible without
// blocking. It returns the rest, which must be written before any other frame.
func (l *link) writeNow(t frameType, number uint32, value []byte) (left []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = binary.BigEndian.AppendUint32(l.buf, uint32(numberSize+len(value)))
	l.buf = binary.BigEndian.AppendUint32(append(l.buf, byte(t)), number)
	l.buf = append(l.buf, value...)
	if n := l.now(l.buf); n < len(l.buf) {
		left = bytes.Clone(l.buf[n:])
	}
	l.buf = l.buf[:0]
	return left
}

// maxCopied is the size up to which copying a part is cheaper than one more write.
const maxCopied = 64 << 10

// flush sends the buffered frames. Only a link with hold needs it.
func (l *link) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.buf) == 0 {
		return nil
	}
	return l.send()
}

// send sends the buffered frames. The caller holds mu.
func (l *link) send() error {
	_, err := l.w.Write(l.buf)
	l.buf = l.buf[:0]
	return err
}

// writeParts sends the buffered frames and then parts, which it does not copy.
func (l *link) writeParts(parts [][]byte) error {
	if err := l.send(); err != nil {
		return err
	}
	for _, part := range parts {
		if _, err := l.w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON sends one frame with a JSON header and, if raw is not nil, a newline and
// raw. Compact JSON contains no newline, so split can separate the two.
func (l *link) writeJSON(t frameType, header any, raw []byte) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // values of scripts pass unchanged
	if err := encoder.Encode(header); err != nil {
		return err
	}
	if raw == nil {
		text.Truncate(text.Len() - 1) // the newline that Encode adds
	}
	return l.write(t, text.Bytes(), raw)
}

var errFrameTooLong = errors.New("longer than the 32 MB that script workers exchange")

// read receives one frame. The payload belongs to the caller. The error is io.EOF if
// the other side closed between two frames.
func (l *link) read() (frameType, []byte, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(l.r, header[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(header[:4])
	if size > MaxFrame {
		return 0, nil, fmt.Errorf("frame of %d bytes: %w", size, errFrameTooLong)
	}
	payload, err := readPayload(l.r, int(size))
	return frameType(header[4]), payload, err
}

// more reports whether bytes are buffered that were not read yet.
func (l *link) more() bool { return l.r.Buffered() > 0 }

// readPayload allocates memory only as bytes arrive: a forged length costs none.
func readPayload(r io.Reader, size int) ([]byte, error) {
	const trusted = 1 << 20
	if size <= trusted {
		payload := make([]byte, size)
		_, err := io.ReadFull(r, payload)
		return payload, unexpected(err)
	}
	var buf bytes.Buffer
	buf.Grow(trusted)
	n, err := io.CopyN(&buf, r, int64(size))
	if n < int64(size) && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return buf.Bytes(), unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// split decodes the JSON header of a payload and returns the bytes after it.
func split(payload []byte, header any) (raw []byte, err error) {
	text, raw, _ := bytes.Cut(payload, []byte{'\n'})
	return raw, json.Unmarshal(text, header)
}
