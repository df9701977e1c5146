package exec

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Place runs scripts: a gateway over HTTP, or the daemon of this process.
type Place interface {
	// Exec runs a script to its end and emits its events in order. It fails only if the
	// run could not begin or was lost.
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// ReplyRun answers a question of a server.
	ReplyRun(ctx context.Context, runID string, answer toolscript.Answer) error
	// GiveStdin sends standard input to a run. It blocks until the script has read the
	// previous piece.
	GiveStdin(ctx context.Context, runID string, piece toolscript.StdinPiece) error
}

// Output prints the events of a run, in order and one at a time.
type Output interface {
	// Event prints one event. An error ends the run, for example when the output is
	// closed.
	Event(e toolscript.Event) error
	// Still is called before something else uses the terminal: a question to the user, or a
	// script that reads standard input.
	Still()
	// Finish is called once, after the last event. failed says why the run did not
	// complete; nil if it did. The result is the error of the command.
	Finish(failed error) error
}

// errNoEnd is the error of a run without an end event.
var errNoEnd = errors.New("the gateway stopped answering before the script had ended")

// Run runs a script and passes its events to out. stdin is the standard input of the
// script; nil means none. person answers the questions of servers; nil refuses them.
func Run(ctx context.Context, at Place, req toolscript.ExecRequest, stdin io.Reader, out Output, person *terminal.Person) error {
	req.Stdin, req.Ask, req.AskPages = stdin != nil, person != nil, person != nil
	defer person.Close()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var runID string
	var writeError error // error of out
	err := at.Exec(running, req, func(e toolscript.Event) error {
		runID = cmp.Or(e.RunID, runID)
		switch {
		case e.Type == toolscript.EventStdin && stdin != nil:
			out.Still()
			go giveStdin(running, at, runID, stdin)
		case asks(at, person, e):
			out.Still()
			go answer(running, at, person, runID, e)
		default:
			writeError = cmp.Or(writeError, out.Event(e))
		}
		return writeError
	})
	if writeError != nil {
		return writeError
	}
	if signal := app.Interrupted(ctx); signal != nil {
		err = &toolscript.Error{Kind: toolscript.Cancelled, Err: signal}
	}
	return out.Finish(err)
}

// exitOf returns nil after a successful run, else an error with the exit code.
func exitOf(end *toolscript.End) error {
	if end.OK && end.ExitCode == 0 {
		return nil
	}
	return &app.Error{Code: cmp.Or(end.ExitCode, app.Failure)}
}
