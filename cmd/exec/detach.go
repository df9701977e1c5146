package exec

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// checkDetach returns an error for flags that --detach cannot follow: the run has no
// output here, and the gateway has its own configuration.
func (o *Options) checkDetach() error {
	switch {
	case !o.detach:
		return nil
	case o.Out != "":
		return app.Usage(o.Script.Command, "--detach prints no value: leave out --out, and read the value with toolscript runs output")
	case o.MaxTokens.Given:
		return app.Usage(o.Script.Command, "--detach prints no value: leave out --max-tokens, or give it to toolscript runs output")
	case o.Trust || len(o.Host.Config.Extra) > 0:
		return app.Usage(o.Script.Command, "--detach needs the running gateway, which does not follow --trust, --stdio and --url: leave them out")
	}
	return nil
}

// begin begins a run that goes on without this command, and prints its id.
func (o *Options) begin(ctx context.Context, request toolscript.ExecRequest) error {
	g, err := o.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	request.Ask, request.AskPages = false, false // no person can answer after the command has ended
	id, err := g.Detach(ctx, request)
	if err != nil {
		return err
	}
	if o.Form.Structured() {
		return terminal.WriteJSON(o.Stdout, struct {
			RunID string `json:"runId"`
		}{id})
	}
	return o.Print("%s", id)
}
