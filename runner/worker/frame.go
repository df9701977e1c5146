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

	"github.com/toolscript/toolscript/internal/rawio"
)

// MaxFrame bounds a payload, in bytes. Both sides refuse longer frames: a worker that a
// script controls must not fill the gateway's memory.
const MaxFrame = 32 << 20

// frames is the form of the frames, and textForm that of the texts in a payload.
var (
	frames   = rawio.Frames{Order: binary.BigEndian, Kinds: true, Most: MaxFrame}
	textForm = rawio.Frames{Order: binary.BigEndian, Most: MaxFrame}
)

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
	l.buf = frames.AppendHead(l.buf, byte(t), size)
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
	l.buf = binary.BigEndian.AppendUint32(frames.AppendHead(l.buf, byte(t), numberSize+len(value)), number)
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

// read receives one frame; see rawio.Frames.Read.
func (l *link) read() (frameType, []byte, error) {
	kind, payload, err := frames.Read(l.r)
	return frameType(kind), payload, err
}

// more reports whether bytes are buffered that were not read yet.
func (l *link) more() bool { return l.r.Buffered() > 0 }
