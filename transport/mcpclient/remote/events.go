package remote

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// edge is how much is kept of both ends of a line that is too long. The id of a
// response is in one of them: no SDK writes it in the middle.
const edge = 512

// event is one server-sent event.
type event struct {
	name string // "message" when the server gives none
	data []byte
}

// events reads a stream of server-sent events as WHATWG's HTML standard has
// them, with a bound. A line ends in LF or CRLF; the standard's third way, CR
// alone, is not known here.
type events struct {
	in    *bufio.Reader
	limit int // bytes of one event

	lastID string        // of the last event that was complete
	retry  time.Duration // that the server asks for before the next connection
	asked  bool          // retry was given
	count  int           // complete events, those without data too

	torso []byte // both ends of the line by which an event came to be too large

	line []byte
	next event
	id   string
	size int
}

func newEvents(from io.Reader, limit int) *events {
	return &events{in: bufio.NewReaderSize(from, 16<<10), limit: limit}
}

// read returns the next event that has data. io.EOF is the orderly end of the
// stream. After ErrTooLarge, which costs one event, it can be called again.
func (e *events) read() (event, error) {
	e.begin()
	for {
		err := e.readLine()
		switch {
		case errors.Is(err, io.EOF) && len(e.line) == 0 && len(e.next.data) > 0 && e.size <= e.limit:
			return e.complete(), nil // servers do leave out the last empty line
		case err != nil:
			return event{}, err
		case len(e.line) > 0:
			e.field()
			continue
		}
		e.lastID = e.id
		e.count++
		if e.size > e.limit {
			return event{}, ErrTooLarge
		}
		if len(e.next.data) > 0 {
			return e.complete(), nil
		}
		e.begin() // an event without data is none, and servers send them to keep the connection open
	}
}

func (e *events) begin() { e.next, e.size, e.id = event{}, 0, e.lastID }

func (e *events) complete() event {
	if e.next.name == "" {
		e.next.name = "message"
	}
	return e.next
}

// readLine reads a line without its end. A line by which the event comes to be
// over the limit is not kept, and reads as a comment.
func (e *events) readLine() error {
	e.line = e.line[:0]
	size, limit := 0, max(e.limit-e.size, 2) // there is always room for an empty line
	for {
		piece, err := e.in.ReadSlice('\n')
		if size += len(piece); size <= limit {
			e.line = append(e.line, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if size > limit {
			e.torso = append(append([]byte(nil), e.line[:min(len(e.line), edge)]...), piece[max(0, len(piece)-edge):]...)
			e.line = append(e.line[:0], ':')
			e.size += size
			return err
		}
		e.line = bytes.TrimSuffix(bytes.TrimSuffix(e.line, []byte("\n")), []byte("\r"))
		if !bytes.HasPrefix(e.line, []byte(":")) {
			e.size += len(e.line)
		}
		return err
	}
}

// field takes one line of an event.
func (e *events) field() {
	name, _, _ := strings.Cut(string(e.line[:min(len(e.line), 16)]), ":")
	rest := e.line[min(len(e.line), len(name)+1):]
	rest = bytes.TrimPrefix(rest, []byte(" "))
	switch strings.TrimPrefix(name, "\uFEFF") { // a byte order mark may begin the stream
	case "data":
		if e.next.data == nil {
			e.next.data = make([]byte, 0, len(rest))
		} else {
			e.next.data = append(e.next.data, '\n')
		}
		e.next.data = append(e.next.data, rest...)
	case "event":
		e.next.name = string(rest)
	case "id":
		if !bytes.ContainsRune(rest, 0) {
			e.id = string(rest)
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(rest[:min(len(rest), 20)]), 10, 31); err == nil {
			e.retry, e.asked = time.Duration(ms)*time.Millisecond, true
		}
	}
}
