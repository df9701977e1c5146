package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/transport/gateway"
)

type getTypesOptions struct {
	*app
	filter string
	full   bool
	json   bool
	out    string
}

func newGetTypes(a *app) *cobra.Command {
	o := &getTypesOptions{app: a}
	c := &cobra.Command{
		Use:   "get-types",
		Short: "Print the TypeScript of the tools",
		Long: `Print the TypeScript of the tools, as Markdown with an example of a call.

--filter takes names of servers and ids of tools: --filter github,files__read_file

--out writes a folder of files instead: with them, an editor completes the tools
in every script of that folder, and tsc checks them.`,
		Args: takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.out != "" && (o.json || o.full) {
				return &usageError{c.CommandPath(), errors.New("--out writes files of one form; leave out --json and --full")}
			}
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.out, "out", "", "write toolscript.d.ts, the globals and a tsconfig.json to this `folder`")
	c.Flags().StringVarP(&o.filter, "filter", "f", "", "only these `servers and tool ids`, separated by commas")
	c.Flags().BoolVar(&o.full, "full", false, "with whole descriptions")
	c.Flags().BoolVar(&o.json, "json", false, "print the module inside JSON, with its generation")
	return c
}

func (o *getTypesOptions) run(ctx context.Context) error {
	g, err := o.gateway(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	filter := toolscript.ParseFilter(o.filter)
	servers, err := g.Servers(ctx)
	if err != nil {
		return err
	}
	if err := o.known(filter, servers); err != nil {
		return err
	}
	types, err := o.types(ctx, g, filter)
	if err != nil {
		return err
	}
	o.tellWaiting(types)
	all, err := g.Tools(ctx, nil)
	if err != nil {
		return err
	}
	if servers, err = g.Servers(ctx); err != nil {
		return err
	}
	if err := o.present(filter, servers, all); err != nil {
		return err
	}
	if o.out != "" {
		return o.writeOut(types.Text)
	}
	if o.json {
		return writeJSON(o.Stdout, struct {
			Module     string   `json:"module"`
			Generation uint64   `json:"generation"`
			Pending    []string `json:"pending,omitempty"` // servers whose tools are missing
		}{types.Text, types.Generation, types.Pending})
	}
	return o.markdown(catalogOf(servers, all), filter, types.Text)
}

// types is the module in the form that was asked for.
func (o *getTypesOptions) types(ctx context.Context, g *reached, filter toolscript.Filter) (gateway.Types, error) {
	if o.out != "" {
		return g.Declarations(ctx, filter, actors.DefaultConnectTimeout)
	}
	return g.Types(ctx, filter, !o.full, actors.DefaultConnectTimeout)
}

func (o *getTypesOptions) tellWaiting(t gateway.Types) {
	if len(t.WaitedFor) > 0 {
		o.say("toolscript: waited for %s to connect", strings.Join(t.WaitedFor, ", "))
	}
	if len(t.Pending) > 0 {
		o.warn("still connecting, so their tools are missing: %s", strings.Join(t.Pending, ", "))
	}
}

func (o *getTypesOptions) markdown(c toolscript.Catalog, filter toolscript.Filter, module string) error {
	text := "```typescript\n" + strings.TrimRight(module, "\n") + "\n```"
	if example := exampleOf(c, filter); example != "" {
		text += "\n\nUsage example:\n\n```typescript\nimport { tools } from \"toolscript\";\n" +
			"const result = await " + example + "(params);\n```"
	}
	return o.print("%s", text)
}

// catalogOf is the gateway's catalog as far as names depend on it.
func catalogOf(servers []toolscript.ServerStatus, all []gateway.ToolInfo) toolscript.Catalog {
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	var tools []toolscript.Tool
	for _, t := range all {
		tools = append(tools, toolscript.Tool{Server: t.ServerName, Name: t.ToolName})
	}
	return toolscript.NewCatalog(0, names, tools)
}

// exampleOf is how a script calls the first tool of the filter, "" when it
// selects none.
func exampleOf(c toolscript.Catalog, filter toolscript.Filter) string {
	tools := c.Filter(filter).Tools()
	if len(tools) == 0 {
		return ""
	}
	names := codegen.NewNames(c)
	server, _ := names.ByServer(tools[0].Server) // both are in the catalog the names are of
	tool, _ := names.Tool(tools[0].ID())
	return "tools." + server.Ident + "." + tool.Ident
}
