package actors

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/upstream"
)

const approvalsID = "approvals"

// Approvals configures which calls a person has to approve, and how the person is
// asked.
type Approvals struct {
	Policies func() toolscript.Approvals // called for each call; nil: only tools with RequiresApproval need approval

	// Show shows a request, with the code that approves it, only to a person. Nil: only
	// an approver's secret can allow calls.
	Show func(a toolscript.Approval, code string)
	// Notice tells the person that something is wrong with the answers, in one line; nil: only
	// the log does.
	Notice func(text string)
	// Refuse is the reason why no person can be asked at all; "" if a person can be asked.
	Refuse string
	Store  approval.Store // keeps approvals given for ever; nil: they end with the System

	// Project is the folder that the calls belong to. An approval holds only in the folder, and
	// for the configuration file of the server, in which it was given.
	Project string

	// Client reports whether a person who answers at an MCP client needs no code; nil means no.
	Client func() bool
}

// approvalSpec returns the actor of calls that wait for a person.
func (s *System) approvalSpec() mailbox.Spec {
	o := approval.Options{
		Timeout: func() (t time.Duration) { return s.policies().Timeout() },
		Show:    s.options.Approvals.Show, Notice: s.options.Approvals.Notice, Refuse: s.options.Approvals.Refuse, Client: s.options.Approvals.Client, Store: s.options.Approvals.Store, Log: s.options.Logger,
	}
	feed := s.options.Feed
	o.Changed = func(a toolscript.Approval, gone bool) {
		if gone {
			feed.Remove(toolscript.LiveApproval, a.ID)
			return
		}
		feed.Put(a)
	}
	return mailbox.Spec{ID: approvalsID, Produce: func() actor.Receiver {
		feed.Clear(toolscript.LiveApproval) // requests end with their actor
		return approval.New(o)
	}}
}

func (s *System) policies() toolscript.Approvals {
	if s.options.Approvals.Policies == nil {
		return nil
	}
	return s.options.Approvals.Policies()
}

// free reports whether the configuration allows calls of a tool without an approval.
func (s *System) free(tool toolscript.Tool) bool {
	return s.policies().Decide(tool) == toolscript.ApprovalAllow
}

// approve returns when the call may be made. If the tool has changed meanwhile, it asks
// again. The error is ApprovalDenied, ApprovalTimeout, or the error of the ended ctx.
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
		now, ok := view.Catalog.Find(tool.ID())
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
	whole := approval.ShownArgs(args, s.redactor(tool.Server).known)
	short, cut := approval.CutArgs(whole)
	ticket, err := mailbox.Ask(ctx, at, func(r mailbox.Reply[approval.Ticket]) any {
		return approval.Ask{Ctx: ctx, Args: whole, Pin: pin, Reply: r, Approval: toolscript.Approval{
			Run: call.Run, CallID: call.CallID, Terminal: call.Terminal, Asks: call.Asks, Tool: tool.ID(), Args: short, Cut: cut,
		}}
	})
	if err != nil || ticket.Decided == nil && ticket.Queued == nil {
		call.Approval = approvalOf(toolscript.ApprovedBefore, err)
		return err
	}
	asked, resume := func(toolscript.Approval) {}, func(bool) {}
	if call.Waiting != nil {
		asked, resume = call.Waiting()
	}
	since := time.Now()
	call.Approval, err = s.decision(ctx, at, ticket, asked)
	decided := time.Now()
	call.Origin.AddApprovalWait(decided.Sub(since))
	call.Origin.Queue(decided)
	resume(err == nil)
	call.Origin.Leave(time.Now())
	return err
}

// decision waits for the decision about a call. A queued call first waits until other requests have ended and its
// own request exists. how is the value for toolscript.Call.Approval.
func (s *System) decision(ctx context.Context, at mailbox.Address, ticket approval.Ticket, asked func(toolscript.Approval)) (how string, err error) {
	if ticket.Queued != nil {
		ticket, err = ticket.Queued.Receive(ctx, at)
	}
	if err != nil || ticket.Decided == nil {
		return approvalOf(toolscript.ApprovedBefore, err), err
	}
	asked(ticket.Approval)
	select {
	case err = <-ticket.Decided:
	case <-ctx.Done():
		err = toolscript.ContextError(ctx)
	case <-at.Gone:
		err = mailbox.ErrStopped
	case <-at.Ended:
		err = mailbox.ErrEnded
	}
	return approvalOf(toolscript.ApprovedNow, err), err
}

// approvalOf returns the value of toolscript.Call.Approval after a decision.
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

// shownArgs returns the arguments for a person who watches calls: on one line, without secrets,
// and cut if they are long. A person who decides about a call sees approval.ShownArgs.
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

// identitiesOf returns the part of an approval's pin that identifies each configured server.
func (s *System) identitiesOf(servers map[string]upstream.Config) *map[string]approval.PinnedServer {
	all := make(map[string]approval.PinnedServer, len(servers))
	for name, c := range servers {
		all[name] = approval.PinnedServer{Identity: c.Identity(), Source: c.Source, Project: s.options.Approvals.Project}
	}
	return &all
}

// PendingApprovals returns the calls that wait for a person, the oldest first.
func (s *System) PendingApprovals(ctx context.Context) ([]toolscript.Approval, error) {
	return askApprovals(ctx, s, func(r mailbox.Reply[[]toolscript.Approval]) any { return approval.List{Reply: r} })
}

// PendingApproval returns a call that waits for a person, with all of its arguments. The error
// is NotFound for a request that does not wait.
func (s *System) PendingApproval(ctx context.Context, id string) (toolscript.Approval, error) {
	return askApprovals(ctx, s, func(r mailbox.Reply[toolscript.Approval]) any { return approval.Get{ID: id, Reply: r} })
}

// AnswerApproval answers a call that waits for a person. Without approver, an answer
// that allows the call needs the code of the request. The error is NotFound for a
// request that does not wait, Forbidden for a wrong code, Busy while no codes are
// accepted, and Internal if an approval for ever cannot be stored and ends with the gateway.
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
	ctx, cancel := bounded(ctx, requestLimit)
	defer cancel()
	return mailbox.Ask(ctx, at, build)
}
