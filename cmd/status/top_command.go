package status

import (
	"context"
	"errors"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/api"
)

// NewTop returns the command top.
func NewTop(a *app.App) *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "top",
		Short: "Show everything that happens in the running gateway on this terminal",
		Long: `Show everything that happens in the running gateway on this terminal: what needs your
attention, servers, runs, calls that wait for you, calls, actors, the search index and the
log, while they change.

The keys 1 to 8 change the view, / shows only rows with a text, r restarts the server of
the selected row, a aborts its run, and ? lists the other keys. top stays when the gateway
ends, and shows the next one. It needs a terminal of any size, with or without colours
(NO_COLOR). For programs: toolscript status --watch --json.

--all shows every gateway of this user on this host, and the hub with its shared servers,
in one table, which is read again every two seconds. r restarts the selected gateway or
shared server, and x ends it, or removes what a gateway that was killed has left. For
programs: toolscript status --all --json.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if all {
				return topAll(c.Context(), a)
			}
			return top(c.Context(), a)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "show every gateway of this user on this host, and the hub")
	return c
}

// errNoScreen is the error of top without a terminal.
var errNoScreen = &toolscript.Error{
	Kind: toolscript.Unsupported,
	Err:  errors.New("top needs a terminal for its input and output, and TERM must not be dumb; use instead: toolscript status, or toolscript status --watch --json"),
}

// hasScreen reports whether top can draw.
func hasScreen(a *app.App) bool {
	return terminal.Is(a.Stdin) && terminal.Is(a.Stdout) && a.Getenv("TERM") != "dumb"
}

func top(ctx context.Context, a *app.App) error {
	if !hasScreen(a) {
		return errNoScreen
	}
	g, err := a.Target.Require(ctx)
	if err != nil {
		return err
	}
	g.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o := &statusOptions{App: a}
	return RunScreen(ctx, ScreenOptions{
		Updates: Follow(ctx, func(context.Context) (*api.Client, error) { return o.current() }),
		In:      a.Stdin, Out: a.Stdout, Env: a.Env,
	})
}

// topAll shows all gateways of this host. Its keys run other commands of this program.
func topAll(ctx context.Context, a *app.App) error {
	if !hasScreen(a) {
		return errNoScreen
	}
	if _, err := inventory(ctx, a); err != nil {
		return err
	}
	return RunHostScreen(ctx, HostScreenOptions{Look: func(ctx context.Context) ([]Item, error) { return inventory(ctx, a) }, Do: func(ctx context.Context, args []string) (string, error) { return runSelf(ctx, a, args) }, In: a.Stdin, Out: a.Stdout, Env: a.Env})
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
