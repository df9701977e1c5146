package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/gateway"
)

type listToolsOptions struct {
	*app
	server  string
	verbose bool
	json    bool
}

func newListTools(a *app) *cobra.Command {
	o := &listToolsOptions{app: a}
	c := &cobra.Command{
		Use:   "list-tools SERVER",
		Short: "List the tools of one MCP server",
		Args:  takes("SERVER, the name of a server; see: toolscript list-servers"),
		RunE: func(c *cobra.Command, args []string) error {
			o.server = args[0]
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVar(&o.verbose, "verbose", false, "show whole descriptions")
	c.Flags().BoolVar(&o.json, "json", false, "print them as JSON, with their schemas")
	return c
}

func (o *listToolsOptions) run(ctx context.Context) error {
	g, err := o.gateway(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	servers, err := g.Servers(ctx)
	if err != nil {
		return err
	}
	if err := o.await(ctx, g, servers); err != nil {
		return err
	}
	tools, err := g.Tools(ctx, toolscript.Filter{o.server})
	if err != nil {
		return err
	}
	switch {
	case o.json:
		return writeJSON(o.Stdout, tools)
	case o.verbose:
		return o.whole(tools)
	default:
		return o.table(tools)
	}
}

// await wants the server to exist and to be ready, and gives one that is still
// connecting the time it has for that: the tools of the others are not known.
func (o *listToolsOptions) await(ctx context.Context, g *reached, servers []toolscript.ServerStatus) error {
	server, err := findServer(o.server, servers)
	if err != nil {
		return err
	}
	if server.State == toolscript.Connecting {
		o.say("toolscript: waiting for %s to connect", o.server)
		if _, err := g.Types(ctx, toolscript.Filter{o.server}, true, actors.DefaultConnectTimeout); err != nil {
			return err
		}
		if servers, err = g.Servers(ctx); err != nil {
			return err
		}
		if server, err = findServer(o.server, servers); err != nil {
			return err
		}
	}
	if server.State != toolscript.Ready {
		o.warn("%s", trouble(server))
	}
	return nil
}

// trouble says why a server has no tools at present.
func trouble(s toolscript.ServerStatus) string {
	text := fmt.Sprintf("%s is in state %s", s.Name, s.State)
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

// findServer finds a server, or says which there are.
func findServer(name string, servers []toolscript.ServerStatus) (toolscript.ServerStatus, error) {
	var names []string
	for _, s := range servers {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return toolscript.ServerStatus{}, notConfigured(name, names)
}

// notConfigured is the error of naming a server that there is not.
func notConfigured(name string, configured []string) error {
	text := "Server not found: " + name
	switch near := toolscript.Nearest(name, configured, 3); {
	case len(near) > 0:
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	case len(configured) > 0:
		text += "; there are: " + strings.Join(configured, ", ")
	default:
		text += "; no servers are configured, add one to .toolscript.json"
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(text)}
}

func (o *listToolsOptions) table(tools []gateway.ToolInfo) error {
	t := table{header: []string{"Tool", "Description"}}
	for _, tool := range tools {
		first, _, _ := strings.Cut(strings.TrimSpace(tool.Description), "\n")
		t.add(tool.ToolName, first)
	}
	return t.write(o.Stdout, nil)
}

// whole shows each tool with its description as it is, below the name.
func (o *listToolsOptions) whole(tools []gateway.ToolInfo) error {
	var b strings.Builder
	for i, tool := range tools {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(visible(tool.ToolName) + "\n")
		for line := range strings.SplitSeq(strings.TrimSpace(tool.Description), "\n") {
			b.WriteString("  " + visible(strings.TrimRight(line, "\r")) + "\n")
		}
	}
	_, err := io.WriteString(o.Stdout, b.String())
	return err
}
