package status

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

type serversOptions struct {
	statusOptions
	verbose bool
	trust   bool
}

// NewListServers returns the command list-servers, which is status servers.
func NewListServers(a *app.App) *cobra.Command { return newServers(a, "list-servers") }

func newServers(a *app.App, use string) *cobra.Command {
	o := &serversOptions{statusOptions: statusOptions{App: a, noun: &ofServers}}
	c := &cobra.Command{
		Use:   use,
		Short: "List the configured MCP servers and their states",
		Long: `List the configured MCP servers with their states, tool counts and errors.

A running gateway of this configuration answers. Without one, the servers are started,
and stopped at the end.`,
		Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error {
			if o.watch {
				return o.follow(c.Context())
			}
			return o.list(c.Context())
		},
	}
	c.Flags().BoolVar(&o.verbose, "verbose", false, "show titles, instructions and the last lines of stderr too")
	app.AddTrust(c.Flags(), &o.trust)
	o.addFlags(c, "print them as JSON")
	return c
}

func (o *serversOptions) list(ctx context.Context) error {
	g, err := o.Target.Provider(ctx, o.trust, o.Logger(slog.LevelError))
	if err != nil {
		return err
	}
	defer g.Close()
	wait := time.Duration(0)
	if _, running := g.(*app.Gateway); !running {
		wait = actors.DefaultConnectTimeout // a gateway starts its servers when it starts
	}
	over := o.Waiting(app.ConnectingText)
	servers, err := g.Servers(ctx, nil, wait)
	over()
	if err != nil {
		return err
	}
	if o.form.Structured() {
		return o.form.Write(o.Stdout, servers)
	}
	for i := range servers {
		servers[i].Error = o.Again(servers[i].Error)
	}
	switch {
	case len(servers) == 0:
		return o.Print("No servers connected")
	case o.verbose:
		return o.whole(servers)
	default:
		return o.table(servers)
	}
}

func (o *serversOptions) table(servers []toolscript.ServerStatus) error {
	t := terminal.Table{Header: []string{"Server", "State", "Tools"}}
	reasonOf := !terminal.Is(o.Stdout) || slices.ContainsFunc(servers, func(s toolscript.ServerStatus) bool { return s.Error != "" })
	if reasonOf {
		t.Header = append(t.Header, "Error")
	}
	for _, s := range servers {
		row := []string{s.Name, app.StateCell(s), strconv.Itoa(s.Tools)}
		if reasonOf {
			row = append(row, s.Error)
		}
		t.Add(row...)
	}
	return t.Write(o.Stdout, terminal.Columns(o.Stdout), o.PaintState(1))
}

// whole prints each server with all details.
func (o *serversOptions) whole(servers []toolscript.ServerStatus) error {
	const indent = "  "
	width := terminal.Columns(o.Stdout)
	var b strings.Builder
	for i, s := range servers {
		if i > 0 {
			b.WriteByte('\n')
		}
		state := app.StateCell(s)
		if o.Coloured(o.Stdout) {
			state = app.StateColour(state) + state + "\x1b[0m"
		}
		kind := s.Type
		if s.Shared != "" {
			kind += ", shared"
		}
		if len(s.Hosts) > 0 {
			kind += " on " + terminal.OneLine(strings.Join(s.Hosts, ", "))
		}
		fmt.Fprintf(&b, "%s: %s, %s, %d tools\n", terminal.OneLine(s.Name), state, kind, s.Tools)
		for _, part := range []struct{ name, text string }{
			{"", cmp.Or(s.Title, s.Name)}, {"error: ", s.Error}, {"login: ", s.OAuthStatus}, {"not as in MCP: it ", strings.Join(s.Deviations, "; it ")}, {"", s.Instructions},
		} {
			for line := range strings.Lines(part.text) {
				if line = strings.TrimSpace(line); part.text == s.Name || line == "" {
					continue
				}
				for _, piece := range terminal.Wrap(terminal.Visible(part.name+line), width-len(indent)) {
					b.WriteString(indent + piece + "\n")
				}
			}
		}
		for _, line := range s.Stderr {
			b.WriteString(indent + "stderr: " + terminal.Visible(line) + "\n")
		}
	}
	_, err := io.WriteString(o.Stdout, b.String())
	return err
}
