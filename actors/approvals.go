package actors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

const approvalsID = "approvals"

// Approvals configures which calls a person has to approve, and how the person is
// asked.
type Approvals struct {
	Policies func() toolscript.Approvals // called for each call; nil: those of tools with RequiresApproval

	// Show shows a request, with the code that approves it, only to a person. Nil: only
	// an approver's secret can allow calls.
	Show func(a toolscript.Approval, code string)
	// Refuse is why no person can be asked at all; "" if one can be asked.
	Refuse string
	Store  approval.Store // of approvals for ever; nil: they end with the System

	// Client reports whether a person who answers at an MCP client needs no code; nil means no.
	Client func() bool
}

// approvalSpec returns the actor of calls that wait for a person.
func (s *System) approvalSpec() spec {
	o := approval.Options{
		Timeout: func() (t time.Duration) { return s.policies().Timeout() },
		Show:    s.options.Approvals.Show, Refuse: s.options.Approvals.Refuse, Client: s.options.Approvals.Client, Store: s.options.Approvals.Store, Log: s.options.Logger,
	}
	return spec{id: approvalsID, produce: func() actor.Receiver { return approval.New(o) }}
}

func (s *System) policies() toolscript.Approvals {
	if s.options.Approvals.Policies == nil {
		return nil
	}
	return s.options.Approvals.Policies()
}

// free reports whether the configuration lets a call go without an approval.
func (s *System) free(tool toolscript.Tool) bool {
	return s.policies().Decide(tool) == toolscript.ApprovalAllow
}

// approve returns when the call may be made. If the tool has changed meanwhile, it asks
// again. The error is ApprovalDenied, ApprovalTimeout, or that of the end of ctx.
func (s *System) approve(ctx context.Context, call *toolscript.Call, tool toolscript.Tool, args json.RawMessage) error {
	for {
		switch s.policies().Decide(tool) {
		case toolscript.ApprovalAllow:
			return nil
		case toolscript.ApprovalDeny:
			call.Approval = toolscript.ApprovedDenied
			return &toolscript.Error{Kind: toolscript.ApprovalDenied, Tool: tool.Name, Err: fmt.Errorf("%s was denied: the configuration (approvals) does not allow it", tool.ID())}
		default:
		}
		pin := s.pin(tool)
		if err := s.askPerson(ctx, call, tool, args, pin); err != nil {
			return err
		}
		view := s.current()
		now, ok := view.Catalog.Lookup(tool.ID())
		if err := held(view, tool.ID(), nil); !ok && err != nil {
			return err
		}
		if !ok || s.pin(now).Equal(pin) { // without a connection the server refuses the call
			return nil
		}
		tool = now
	}
}

func (s *System) pin(tool toolscript.Tool) approval.Pin {
	return approval.PinOf(tool, (*s.identities.Load())[tool.Server])
}

// askPerson waits for the decision about a call.
func (s *System) askPerson(ctx context.Context, call *toolscript.Call, tool toolscript.Tool, args json.RawMessage, pin approval.Pin) (err error) {
	at, err := s.find(approvalsID)
	if err != nil {
		return err
	}
	ticket, err := mailbox.Ask(ctx, at, func(r mailbox.Reply[approval.Ticket]) any {
		return approval.Ask{Ctx: ctx, Pin: pin, Reply: r, Approval: toolscript.Approval{
			Run: call.Run, CallID: call.CallID, Terminal: call.Terminal, Asks: call.Asks, Tool: tool.ID(), Args: s.shownArgs(tool.Server, args),
		}}
	})
	if err != nil || ticket.Decided == nil {
		call.Approval = approvalOf(toolscript.ApprovedBefore, err)
		return err
	}
	defer func() { call.Approval = approvalOf(toolscript.ApprovedNow, err) }()
	resume := func(bool) {}
	if call.Waiting != nil {
		resume = call.Waiting(ticket.Approval)
	}
	select {
	case err = <-ticket.Decided:
	case <-ctx.Done():
		err = toolscript.ContextError(ctx)
	case <-at.Gone:
		err = mailbox.ErrStopped
	case <-at.Ended:
		err = mailbox.ErrEnded
	}
	resume(err == nil)
	return err
}

// approvalOf is toolscript.Call.Approval after a decision.
func approvalOf(allowed string, err error) string {
	switch toolscript.KindOf(err) {
	case "":
		return allowed
	case toolscript.ApprovalDenied:
		return toolscript.ApprovedDenied
	case toolscript.ApprovalTimeout:
		return toolscript.ApprovedTimeout
	default:
		return ""
	}
}

// shownArgs is how a person sees arguments: on one line, without secrets, and cut if
// they are long.
func (s *System) shownArgs(server string, args json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, args) != nil {
		return ""
	}
	shown := s.withoutSecrets(server, compact.String())
	if strings.HasSuffix(shown, "…") {
		shown += fmt.Sprintf(" [%d bytes in all]", compact.Len())
	}
	return shown
}

// identitiesOf returns what a pin has of each configured server: its program and the
// names of its variables, or its address. Secrets are not part of it, because they are
// renewed.
func identitiesOf(servers map[string]mcpclient.Config) *map[string]string {
	all := make(map[string]string, len(servers))
	for name, c := range servers {
		all[name] = identityOf(c)
	}
	return &all
}

func identityOf(c mcpclient.Config) string {
	parts := append([]string{c.Type, c.Dir, c.URL, c.Command}, c.Args...)
	parts = append(parts, "", strings.Join(slices.Sorted(maps.Keys(c.Env)), " "))
	identity := fmt.Sprintf("%q", parts)
	if secrets := mcpclient.Replacer(c.Secrets); secrets != nil { // also as they are escaped in a URL
		identity = secrets.Replace(identity)
	}
	return identity
}

// PendingApprovals are the calls that wait for a person, the oldest first.
func (s *System) PendingApprovals(ctx context.Context) ([]toolscript.Approval, error) {
	return askApprovals(ctx, s, func(r mailbox.Reply[[]toolscript.Approval]) any { return approval.List{Reply: r} })
}

// AnswerApproval answers a call that waits for a person. Without approver, an answer
// that allows the call needs the code of the request. The error is NotFound for a
// request that does not wait, Forbidden for a wrong code, and Internal if an approval
// for ever holds only until the gateway ends.
func (s *System) AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer, approver bool) error {
	_, err := askApprovals(ctx, s, func(r mailbox.Reply[struct{}]) any {
		return approval.Answer{ID: id, Answer: answer, Approver: approver, Reply: r}
	})
	if err == nil {
		err = s.awaitAccepted(ctx, id)
	}
	return err
}

// ShowApproval shows a request and its code in another place.
func (s *System) ShowApproval(ctx context.Context, id string, show func(a toolscript.Approval, code string)) error {
	_, err := askApprovals(ctx, s, func(r mailbox.Reply[struct{}]) any { return approval.Show{ID: id, Show: show, Reply: r} })
	return err
}

func askApprovals[T any](ctx context.Context, s *System, build func(mailbox.Reply[T]) any) (T, error) {
	var none T
	at, err := s.find(approvalsID)
	if err != nil {
		return none, err
	}
	ctx, cancel := bounded(ctx, spawnLimit)
	defer cancel()
	return mailbox.Ask(ctx, at, build)
}
