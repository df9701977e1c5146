package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/follow"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/cmd/top"
	"github.com/toolscript/toolscript/transport/gateway"
)

func newTop(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "top",
		Short: "Show everything that happens in the running gateway on this terminal",
		Long: `Show everything that happens in the running gateway on this terminal: what needs your
attention, servers, runs, calls that wait for you, calls, actors, the search index and the
log, while they change.

The keys 1 to 8 change the view, / shows only rows with a text, r restarts the server of
the selected row, a aborts its run, and ? lists the other keys. top stays when the gateway
ends, and shows the next one. It needs a terminal of any size, with or without colours
(NO_COLOR). For programs: toolscript status --watch --json.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error { return a.top(c.Context()) },
	}
}

// errNoScreen is the error of top without a terminal.
var errNoScreen = &toolscript.Error{
	Kind: toolscript.Unsupported,
	Err:  errors.New("top needs a terminal for its input and output, and TERM must not be dumb; use instead: toolscript status, or toolscript status --watch --json"),
}

func (a *app) top(ctx context.Context) error {
	if !terminal.Is(a.Stdin) || !terminal.Is(a.Stdout) || a.getenv("TERM") == "dumb" {
		return errNoScreen
	}
	g, err := a.target.Require(ctx)
	if err != nil {
		return err
	}
	g.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o := &statusOptions{app: a}
	return top.Run(ctx, top.Options{
		Updates: follow.Run(ctx, func(context.Context) (*gateway.Client, error) { return o.current() }),
		In:      a.Stdin, Out: a.Stdout, Env: a.Env,
	})
}
