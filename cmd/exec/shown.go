package exec

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// LiveOutput returns an output that prints a run as it goes on.
func LiveOutput(a *app.App, p terminal.ValuePrinter, n *terminal.Notice) *Live {
	return NewLive(a.Stdout, a.Stderr, p, n, a.Again)
}

// Noted returns an output that remembers the id of the printed run, and completes the commands in its messages.
func Noted(a *app.App, out Output) Output { return noted{out, a} }

type noted struct {
	Output
	app *app.App
}

// Event implements exec.Output.
func (n noted) Event(e toolscript.Event) error {
	n.app.NoteRun(e.RunID)
	return n.Output.Event(n.app.Completed(e))
}
