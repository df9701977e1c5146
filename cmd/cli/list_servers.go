package cli

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
)

type listServersOptions struct {
	*app
	json bool
}

func newListServers(a *app) *cobra.Command {
	o := &listServersOptions{app: a}
	c := &cobra.Command{
		Use:   "list-servers",
		Short: "List the configured MCP servers and their states",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "print them as JSON")
	return c
}

func (o *listServersOptions) run(ctx context.Context) error {
	g, err := o.gateway(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	servers, err := g.Servers(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(o.Stdout, servers)
	}
	if len(servers) == 0 {
		return o.print("No servers connected")
	}
	return o.table(servers)
}

func (o *listServersOptions) table(servers []toolscript.ServerStatus) error {
	t := table{header: []string{"Server", "State", "Title", "Instructions"}}
	troubled := slices.ContainsFunc(servers, func(s toolscript.ServerStatus) bool { return s.Error != "" })
	if troubled {
		t.header = append(t.header, "Error")
	}
	for _, s := range servers {
		row := []string{s.Name, stateCell(s), cmp.Or(s.Title, s.Name), s.Instructions}
		if troubled {
			row = append(row, s.Error)
		}
		t.add(row...)
	}
	if !o.coloured(o.Stdout) {
		return t.write(o.Stdout, nil)
	}
	return t.write(o.Stdout, func(column int, cell string) string {
		if column != 1 {
			return cell
		}
		return stateColour(toolscript.ServerState(cell)) + cell + "\x1b[0m"
	})
}

// stateCell is the state, and whether the tools are only those listed last.
func stateCell(s toolscript.ServerStatus) string {
	if s.Stale {
		return string(s.State) + " (stale)"
	}
	return string(s.State)
}

// stateColour is green for what works, red for what somebody must repair, and
// yellow for what may change by itself.
func stateColour(s toolscript.ServerState) string {
	switch s {
	case toolscript.Ready:
		return "\x1b[32m"
	case toolscript.Failed, toolscript.NeedsAuth:
		return "\x1b[31m"
	default:
		return "\x1b[33m"
	}
}
