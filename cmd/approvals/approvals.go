// Package approvals has the commands with which a person answers calls that wait, and accepts tools whose
// definitions have changed.
package approvals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

const approvalsHelp = `Answer tool calls that wait for your approval.

The configuration (approvals) says which calls have to be approved. A call that waits
stops the clock of its script. allow asks for a code. The gateway shows the code where
the program that requested the call does not see it: at the terminal of
"toolscript gateway start", or as a notification of the desktop.`

// watchEvery is the interval of polling for new requests.
const watchEvery = 500 * time.Millisecond

// NewApprovals returns the command approvals.
func NewApprovals(a *app.App) *cobra.Command {
	var f terminal.Form
	list := func(c *cobra.Command, _ []string) error { return listApprovals(c.Context(), a, f) }
	c := &cobra.Command{Use: "approvals", Short: "Answer tool calls that wait for your approval", Long: approvalsHelp, Args: app.Takes(), RunE: list}
	terminal.AddForm(c.Flags(), &f, "print the requests as JSON")
	listing := &cobra.Command{Use: "list", Short: "List the requests", Args: app.Takes(), RunE: list}
	terminal.AddForm(listing.Flags(), &f, "print the requests as JSON")
	c.AddCommand(listing, newApprovalsShow(a), newApprovalsWatch(a), newApprovalsAllow(a), newApprovalsDeny(a))
	return c
}

func newApprovalsWatch(a *app.App) *cobra.Command {
	var f terminal.Form
	c := &cobra.Command{
		Use: "watch", Short: "Print new requests until you interrupt the command", Args: app.Takes(),
		RunE: func(c *cobra.Command, _ []string) error { return watchApprovals(c.Context(), a, f) },
	}
	terminal.AddForm(c.Flags(), &f, "print each request as JSON")
	return c
}

func newApprovalsShow(a *app.App) *cobra.Command {
	var f terminal.Form
	c := &cobra.Command{
		Use:   "show [ID]",
		Short: "Print a request with all of its arguments",
		Long: `Print a request with all of its arguments: the other commands leave out the middle of
long ones. Known secrets are replaced by their names. Characters that cannot be seen are
escaped as in JSON, and long rows of spaces are counted. If only one request waits, ID
may be left out.`,
		Args: app.Takes("[ID]"),
		RunE: func(c *cobra.Command, args []string) error { return showApproval(c.Context(), a, args, f) },
	}
	terminal.AddForm(c.Flags(), &f, "print the request as JSON")
	return c
}

func newApprovalsAllow(a *app.App) *cobra.Command {
	var f terminal.Form
	scope := app.Choice{Value: toolscript.ScopeOnce, Choices: toolscript.ApprovalScopes()}
	c := &cobra.Command{
		Use:   "allow [ID]",
		Short: "Allow a call",
		Long: `Allow a call. The command asks for the code that the gateway has shown for the request.
If only one request waits, ID may be left out.

--for run, session and always allow later calls of the same tool as well: in the same
run, until the gateway ends, and for ever. session and always hold in this project, for
this configuration file of the server. If the description, the schema, or the definition
of the server changes, the next call has to be approved again.`,
		Args: app.Takes("[ID]"),
		RunE: func(c *cobra.Command, args []string) error {
			return answerApproval(c.Context(), a, args, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: scope.Value}, f)
		},
	}
	c.Flags().Var(&scope, "for", "what is allowed: this call, or calls of its tool in this run, in this session, or always")
	terminal.AddForm(c.Flags(), &f, "print the answer as JSON")
	return c
}

func newApprovalsDeny(a *app.App) *cobra.Command {
	var f terminal.Form
	var reason string
	c := &cobra.Command{
		Use: "deny [ID]", Short: "Deny a call", Args: app.Takes("[ID]"),
		RunE: func(c *cobra.Command, args []string) error {
			return answerApproval(c.Context(), a, args, toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: reason}, f)
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "a `text` for the script")
	terminal.AddForm(c.Flags(), &f, "print the answer as JSON")
	return c
}

func listApprovals(ctx context.Context, a *app.App, f terminal.Form) error {
	g, err := a.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	pending, err := g.PendingApprovals(ctx)
	if err != nil {
		return err
	}
	if f.Structured() {
		return f.Write(a.Stdout, pending)
	}
	if len(pending) == 0 {
		a.Say("no call waits for an approval")
		return nil
	}
	t := terminal.Table{Header: []string{"ID", "Tool", "Run", "Left", "Arguments"}}
	for _, p := range pending {
		t.Add(p.ID, p.Tool, p.Run, time.Until(p.Expires).Round(time.Second).String(), p.Args)
	}
	return t.Write(a.Stdout, terminal.Columns(a.Stdout), nil)
}

