package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/changes"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/exit"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type initOptions struct {
	changeOptions
	from    string
	demo    bool
	project bool
	name    string
	url     string
	env     []string
	headers []string
	command []string
}

func newInit(a *app) *cobra.Command {
	o := &initOptions{changeOptions: changeOptions{app: a}}
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
			if o.undo {
				return o.takeBack(c.Context(), "init")
			}
			return o.run(c.Context(), c.CommandPath())
		},
	}
	f := c.Flags()
	f.StringVar(&o.from, "from", "", "import the servers of this `client`: "+strings.Join(clients.Names(), ", "))
	f.BoolVar(&o.demo, "demo", false, "configure the built-in demo server, which reads files of the working directory")
	f.StringVar(&o.url, "url", "", "configure the server at this `address`")
	f.StringVar(&o.name, "name", "", "`name` of the server (default: made from the command or the address)")
	f.StringArrayVar(&o.env, "env", nil, "variable of the server, as `NAME=VALUE`; may be repeated")
	f.StringArrayVar(&o.headers, "header", nil, "header for the server, as `'NAME: VALUE'`; may be repeated")
	f.BoolVar(&o.project, "project", false, "in the project's file, which needs trust, not in the user's")
	f.SetInterspersed(false) // arguments after COMMAND belong to it
	o.addFlags(c)
	return c
}

func (o *initOptions) run(ctx context.Context, command string) error {
	plan, err := o.plan(ctx)
	var usage *exit.UsageError
	if errors.As(err, &usage) {
		usage.Command = command
	}
	if err != nil || plan == nil {
		return err
	}
	if len(plan.Changes) == 0 {
		o.say("there is nothing to write")
	}
	return o.carryOut(ctx, "init", "the same command with --yes", plan)
}

// plan follows the flags, else the answers at the terminal. It is nil if there is a
// configuration already.
func (o *initOptions) plan(ctx context.Context) (*clients.Import, error) {
	chosen := 0
	for _, given := range []bool{o.from != "", o.demo, o.url != "", len(o.command) > 0} {
		if given {
			chosen++
		}
	}
	if chosen > 1 {
		return nil, &exit.UsageError{Err: errors.New("choose one of --from, --demo, --url and COMMAND")}
	}
	switch {
	case o.from != "":
		return o.importPlan(o.from)
	case o.demo:
		return o.addDemo()
	case o.url != "" || len(o.command) > 0:
		return o.addServer()
	case o.name != "" || len(o.env) > 0 || len(o.headers) > 0:
		return nil, &exit.UsageError{Err: errors.New("missing the server: --url or -- COMMAND")}
	}
	if done, err := o.configured(); done || err != nil {
		return nil, err
	}
	plan, err := o.importPlan("")
	if err != nil {
		return nil, err
	}
	if !o.yes && terminal.Is(o.Stdin) {
		return o.askPlan(ctx, plan)
	}
	if len(plan.Changes) > 0 {
		return plan, nil
	}
	return o.addDemo()
}

// configured says that there is a configuration with servers.
func (o *initOptions) configured() (bool, error) {
	_, targets, err := o.where()
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
			o.say("%s has servers already: %s; to add those of other clients, run: toolscript config import", file.Path, strings.Join(names, ", "))
			if o.form.Structured() {
				return true, o.form.Write(o.Stdout, changes.NewResult(&clients.Import{}))
			}
			return true, nil
		}
	}
	return false, nil
}

// askPlan asks for the server to configure.
func (o *initOptions) askPlan(ctx context.Context, found *clients.Import) (*clients.Import, error) {
	if len(found.Changes) > 0 {
		var names []string
		for _, t := range found.Taken {
			names = append(names, t.Name+" ("+t.Client+")")
		}
		answer, err := o.ask(ctx, fmt.Sprintf("Other clients have %s. Import them? [Y/n] ", strings.Join(names, ", ")))
		if err != nil {
			return nil, err
		}
		if answer == "" || terminal.Affirmed(answer) {
			return found, nil
		}
	}
	answer, err := o.ask(ctx, "Command or address of an MCP server (empty for the built-in demo server): ")
	if err != nil {
		return nil, err
	}
	if answer == "" {
		return o.addDemo()
	}
	if strings.HasPrefix(answer, "http://") || strings.HasPrefix(answer, "https://") {
		o.url = answer
	} else {
		o.command = clients.Words(answer)
	}
	if o.name, err = o.ask(ctx, fmt.Sprintf("Its name [%s]: ", o.serverName())); err != nil {
		return nil, err
	}
	if answer, err = o.ask(ctx, "For this project only? [y/N] "); err != nil {
		return nil, err
	}
	o.project = terminal.Affirmed(answer)
	return o.addServer()
}

func (o *initOptions) addDemo() (*clients.Import, error) {
	return o.add("demo", map[string]any{"command": "toolscript", "args": []any{"mcp-demo"}})
}

func (o *initOptions) addServer() (*clients.Import, error) {
	definition := map[string]any{}
	if o.url != "" {
		definition["url"] = o.url
	} else {
		definition["command"] = o.command[0]
		var args []any
		for _, arg := range o.command[1:] {
			args = append(args, arg)
		}
		if len(args) > 0 {
			definition["args"] = args
		}
	}
	if err := o.addPairs(definition, "env", "=", o.env); err != nil {
		return nil, err
	}
	if err := o.addPairs(definition, "headers", ":", o.headers); err != nil {
		return nil, err
	}
	return o.add(o.serverName(), definition)
}

func (o *initOptions) addPairs(definition map[string]any, field, separator string, pairs []string) error {
	values := map[string]any{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, separator)
		if !ok || strings.TrimSpace(name) == "" {
			return &exit.UsageError{Err: fmt.Errorf("--%s needs NAME%sVALUE", strings.TrimSuffix(field, "s"), separator)}
		}
		values[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	if len(values) > 0 {
		definition[field] = values
	}
	return nil
}

// add adds a server to the user's file or to the project's.
func (o *initOptions) add(name string, definition map[string]any) (*clients.Import, error) {
	places, targets, err := o.where()
	if err != nil {
		return nil, err
	}
	file := targets.User
	if o.project {
		if file = targets.Project; file.Path == "" {
			return nil, errors.New("this folder belongs to no project, or --config names the file")
		}
	}
	return clients.Add(places, file, name, definition)
}

// serverName is the chosen name, else one made from the command or the address.
func (o *initOptions) serverName() string {
	return cmp.Or(o.name, clients.ServerName(o.command, o.url))
}
