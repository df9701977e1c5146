package status

import (
	"context"
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript"
)

// Gateway handles the requests of the person.
type Gateway interface {
	RestartServer(ctx context.Context, name string) (toolscript.ServerStatus, error)
	AbortRun(ctx context.Context, id string) error
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer) error
}

// ScreenOptions configure RunScreen. All fields are required.
type ScreenOptions struct {
	Updates <-chan Update
	In      io.Reader // a terminal
	Out     io.Writer // the same terminal
	Env     []string  // in the form of os.Environ; TERM and NO_COLOR are used
}

// frames is the maximum number of frames drawn per second.
const frames = 20

// RunScreen shows the gateway until the person quits or ctx ends. Neither is an error.
func RunScreen(ctx context.Context, o ScreenOptions) error {
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
