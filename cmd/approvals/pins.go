package approvals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/api"
)

const pinsHelp = `Show which tools have changed since they were first used, and accept changes.

The gateway pins the description, the schemas and the annotations of each tool, the
description of each skill and the digests of its files, and the definition of each
server, when it sees them first. pins.policy of the
configuration says what happens to tools that differ later, and to new tools of a known
server: warn shows them, and quarantine also keeps them out of search, types and calls
until you accept them. Known shapes of attacks in the texts of servers are shown too.`

// NewPins returns the command pins.
func NewPins(a *app.App) *cobra.Command {
	var f terminal.Form
	list := func(c *cobra.Command, _ []string) error { return listPins(c.Context(), a, f) }
	c := &cobra.Command{Use: "pins", Short: "Show tools that have changed since their first use, and accept them", Long: pinsHelp, Args: app.Takes(), RunE: list}
	terminal.AddForm(c.Flags(), &f, "print the servers with their changes as JSON")
	listing := &cobra.Command{Use: "list", Short: "List the changes and the suspicious texts", Args: app.Takes(), RunE: list}
	terminal.AddForm(listing.Flags(), &f, "print the servers with their changes as JSON")
	c.AddCommand(listing, newPinsDiff(a), newPinsAccept(a))
	return c
}

func newPinsDiff(a *app.App) *cobra.Command {
	var f terminal.Form
	c := &cobra.Command{
		Use: "diff [SERVER[__TOOL]]", Short: "Show what has changed, line by line", Args: app.Takes("[SERVER[__TOOL]]"),
		RunE: func(c *cobra.Command, args []string) error { return diffPins(c.Context(), a, args, f) },
	}
	terminal.AddForm(c.Flags(), &f, "print the changes as JSON")
	return c
}

func newPinsAccept(a *app.App) *cobra.Command {
	var f terminal.Form
	c := &cobra.Command{
		Use:   "accept SERVER[__TOOL]",
		Short: "Accept a server, or one of its tools, as it is now",
		Long: `Accept a server with all its tools, or one of its tools, as it is now. The command shows
the changes and asks for a code, which the gateway shows as it does for approvals: at
the terminal of "toolscript gateway start", or as a notification of the desktop.`,
		Args: app.Takes("SERVER[__TOOL]"),
		RunE: func(c *cobra.Command, args []string) error { return acceptPins(c.Context(), a, args[0], f) },
	}
	terminal.AddForm(c.Flags(), &f, "print what was accepted as JSON")
	return c
}

// PinnedServer is the part of a server's status about pins. It is the output of pins list
// and diff with --json.
type PinnedServer struct {
	Name       string                 `json:"name"`
	Pinned     int                    `json:"pinned"`
	Changes    []toolscript.PinChange `json:"changes"`
	Suspicions []toolscript.Suspicion `json:"suspicions"`
}

// pinnedServers returns the pins of all servers of a gateway.
func pinnedServers(ctx context.Context, g *app.Gateway) ([]PinnedServer, error) {
	status, err := g.Status(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]PinnedServer, 0, len(status.Servers))
	for _, s := range status.Servers {
		all = append(all, PinnedServer{s.Name, s.Pinned, append([]toolscript.PinChange{}, s.Pins...), append([]toolscript.Suspicion{}, s.Suspicions...)})
	}
	return all, nil
}

// askPins finds the gateway and returns the pins of its servers.
func askPins(ctx context.Context, a *app.App) ([]PinnedServer, error) {
	g, err := a.Target.Require(ctx)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return pinnedServers(ctx, g)
}

func listPins(ctx context.Context, a *app.App, f terminal.Form) error {
	servers, err := askPins(ctx, a)
	if err != nil {
		return err
	}
	if f.Structured() {
		return f.Write(a.Stdout, servers)
	}
	t := terminal.Table{Header: []string{"Server", "Pinned", "Tool", "State", "Changed"}}
	tools, found := 0, 0
	for _, s := range servers {
		tools += s.Pinned
		for _, c := range s.Changes {
			t.Add(s.Name, strconv.Itoa(s.Pinned), c.Tool, stateOfPin(c), strings.Join(c.Parts, ", "))
			found++
		}
		for _, x := range s.Suspicions {
			t.Add(s.Name, strconv.Itoa(s.Pinned), x.Tool, "suspicious", x.Where+": "+x.Shape)
			found++
		}
	}
	if found == 0 {
		a.Say("%d tools are pinned, and none has changed", tools)
		return nil
	}
	return t.Write(a.Stdout, terminal.Columns(a.Stdout), nil)
}

func stateOfPin(c toolscript.PinChange) string {
	if c.Held {
		return c.Kind + ", in quarantine"
	}
	return c.Kind
}

func diffPins(ctx context.Context, a *app.App, args []string, f terminal.Form) error {
	servers, err := askPins(ctx, a)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		s, tool, err := pinned(servers, args[0])
		if err != nil {
			return err
		}
		servers = []PinnedServer{s.only(tool)}
	}
	if f.Structured() {
		return f.Write(a.Stdout, servers)
	}
	return writeDiff(a, a.Stdout, servers)
}

