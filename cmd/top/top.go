// Package top shows the activity of a gateway, or the gateways of a host, on a terminal,
// and lets a person act on it. It has the views of the operator page, and needs neither
// colours nor a mouse.
package top

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/follow"
)

// Gateway handles the requests of the person.
type Gateway interface {
	RestartServer(ctx context.Context, name string) (toolscript.ServerStatus, error)
	AbortRun(ctx context.Context, id string) error
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer) error
}

// Options configure Run. All fields are required.
type Options struct {
	Updates <-chan follow.Update
	In      io.Reader // a terminal
	Out     io.Writer // the same terminal
	Env     []string  // in the form of os.Environ; TERM and NO_COLOR are used
}

// frames is the maximum number of frames drawn per second.
const frames = 20

// Run shows the gateway until the person quits or ctx ends. Neither is an error.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return run(ctx, newModel(ctx, o.Updates), o.In, o.Out, o.Env)
}

func run(ctx context.Context, m tea.Model, in io.Reader, out io.Writer, env []string) error {
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(env),
		tea.WithFPS(frames), tea.WithoutSignalHandler()).Run()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
