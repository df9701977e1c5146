package runs

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/toolscript/toolscript"
)

// stdin carries standard input from POST /runs/{id}/stdin to the script. It holds one
// piece, and the next one waits until the script has taken it: a fast sender cannot
// fill the gateway's memory.
type stdin struct {
	events    *emitter
	pieces    chan []byte
	eof       chan struct{} // closed at the end of the input
	closing   sync.Once     // closes eof
	broken    error         // why the input ended early; written before eof is closed
	announced sync.Once     // emits, once, that the script reads
}

func newStdin(open bool, events *emitter) *stdin {
	s := &stdin{events: events, pieces: make(chan []byte, 1), eof: make(chan struct{})}
	if !open {
		s.end(nil)
	}
	return s
}

func (s *stdin) end(broken error) {
	s.closing.Do(func() {
		s.broken = broken
		close(s.eof)
	})
}

// give adds a copy of a piece, because the caller reuses its memory. It waits until the script
// has taken the previous piece.
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

// ReadStdin implements runner.Host.
func (s *stdin) ReadStdin(ctx context.Context) ([]byte, error) {
	s.announced.Do(func() { s.events.emit(toolscript.Event{Type: toolscript.EventStdin}) })
	select {
	case piece := <-s.pieces:
		return piece, nil
	case <-s.eof:
		select {
		case piece := <-s.pieces: // the piece arrived before the end
			return piece, nil
		default:
			return nil, s.broken
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
