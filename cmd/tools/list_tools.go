package tools

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/exec"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/api"
)

type listToolsOptions struct {
	*app.App
	server  string // "": all servers
	verbose bool
	trust   bool
	form    terminal.Form
}

// NewListTools returns the command list-tools.
func NewListTools(a *app.App) *cobra.Command {
	o := &listToolsOptions{App: a}
	c := &cobra.Command{
		Use:   "list-tools [SERVER]",
		Short: "List the tools of one MCP server, or of all",
		Long: `List the tools of one MCP server, or of all.

A running gateway of this configuration answers. Without one, the lists count that the
servers sent last. Servers that have no list yet, or are defined in another way since,
are started, and stopped at the end. Those that do not answer within 3 seconds are named
in a warning, unless SERVER is given. toolscript list-servers starts all servers.`,
		Args: app.Takes("[SERVER]"),
		RunE: func(c *cobra.Command, args []string) error {
			o.server = strings.Join(args, "")
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVar(&o.verbose, "verbose", false, "show whole descriptions")
	app.AddTrust(c.Flags(), &o.trust)
	terminal.AddForm(c.Flags(), &o.form, "print them as JSON, with their schemas")
	return c
}

func (o *listToolsOptions) run(ctx context.Context) error {
	g, err := o.Target.Lists(ctx, o.trust, o.Logger(slog.LevelError))
	if err != nil {
		return err
	}
	defer g.Close()
	f := toolscript.Filter(exec.ExtraServers(o.App))
	if o.server != "" {
		f = toolscript.Filter{o.server}
	}
	over := o.Waiting(app.ConnectingText)
	answer, err := g.Tools(ctx, f, app.ListTime(f))
	over()
	if err != nil {
		return err
	}
	if err := o.remark(answer); err != nil {
		return err
	}
	tools := answer.Tools
	switch {
	case o.form.Structured():
		return o.form.Write(o.Stdout, tools)
	case len(tools) == 0:
		return nil
	case o.verbose:
		return o.whole(tools)
	default:
		return o.table(tools)
	}
}

// remark reports servers whose tools are missing. If the user names a server, that is an
// error.
func (o *listToolsOptions) remark(answer api.Tools) error {
	o.ReportWait(answer.WaitedFor)
	missing, none := answer.Missing, len(answer.Tools) == 0
	switch {
	case o.server != "" && len(answer.Unknown) > 0:
		return app.UnknownError(answer.Unknown[0])
	case o.server != "" && len(missing) > 0 && none:
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("no tools are known: " + app.MissingReason(missing[0]))}
	case o.server != "" && len(missing) > 0:
		o.Warn("%s; these are the tools that it listed last", app.MissingReason(missing[0]))
	case len(missing) > 0:
		o.Warn("not connected: %s", app.MissingReasons(missing))
	case none && o.server != "":
		o.Say("toolscript: %s is connected and has no tools", o.server)
	}
	return nil
}

func (o *listToolsOptions) table(tools []api.ToolInfo) error {
	t := terminal.Table{Header: []string{"Tool", "Description"}}
	if o.server == "" {
		t.Header = append([]string{"Server"}, t.Header...)
	}
	for _, tool := range tools {
		first, _, _ := strings.Cut(strings.TrimSpace(tool.Description), "\n")
		row := []string{tool.ToolName, first}
		if o.server == "" {
			row = append([]string{serverCell(tool)}, row...)
		}
		t.Add(row...)
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), nil)
}

// serverCell returns the server of a tool with its accounts.
func serverCell(tool api.ToolInfo) string {
	if len(tool.Accounts) == 0 {
		return tool.ServerName
	}
	return toolscript.WithoutAccount(tool.ServerName) + accountsCell(tool.Accounts)
}

// accountsCell returns the accounts of a server for a table.
func accountsCell(accounts []string) string {
	if len(accounts) == 0 {
		return ""
	}
	return " (accounts: " + strings.Join(accounts, ", ") + ")"
}

// whole prints each tool with its whole description.
func (o *listToolsOptions) whole(tools []api.ToolInfo) error {
	var b strings.Builder
	for i, tool := range tools {
		if i > 0 {
			b.WriteByte('\n')
		}
		name := tool.ToolName
		if o.server == "" {
			name = tool.QualifiedName
		}
		b.WriteString(terminal.Visible(name) + "\n")
		if own := tool.Original; own != nil && own.Name != tool.ToolName {
			b.WriteString("  (" + terminal.Visible(own.Name) + " of the server)\n")
		}
		for line := range strings.SplitSeq(strings.TrimSpace(tool.Description), "\n") {
			b.WriteString("  " + terminal.Visible(strings.TrimRight(line, "\r")) + "\n")
		}
	}
	_, err := io.WriteString(o.Stdout, b.String())
	return err
}
