package httptransport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript/internal/budget"
)

// edge is the number of bytes that are kept of the beginning and of the end of a line that is too
// long. One of these parts contains the id of a response.
const edge = Edge

// event is one server-sent event.
type event struct {
	name string // "message" if the server sets none
	data []byte
}

// events reads a stream of server-sent events as defined by WHATWG's HTML standard,
// with a size limit.
type events struct {
	in    *bufio.Reader
	limit int // maximum bytes of one event

	lastID string        // id of the last complete event
	retry  time.Duration // the server's delay before the next connection
	asked  bool          // the server has set retry
	count  int           // complete events, including those without data, but not comments

	ctx   context.Context //nolint:containedctx // the context of the reader; ends with the stream
	lease *budget.Lease   // lease of the current event

	torso []byte // beginning and end of the line that exceeded the limit

	text budget.Buffer // memory of line
	line []byte
	next event
	id   string
	size int

	named bool // the current event has a field
}

func newEvents(from io.Reader, limit int) *events {
	return &events{in: bufio.NewReaderSize(&lineEnds{from: from}, 16<<10), limit: limit, ctx: context.Background()}
}

// under sets the lease for the bytes that are read. Reads wait for memory until ctx ends.
func (e *events) under(ctx context.Context, l *budget.Lease) *events {
	e.ctx, e.lease = ctx, l
	return e
}

// read returns the next event with data. io.EOF is the normal end of the stream. ErrTooLarge means
// that one event was skipped; read can then be called again.
func (e *events) read() (event, error) {
	e.begin()
	for {
		err := e.readLine()
		switch {
		case errors.Is(err, io.EOF) && len(e.line) == 0 && len(e.next.data) > 0 && e.size <= e.limit:
			return e.complete(), nil // some servers omit the last empty line
		case err != nil:
			return event{}, err
		case len(e.line) > 0:
			if err := e.field(); err != nil {
				return event{}, err
			}
			continue
		}
		e.lastID = e.id
		if e.named {
			e.count++
		}
		if e.size > e.limit {
			return event{}, ErrTooLarge
		}
		if len(e.next.data) > 0 {
			return e.complete(), nil
		}
		e.begin() // servers send events without data to keep the connection open
	}
}

func (e *events) begin() { e.next, e.size, e.id, e.named = event{}, 0, e.lastID, false }

func (e *events) complete() event {
	if e.next.name == "" {
		e.next.name = "message"
	}
	return e.next
}

// readLine reads a line without its line break. If a line makes the event exceed the limit, readLine
// drops it and sets an empty comment instead.
func (e *events) readLine() error {
	e.text.Reset(e.lease)
	e.line = nil
	size, limit := 0, max(e.limit-e.size, 2) // an empty line must always fit
	var end []byte                           // the last bytes of a line of several pieces
	for {
		piece, err := e.in.ReadSlice('\n')
		if size += len(piece); size <= limit {
			if full := e.text.Write(e.ctx, e.lease, piece, limit); full != nil {
				return full
			}
			e.line = e.text.Bytes()
		}
		if full := errors.Is(err, bufio.ErrBufferFull); full || size > limit {
			end = append(end, piece[max(0, len(piece)-edge):]...)
			end = end[max(0, len(end)-edge):]
			if full {
				continue
			}
			e.torso = slices.Concat(e.line[:min(len(e.line), edge)], end)
			e.line = []byte{':'}
			e.size += size
			return err
		}
		e.line = bytes.TrimSuffix(e.line, []byte("\n"))
		if !bytes.HasPrefix(e.line, []byte(":")) {
			e.size += len(e.line)
		}
		return err
	}
}

// field handles one line of an event.
func (e *events) field() error {
	name, _, _ := strings.Cut(string(e.line[:min(len(e.line), 16)]), ":")
	rest := e.line[min(len(e.line), len(name)+1):]
	rest = bytes.TrimPrefix(rest, []byte(" "))
	e.named = e.named || name != ""             // a line without a name is a comment
	switch strings.TrimPrefix(name, "\uFEFF") { // the stream may begin with a byte order mark
	case "data":
		if e.next.data == nil {
			e.next.data = rest[:len(rest):len(rest)]
			e.text.Detach() // the event keeps that memory
			return nil
		}
		if len(e.next.data)+len(rest) > budget.Free {
			if err := e.lease.Take(e.ctx, len(rest)); err != nil {
				return err
			}
		}
		e.next.data = append(append(e.next.data, '\n'), rest...)
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
	return nil
}

// lineEnds turns the line ends CR and CRLF into LF.
type lineEnds struct {
	from  io.Reader
	after bool // the last byte was a CR
}

// Read implements io.Reader.
func (l *lineEnds) Read(p []byte) (int, error) {
	for {
		n, err := l.from.Read(p)
		kept := p[:n]
		if l.after && len(kept) > 0 {
			l.after = false
			if kept[0] == '\n' {
				kept = kept[:copy(kept, kept[1:])]
			}
		}
		if at := bytes.IndexByte(kept, '\r'); at >= 0 {
			kept = kept[:at+l.replace(kept[at:])]
		}
		if len(kept) > 0 || err != nil || n == 0 {
			return len(kept), err
		}
	}
}

// replace replaces the line ends in a text in place and returns its new length.
func (l *lineEnds) replace(text []byte) int {
	n := 0
	for _, b := range text {
		switch {
		case b == '\r':
			l.after = true
			b = '\n'
		case b == '\n' && l.after:
			l.after = false
			continue
		default:
			l.after = false
		}
		text[n] = b
		n++
	}
	return n
}
