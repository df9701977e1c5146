package exec

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// TakeServers adds --stdio, --url and related flags to some commands. A command with these flags runs without
// a gateway.
func TakeServers(a *app.App, root *cobra.Command) {
	for _, c := range root.Commands() {
		switch c.Name() {
		case "call", "exec", "search", "get-types", "list-tools":
			takeServersOf(a, c)
		}
	}
}

func takeServersOf(a *app.App, c *cobra.Command) {
	flags := &AdhocFlags{}
	flags.Add(c.Flags())
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := useServers(a, c, flags); err != nil {
			return err
		}
		plan, err := planSave(a, flags.Save)
		if err != nil {
			return err
		}
		if err := run(c, args); err != nil || plan == nil {
			return err
		}
		return saveServer(c.Context(), a, plan)
	}
}

// useServers adds the servers of the flags to the configuration of this command.
func useServers(a *app.App, c *cobra.Command, flags *AdhocFlags) error {
	servers, err := flags.Servers()
	switch {
	case err != nil:
		return &app.UsageError{Command: c.CommandPath(), Err: err}
	case len(servers) > 0 && a.Target.URL != "":
		return app.Usage(c.CommandPath(), "--stdio and --url start servers in this command and cannot be combined with --gateway-url")
	}
	a.Host.Config.Extra = servers
	return nil
}

// ExtraServers returns the sorted names of the servers of --stdio and --url.
func ExtraServers(a *app.App) []string { return AdhocNames(a.Host.Config.Extra) }

// planSave returns the change that writes the server of the flags into the user's configuration under name;
// nil if name is empty. It runs before the command, so that a name that is taken stops the command. The file
// gets references to variables instead of secrets.
func planSave(a *app.App, name string) (*clients.Import, error) {
	if name == "" {
		return nil, nil
	}
	o := app.ChangeOptions{App: a}
	places, targets, err := o.Where()
	if err != nil {
		return nil, err
	}
	servers := a.Host.Config.Extra
	text := servers[ExtraServers(a)[0]]
	var definition map[string]any
	if err := json.Unmarshal(text, &definition); err != nil {
		return nil, err
	}
	plan, err := clients.Add(places, targets.User, name, definition)
	if toolscript.KindOf(err) != toolscript.Conflict {
		return plan, err
	}
	if same, failed := clients.AddServer(targets.User, name, text); failed == nil && same == nil {
		return &clients.Import{Notes: []string{fmt.Sprintf("%s has this server already, as %s", targets.User.Path, name)}}, nil
	}
	return nil, fmt.Errorf("nothing was run: %w", err)
}

// saveServer writes the change of planSave.
func saveServer(ctx context.Context, a *app.App, plan *clients.Import) error {
	o := app.ChangeOptions{App: a, Yes: true, Form: terminal.AsTable, Shown: a.Stderr} // the output of the command is data
	return o.CarryOut(ctx, "save", "", plan)
}
