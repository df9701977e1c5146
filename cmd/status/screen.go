package status

import (
	"context"
	"errors"
	"io"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/files"
)

// Gateway handles the requests of the person.
type Gateway interface {
	RestartServer(ctx context.Context, name string) (toolscript.ServerStatus, error)
	AbortRun(ctx context.Context, id string) error
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer) error
}

// ScreenOptions configure RunScreen. All fields but View are required.
type ScreenOptions struct {
	View    int // index in views
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
	m := newModel(ctx, o.Updates)
	m.show(o.View)
	return run(ctx, m, o.In, o.Out, o.Env)
}

func run(ctx context.Context, m tea.Model, in io.Reader, out io.Writer, env []string) error {
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(env),
		tea.WithFPS(frames), tea.WithoutSignalHandler()).Run()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// hasScreen reports whether the screen can be drawn.
func hasScreen(a *app.App) bool {
	return terminal.Is(a.Stdin) && terminal.Is(a.Stdout) && a.Getenv("TERM") != "dumb"
}

// runSelf runs a command of this program without input and returns what it has printed.
func runSelf(ctx context.Context, a *app.App, args []string) (string, error) {
	self, err := files.Own()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, self, args...) //nolint:gosec // this program
	cmd.Dir, cmd.Env = a.Dir, a.Env
	out, err := cmd.CombinedOutput()
	return string(out), err
}
