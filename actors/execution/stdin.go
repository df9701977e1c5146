package execution

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/toolscript/toolscript"
)

// stdin carries standard input from POST /runs/{id}/stdin to the script. It
// holds one piece: the next one waits until the script has taken it, so a fast
// sender cannot fill the gateway's memory.
type stdin struct {
	pieces chan []byte
	eof    chan struct{} // closed at the end of the input
	close  sync.Once     // closes eof
	broken error         // why the input ended early; written before eof is closed
	wanted sync.Once     // the client is told once that the script reads
}

func newStdin(open bool) *stdin {
	s := &stdin{pieces: make(chan []byte, 1), eof: make(chan struct{})}
	if !open {
		s.end(nil)
	}
	return s
}

func (s *stdin) end(broken error) {
	s.close.Do(func() {
		s.broken = broken
		close(s.eof)
	})
}

// give passes a copy of a piece on, since callers read the next one into the
// same memory, and waits until the one before it is taken.
func (s *stdin) give(ctx context.Context, p toolscript.StdinPiece) error {
	select {
	case <-s.eof:
		return &toolscript.Error{Kind: toolscript.Conflict, Err: errors.New("standard input of this run has ended")}
	default:
	}
	if len(p.Data) > 0 {
		select {
		case s.pieces <- slices.Clone(p.Data):
		case <-ctx.Done():
			return &toolscript.Error{Kind: toolscript.Timeout, Err: errors.New("the script does not read its standard input")}
		}
	}
	switch {
	case p.Error != "":
		s.end(errors.New(p.Error))
	case p.EOF:
		s.end(nil)
	}
	return nil
}

// read waits for the next piece; nil is the end of the input, and an error that it
// could not be read to its end.
func (s *stdin) read(ctx context.Context) ([]byte, error) {
	select {
	case piece := <-s.pieces:
		return piece, nil
	case <-s.eof:
		select {
		case piece := <-s.pieces: // given before the end
			return piece, nil
		default:
			return nil, s.broken
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
