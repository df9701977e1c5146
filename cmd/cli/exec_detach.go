package cli

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// checkDetach returns an error for flags that --detach cannot follow: the run has no
// output here, and the gateway has its own configuration.
func (o *execOptions) checkDetach() error {
	switch {
	case !o.detach:
		return nil
	case o.out != "":
		return exit.Usage(o.script.Command, "--detach prints no value: leave out --out, and read the value with toolscript runs output")
	case o.maxTokens.Given:
		return exit.Usage(o.script.Command, "--detach prints no value: leave out --max-tokens, or give it to toolscript runs output")
	case o.trust || len(o.host.Config.Extra) > 0:
		return exit.Usage(o.script.Command, "--detach needs the running gateway, which does not follow --trust, --stdio and --url: leave them out")
	}
	return nil
}

// begin begins a run that goes on without this command, and prints its id.
func (o *execOptions) begin(ctx context.Context, request toolscript.ExecRequest) error {
	g, err := o.target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	id, err := g.Detach(ctx, request)
	if err != nil {
		return err
	}
	if o.form.Structured() {
		return terminal.WriteJSON(o.Stdout, struct {
			RunID string `json:"runId"`
		}{id})
	}
	return o.print("%s", id)
}
