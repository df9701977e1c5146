package session

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript/runner"
)

// Write passes on console output, unless the run is over. It blocks the script while the host
// does not take the output.
func (s *Session) Write(to runner.Stream, text string) {
	if s.ctx.Err() != nil {
		return
	}
	_ = Contain(s.options.Log, "write output", func() { s.host.Write(to, text) }) // Contain logs the panic
}

// errOver is the error of a read after the end of the run.
var errOver = errors.New("the run has ended")

// ReadStdin returns the next piece of standard input, or nil at its end. The script sees the
// text of the error.
func (s *Session) ReadStdin(ctx context.Context) (piece []byte, err error) {
	if !s.enter() {
		return nil, errOver
	}
	defer s.goroutines.Done()
	s.stdin.Lock()
	defer s.stdin.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if failure := Contain(s.options.Log, "read standard input", func() { piece, err = s.host.ReadStdin(ctx) }); failure != nil {
		return nil, failure
	}
	return piece, err
}
