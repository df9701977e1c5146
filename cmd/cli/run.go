package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/toolscript/toolscript"
)

// place is where a script can run: a gateway over HTTP, or one in this process.
type place interface {
	// Exec runs a script to its end and emits its events in order. It fails only
	// when the run could not begin or was lost.
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// ReplyRun answers a question that a server has asked.
	ReplyRun(ctx context.Context, runID string, answer toolscript.Answer) error
	// GiveStdin passes standard input to a run. It waits while the script has
	// not taken what came before.
	GiveStdin(ctx context.Context, runID string, piece toolscript.StdinPiece) error
}

// runAt runs a script at a place and tells out what happens. asked is the person
// who answers the questions of servers, nil when there is none.
func runAt(ctx context.Context, at place, req toolscript.ExecRequest, stdin io.Reader, out events, asked *person) error {
	req.Ask = asked != nil
	defer asked.close()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var runID string
	var unheard error // why out took no more
	err := at.Exec(running, req, func(e toolscript.Event) error {
		if e.RunID != "" {
			runID = e.RunID
		}
		if e.Type == toolscript.EventStdin && stdin != nil {
			go giveStdin(running, at, runID, stdin)
			return nil
		}
		if e.Type == toolscript.EventAsk && e.Ask != nil && asked != nil {
			go asked.reply(running, at, runID, *e.Ask)
			return nil
		}
		if err := out.event(e); err != nil {
			unheard = err
		}
		return unheard
	})
	if unheard != nil {
		return unheard
	}
	if signal := interrupted(ctx); signal != nil {
		err = &toolscript.Error{Kind: toolscript.Cancelled, Err: signal}
	}
	return out.finish(err)
}

// stdinPiece is how much of standard input travels at once.
const stdinPiece = 32 << 10

// giveStdin passes standard input on until either side has enough. A script may
// end without reading all of it, so that a piece finds no taker is no error. The
// goroutine may stay behind in a Read, which nothing can end: the process does.
func giveStdin(ctx context.Context, to place, runID string, stdin io.Reader) {
	buffer := make([]byte, stdinPiece)
	for {
		n, err := stdin.Read(buffer)
		piece := toolscript.StdinPiece{Data: buffer[:n], EOF: err != nil}
		if err != nil && !errors.Is(err, io.EOF) {
			piece.Error = withoutPath(err)
		}
		if offer(ctx, to, runID, piece) != nil || err != nil {
			return
		}
	}
}

// withoutPath is why a file cannot be read; what it is called here is nothing
// that a script should know.
func withoutPath(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// offer repeats what timed out: the script has only not come to read it yet.
func offer(ctx context.Context, to place, runID string, piece toolscript.StdinPiece) error {
	for {
		err := to.GiveStdin(ctx, runID, piece)
		if toolscript.KindOf(err) != toolscript.Timeout || ctx.Err() != nil {
			return err
		}
	}
}