// writeDiff writes the changes of servers, each with the command that accepts it.
func writeDiff(a *app.App, w io.Writer, servers []PinnedServer) error {
	var b strings.Builder
	for _, s := range servers {
		for _, c := range s.Changes {
			fmt.Fprintf(&b, "%s: %s", terminal.OneLine(idOf(s.Name, c.Tool)), stateOfPin(c))
			if len(c.Parts) > 0 {
				fmt.Fprintf(&b, " (%s)", strings.Join(c.Parts, ", "))
			}
			fmt.Fprintf(&b, "\n%s  accept it: %s\n", indentLines(terminal.VisibleText(c.Diff)), a.Again(terminal.OneLine(c.Accept)))
		}
		for _, x := range s.Suspicions {
			fmt.Fprintf(&b, "%s: suspicious text in %s (%s)\n    %s\n", terminal.OneLine(idOf(s.Name, x.Tool)), terminal.OneLine(x.Where), x.Shape, terminal.OneLine(x.Text))
		}
	}
	if b.Len() == 0 {
		a.Say("nothing has changed")
		return nil
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func indentLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	return b.String()
}

func idOf(server, tool string) string {
	if tool == "" {
		return "server " + server
	}
	return server + toolscript.Separator + tool
}

// pinned returns the server, and its changed tool, that id names as SERVER or SERVER__TOOL.
func pinned(servers []PinnedServer, id string) (of PinnedServer, tool string, err error) {
	var known []string
	for _, s := range servers {
		if s.Name == id {
			return s, "", nil
		}
		name, found := strings.CutPrefix(id, s.Name+toolscript.Separator)
		if found && slices.ContainsFunc(s.Changes, func(c toolscript.PinChange) bool { return c.Tool == name }) {
			of, tool = s, name
		}
		known = append(known, s.Name)
		for _, c := range s.Changes {
			if c.Tool != "" {
				known = append(known, s.Name+toolscript.Separator+c.Tool)
			}
		}
	}
	if tool == "" {
		err = &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no server %.100q, and no changed tool%s; see: toolscript pins list",
			id, naming.DidYouMean(naming.Nearest(id, known, 1)))}
	}
	return of, tool, err
}

// only returns s with the changes and suspicions of one tool; of all if tool is "".
func (s PinnedServer) only(tool string) PinnedServer {
	if tool != "" {
		s.Changes = slices.DeleteFunc(slices.Clone(s.Changes), func(c toolscript.PinChange) bool { return c.Tool != tool })
		s.Suspicions = slices.DeleteFunc(slices.Clone(s.Suspicions), func(x toolscript.Suspicion) bool { return x.Tool != tool })
	}
	return s
}

// AcceptedPins is the output of pins accept with --json.
type AcceptedPins struct {
	Server string `json:"server"`
	Tool   string `json:"tool,omitempty"`
}

// acceptPins shows the changes, and asks the person for the code of the request.
func acceptPins(ctx context.Context, a *app.App, id string, f terminal.Form) error {
	g, err := a.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	servers, err := pinnedServers(ctx, g)
	if err != nil {
		return err
	}
	of, tool, err := pinned(servers, id)
	if err != nil {
		return err
	}
	if len(of.only(tool).Changes) == 0 {
		return &toolscript.Error{Kind: toolscript.Conflict, Err: errors.New("server " + of.Name + " is as it was pinned")}
	}
	request, err := g.AcceptPins(ctx, api.PinAcceptance{Server: of.Name, Tool: tool})
	if err != nil {
		return err
	}
	if err := writeDiff(a, a.Stderr, []PinnedServer{of.only(tool)}); err != nil {
		return err
	}
	a.Say("%s", strings.TrimSpace(terminal.ApprovalText(request)))
	_ = g.ConfirmApproval(ctx, request.ID, os.Getpid()) // on error, the code is shown elsewhere; the user's file must allow this terminal
	code, err := a.Code(ctx)
	if err != nil {
		return err
	}
	if err := g.AnswerApproval(ctx, request.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Code: code}); err != nil {
		return err
	}
	if f.Structured() {
		return f.Write(a.Stdout, AcceptedPins{of.Name, tool})
	}
	return a.Print("Accepted %s", terminal.OneLine(idOf(of.Name, tool)))
}

// PinLines returns the warnings of status about one server: that it differs from its pins, and that it has
// suspicious texts.
func PinLines(s toolscript.ServerStatus) (lines []string) {
	if n := len(s.Pins); n > 0 {
		lines = append(lines, fmt.Sprintf("%s: not as it was pinned (%d changes); see: %s", s.Name, n, toolscript.Command("pins", "diff", s.Name)))
	}
	if n := len(s.Suspicions); n > 0 {
		first := s.Suspicions[0]
		lines = append(lines, fmt.Sprintf("%s: %d suspicious texts, such as %s of %s (%s); see: %s", s.Name, n, first.Where, idOf(s.Name, first.Tool), first.Shape, toolscript.Command("pins", "diff", s.Name)))
	}
	return lines
}
