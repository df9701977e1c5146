package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/exit"
)

type importOptions struct {
	changeOptions
	from string
}

func newConfigImport(a *app) *cobra.Command {
	o := &importOptions{changeOptions: changeOptions{app: a}}
	c := &cobra.Command{
		Use:   "import",
		Short: "Take over the MCP servers of other clients",
		Long: `Take over the MCP servers that other MCP clients have configured: ` + strings.Join(clients.Names(), ", ") + `.

The servers of a project's files, such as .mcp.json, go into the project's
.toolscript.json, which needs your trust. Those of the user go into
~/.toolscript.json, or into the file of --config. The change is shown first.
A token in clear text is not copied: the file gets ${NAME}, and the output names the
variable to set. Servers that are configured already stay as they are.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.undo {
				return o.takeBack(c.Context(), "import")
			}
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.from, "from", "", "only of this `client`: "+strings.Join(clients.Names(), ", "))
	_ = c.RegisterFlagCompletionFunc("from", cobra.FixedCompletions(clients.Names(), cobra.ShellCompDirectiveNoFileComp)) // the flag exists
	o.addFlags(c)
	return c
}

func (o *importOptions) run(ctx context.Context) error {
	plan, err := o.importPlan(o.from)
	if err != nil {
		return err
	}
	again := "toolscript config import --yes"
	if o.from != "" {
		again = "toolscript config import --from " + o.from + " --yes"
	}
	if len(plan.Changes) == 0 {
		o.say("there is nothing to import")
	}
	return o.carryOut(ctx, "import", again, plan)
}

// importPlan reads the servers of one client, or of all.
func (o *changeOptions) importPlan(from string) (*clients.Import, error) {
	var client *clients.Client
	if from != "" {
		var err error
		if client, err = clients.Find(from, clients.Names()); err != nil {
			return nil, &exit.UsageError{Command: "toolscript config import", Err: errors.New(err.Error())}
		}
	}
	places, targets, err := o.where()
	if err != nil {
		return nil, err
	}
	return clients.Plan(places, targets, client)
}