func showApproval(ctx context.Context, a *app.App, args []string, f terminal.Form) error {
	g, request, err := chosen(ctx, a, args)
	if err != nil {
		return err
	}
	defer g.Close()
	if request, err = g.PendingApproval(ctx, request.ID); err != nil {
		return err
	}
	return printApproval(a, request, f)
}

// watchApprovals prints each waiting request once, until ctx ends.
func watchApprovals(ctx context.Context, a *app.App, f terminal.Form) error {
	g, err := a.Target.Require(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	seen := map[string]bool{}
	for {
		pending, err := g.PendingApprovals(ctx)
		if err != nil {
			return err
		}
		now := map[string]bool{}
		for _, p := range pending {
			now[p.ID] = true
			if seen[p.ID] {
				continue
			}
			if err := printApproval(a, p, f); err != nil {
				return err
			}
		}
		seen = now
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchEvery):
		}
	}
}

// printApproval prints a request: as text, or as a line of JSON.
func printApproval(a *app.App, p toolscript.Approval, f terminal.Form) error {
	if f.Structured() {
		return f.Write(a.Stdout, p)
	}
	return a.Print("%s", strings.TrimSpace(terminal.ApprovalText(p))+"\n  answer: "+toolscript.Command("approvals", "allow", p.ID)+" (or deny)")
}

// answeredApproval is the output of approvals allow and approvals deny with --json.
type answeredApproval struct {
	ID     string                    `json:"id"`
	Tool   string                    `json:"tool"`
	Action toolscript.ApprovalAction `json:"action"`
	Scope  string                    `json:"scope,omitempty"`
}

// answerApproval sends the answer to the request that args names, or to the only one that waits.
func answerApproval(ctx context.Context, a *app.App, args []string, answer toolscript.ApprovalAnswer, f terminal.Form) error {
	g, request, err := chosen(ctx, a, args)
	if err != nil {
		return err
	}
	defer g.Close()
	if answer.Action == toolscript.ApprovalAllow {
		a.Say("%s", strings.TrimSpace(terminal.ApprovalText(request)))
		_ = g.ConfirmApproval(ctx, request.ID, os.Getpid()) // on error, the code is shown elsewhere; the user's file must allow this terminal
		if answer.Code, err = a.Code(ctx); err != nil {
			return err
		}
	}
	if err := g.AnswerApproval(ctx, request.ID, answer); err != nil {
		return err
	}
	if f.Structured() {
		return f.Write(a.Stdout, answeredApproval{request.ID, request.Tool, answer.Action, answer.Scope})
	}
	return a.Print("%s %s", map[toolscript.ApprovalAction]string{toolscript.ApprovalAllow: "Allowed", toolscript.ApprovalDeny: "Denied"}[answer.Action], terminal.OneLine(request.Tool))
}

// chosen returns the request that args names, or the only one that waits, and its gateway, which the caller closes.
func chosen(ctx context.Context, a *app.App, args []string) (*app.Gateway, toolscript.Approval, error) {
	g, err := a.Target.Require(ctx)
	if err != nil {
		return nil, toolscript.Approval{}, err
	}
	pending, err := g.PendingApprovals(ctx)
	if err == nil {
		var request toolscript.Approval
		if request, err = choose(pending, args); err == nil {
			return g, request, nil
		}
	}
	g.Close()
	return nil, toolscript.Approval{}, err
}

func choose(pending []toolscript.Approval, args []string) (toolscript.Approval, error) {
	if len(args) == 0 && len(pending) == 1 {
		return pending[0], nil
	}
	var ids []string
	for _, p := range pending {
		if len(args) == 1 && p.ID == args[0] {
			return p, nil
		}
		ids = append(ids, p.ID)
	}
	waiting := "none waits"
	if len(ids) > 0 {
		waiting = "these wait: " + strings.Join(ids, ", ")
	}
	if len(args) == 0 {
		return toolscript.Approval{}, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("name the request; " + waiting)}
	}
	return toolscript.Approval{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("no request %.50q waits; %s", args[0], waiting)}
}
