// Package setup has the commands that change the configuration: they add servers, import them from other
// clients and the MCP Registry, trust the file of a project, log in, and store secrets.
package setup

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type initOptions struct {
	givenServer
	from  string
	demo  bool
	asked bool // the answers at the terminal chose the server
}

// NewInit returns the command init.
func NewInit(a *app.App) *cobra.Command {
	o := &initOptions{givenServer: givenServer{ChangeOptions: app.ChangeOptions{App: a}}}
	c := &cobra.Command{
		Use:   "init [-- COMMAND [ARGS]]",
		Short: "Write a first configuration",
		Long: `Write a first configuration: the server of COMMAND or --url, the servers of other
MCP clients, or the built-in demo server. Without flags, a terminal is asked;
--yes imports the servers of other clients, and configures the demo server if there
are none.

  toolscript init -- npx -y @modelcontextprotocol/server-filesystem .
  toolscript init --url https://mcp.example.com/mcp --header 'Authorization: Bearer ${TOKEN}'`,
		RunE: func(c *cobra.Command, args []string) error {
			o.command = args
			if o.Undo {
				return o.TakeBack(c.Context(), "init")
			}
			return o.run(c.Context())
		},
	}
	f := c.Flags()
	f.StringVar(&o.from, "from", "", "import the servers of this `client`, such as cursor; see toolscript config import")
	f.BoolVar(&o.demo, "demo", false, "configure the built-in demo server, which reads files of the working directory")
	f.StringVar(&o.url, "url", "", "configure the server at this `address`")
	f.StringVar(&o.name, "name", "", "`name` of the server (default: made from the command or the address)")
	o.addServerFlags(c)
	f.SetInterspersed(false) // arguments after COMMAND belong to it
	o.AddFlags(c)
	return c
}

func (o *initOptions) run(ctx context.Context) error {
	plan, err := o.plan(ctx)
	if err != nil || plan == nil {
		return err
	}
	if len(plan.Changes) == 0 {
		o.Say("there is nothing to write")
	}
	return o.CarryOut(ctx, "init", o.unasked(), plan)
}

// unasked returns the command that makes the same change without a question.
func (o *initOptions) unasked() string {
	if !o.asked {
		return o.With("--yes")
	}
	if o.demo {
		return toolscript.Command("init", "--yes", "--demo")
	}
	words := []string{"init", "--yes", "--name", o.serverName()}
	if o.project {
		words = append(words, "--project")
	}
	if o.url != "" {
		return toolscript.Command(append(words, "--url", o.url)...)
	}
	return toolscript.Command(slices.Concat(words, []string{"--"}, o.command)...)
}

// plan returns the change that the flags, else the answers at the terminal, ask for. It is nil if servers are
// configured already.
func (o *initOptions) plan(ctx context.Context) (*clients.Import, error) {
	chosen := 0
	for _, given := range []bool{o.from != "", o.demo, o.url != "", len(o.command) > 0} {
		if given {
			chosen++
		}
	}
	if chosen > 1 {
		return nil, app.Usage(o.self.CommandPath(), "choose one of --from, --demo, --url and COMMAND")
	}
	switch {
	case o.from != "":
		return importPlan(&o.givenServer.ChangeOptions, o.from, nil)
	case o.demo:
		return o.addDemo()
	case o.url != "" || len(o.command) > 0:
		return o.addServer()
	case o.name != "" || len(o.env) > 0 || len(o.headers) > 0 || o.kind.Value != "":
		return nil, app.Usage(o.self.CommandPath(), "missing the server: --url or -- COMMAND")
	}
	if done, err := o.configured(); done || err != nil {
		return nil, err
	}
	plan, err := importPlan(&o.givenServer.ChangeOptions, "", nil)
	if err != nil {
		return nil, err
	}
	if !o.Yes && terminal.Is(o.Stdin) {
		return o.askPlan(ctx, plan)
	}
	if len(plan.Changes) > 0 {
		return plan, nil
	}
	return o.addDemo()
}

// configured reports whether a file has servers already, and tells the user about them.
func (o *initOptions) configured() (bool, error) {
	_, targets, err := o.Where()
	if err != nil {
		return false, err
	}
	for _, file := range []clients.File{targets.User, targets.Project} {
		if file.Path == "" {
			continue
		}
		names, err := clients.Configured(file)
		if err != nil {
			return false, err
		}
		if len(names) > 0 {
			o.Say("%s has servers already: %s; to add those of other clients, run: toolscript config import", file.Path, strings.Join(names, ", "))
			if o.Form.Structured() {
				return true, o.Form.Write(o.Stdout, clients.NewResult(&clients.Import{}))
			}
			return true, nil
		}
	}
	return false, nil
}

// askPlan asks the user which servers to configure. found is the import from other clients.
func (o *initOptions) askPlan(ctx context.Context, found *clients.Import) (*clients.Import, error) {
	if len(found.Changes) > 0 {
		var names []string
		for _, t := range found.Taken {
			names = append(names, t.Name+" ("+t.Client+")")
		}
		answer, err := o.Ask(ctx, fmt.Sprintf("Other clients have %s. Import them? [Y/n] ", strings.Join(names, ", ")))
		if err != nil {
			return nil, err
		}
		if answer == "" || terminal.Affirmed(answer) {
			return found, nil
		}
	}
	answer, err := o.Ask(ctx, "Command or address of an MCP server (empty for the built-in demo server): ")
	if err != nil {
		return nil, err
	}
	if answer == "" {
		o.demo, o.asked = true, true
		return o.addDemo()
	}
	if isAddress(answer) {
		o.url = answer
	} else {
		o.command = clients.Words(answer)
	}
	if o.name, err = o.Ask(ctx, fmt.Sprintf("Its name [%s]: ", o.serverName())); err != nil {
		return nil, err
	}
	if answer, err = o.Ask(ctx, "For this project only? [y/N] "); err != nil {
		return nil, err
	}
	o.project, o.asked = terminal.Affirmed(answer), true
	return o.addServer()
}

func (o *initOptions) addDemo() (*clients.Import, error) {
	return o.add("demo", map[string]any{"command": "toolscript", "args": []any{"mcp-demo"}})
}
