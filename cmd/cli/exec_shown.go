package cli

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// liveOutput returns an output that prints a run as it goes on.
func liveOutput(a *App, p terminal.ValuePrinter, n *terminal.Notice) *exec.Live {
	return exec.NewLive(a.Stdout, a.Stderr, p, n, a.Again)
}

// noted is an output that remembers the id of the printed run, and completes the commands in its messages.
type noted struct {
	exec.Output
	app *App
}

// Event implements exec.Output.
func (n noted) Event(e toolscript.Event) error {
	n.app.NoteRun(e.RunID)
	return n.Output.Event(n.app.Completed(e))
}
