package mcpclient

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	maxMessage = 64 << 20 // bytes of one message of a server; mcp-go has no limit
	maxSkipped = 4 * maxMessage
	edge       = httptransport.Edge // bytes kept of each end of a message that is too large
)

// errTooLarge ends a connection if a message that is too large belongs to no call.
var errTooLarge = fmt.Errorf("the server sent a message larger than %d MB", maxMessage>>20)

// filter reads the server's output line by line and forwards the messages. It collects a message
// that exceeds the read buffer within the budget for answers. It passes answers directly to their
// calls: mcp-go would copy them five times, and would ignore answers that it cannot read.
type filter struct {
	to      io.Writer
	limit   int
	text    func(line []byte)                                   // receives the beginning of a line that is not a message
	refused func(candidates iter.Seq[int64], r reply) (ok bool) // receives the possible ids of an answer that is not read; returns false if none belongs to a call

	ctx     context.Context                                     //nolint:containedctx // the context of the connection that owns the filter
	answers *budget.Budget                                      // nil means unlimited
	take    func(message []byte, taken *budget.Lease) (ok bool) // receives a long answer; returns false if it belongs to no call; may be nil
	direct  func(message []byte) (ok bool)                      // receives a short message; returns false if it belongs to no call; may be nil
}

// read starts to read the server's output. Messages for mcp-go are written to to. answers bounds the memory of long
// messages.
func (s *stdio) read(to io.Writer, answers *budget.Budget) {
	ctx, stop := context.WithCancel(context.Background())
	s.stopReading = stop
	s.calls.asked = func(m message) bool { return s.asked(ctx, m) }
	f := &filter{
		to: to, limit: maxMessage, text: s.text, refused: s.calls.refuse,
		ctx: ctx, answers: answers, take: s.calls.answer, direct: s.calls.direct,
	}
	go func() {
		defer stop()
		s.pump(f)
	}()
}

// pump filters the server's output until it ends.
func (s *stdio) pump(f *filter) {
	defer close(s.pumped)
	defer rescue.Catch(panicked(s.on))
	s.broke = upstream.ErrFault // remains set after a panic
	err := f.run(&s.output)
	if s.broke = nil; errors.Is(err, errTooLarge) {
		s.broke = err
	}
}

// run forwards lines until reading fails or a message that is too large belongs to no
// call. It continues to read after the receiver has ended, because a full pipe would
// prevent the server from exiting normally.
func (f *filter) run(from io.Reader) error {
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		if err := f.line(in); err != nil {
			return err
		}
	}
}

func (f *filter) line(in *bufio.Reader) error {
	piece, more, err := next(in)
	if err != nil {
		return err
	}
	piece = rawjson.TrimMark(piece)
	if !startsMessage(piece) {
		f.text(piece)
		_, _, err := skip(in, more)
		return err
	}
	var deep rawjson.Meter
	if deep.TooDeep(piece) {
		return f.refuseDeep(in, bytes.Clone(piece[:min(len(piece), edge)]), piece, more)
	}
	if !more {
		f.pass(piece)
		return nil
	}
	return f.long(in, piece, &deep)
}

func (f *filter) pass(message []byte) {
	switch {
	case f.direct != nil && f.direct(message):
	case rawjson.Valid(message):
		_, _ = f.to.Write(message) // fails only after mcp-go has ended
	default:
		f.text(message)
	}
}
