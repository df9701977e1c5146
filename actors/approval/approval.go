// Package approval is the actor of calls that wait for a person. It asks about a call,
// accepts one answer, and remembers what was approved for a run or longer. Requests do
// not survive the actor.
package approval

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	codeLength = 6   // characters of 5 bits
	maxWrong   = 5   // wrong codes after which a request is denied
	maxGranted = 500 // approvals for runs; with more, runs are asked again
)

// Options configure the actor.
type Options struct {
	Timeout func() time.Duration // of a request
	// Show shows a request, with the code that approves it, only to a person. Nil:
	// requests have no code.
	Show func(a toolscript.Approval, code string)
	// Refuse is why no person can be asked: requests are denied at once. "" asks.
	Refuse string
	// Client reports whether a person who answers at an MCP client needs no code; nil means no.
	Client func() bool
	Store  Store // of approvals for ever; nil: they end with the gateway
	Log    *slog.Logger
}

// Store keeps approvals for ever.
type Store interface {
	Load() (map[string]Pin, error) // by tool id
	Save(map[string]Pin) error
}

// Approvals is the state of the actor. Only Receive accesses it.
type Approvals struct {
	options Options
	post    func(message any) // to this actor
	tell    func(fact any)    // to the parent

	pending map[string]*request
	granted map[grant]Pin
}

// grant is what an answer has allowed: a tool in a run, or in all if run is "".
type grant struct{ run, tool string }

// request waits for its answer.
type request struct {
	Ask
	code    string
	wrong   int
	timer   *time.Timer
	detach  func() bool // from the context of the call
	decided chan error  // has room for the decision
}

// New makes the actor.
func New(o Options) *Approvals {
	return &Approvals{options: o, pending: map[string]*request{}, granted: map[grant]Pin{}}
}

// Receive handles one message.
func (a *Approvals) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		a.start(c)
	case Ask:
		a.ask(m)
	case List:
		m.Reply.Send(a.list(), nil)
	case Count:
		m.Reply.Send(len(a.pending), nil)
	case Answer:
		m.Reply.Send(struct{}{}, a.answer(m))
	case Show:
		m.Reply.Send(struct{}{}, a.showAgain(m))
	case withdrawn:
		a.end(m.id, &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the call was cancelled before it was approved")})
	case expired:
		a.expire(m.id)
	case actor.Stopped:
		a.stop()
	}
}

func (a *Approvals) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	a.post = func(message any) { mailbox.Send(engine, self, message) }
	a.tell = func(any) {}
	if parent := c.Parent(); parent != nil {
		a.tell = func(fact any) { mailbox.Send(engine, parent, fact) }
	}
	if a.options.Store == nil {
		return
	}
	always, err := a.options.Store.Load()
	if err != nil {
		a.options.Log.Warn("permanent approvals not read; every call is asked about", slog.String("error", err.Error()))
	}
	for tool, pin := range always {
		a.granted[grant{tool: tool}] = pin
	}
}

// ask answers from what was approved before, else it asks the person.
func (a *Approvals) ask(m Ask) {
	for _, g := range []grant{{tool: m.Approval.Tool}, {m.Approval.Run, m.Approval.Tool}} {
		pin, ok := a.granted[g]
		if !ok || m.Once {
			continue
		}
		if m.Approval.Changed = pin.Difference(m.Pin); m.Approval.Changed == "" {
			m.Reply.Send(Ticket{}, nil)
			return
		}
	}
	if a.options.Refuse != "" && !a.atClient(m.Approval) {
		reason := a.options.Refuse
		if m.Approval.Changed != "" {
			reason += "; the tool has changed since it was approved: " + m.Approval.Changed
		}
		m.Reply.Send(Ticket{}, denied(m.Approval.Tool, reason))
		return
	}
	r := a.begin(m)
	a.options.Log.Info("approval asked", slog.String("approval", r.Approval.ID), slog.String("tool", r.Approval.Tool), slog.String("run", r.Approval.Run))
	if a.options.Show != nil {
		a.show(r, a.options.Show)
	}
	m.Reply.Send(Ticket{r.Approval, r.decided}, nil)
}

// show shows a request in a goroutine. A request has no code until it is shown.
func (a *Approvals) show(r *request, show func(toolscript.Approval, string)) {
	if r.code == "" {
		r.code = rand.Text()[:codeLength]
	}
	shown, code := r.Approval, r.code
	mailbox.Go(func() { show(shown, code) }, func(err error) {
		mailbox.LogFailure(a.options.Log, slog.LevelError, "approval not shown", err)
	})
}

func (a *Approvals) showAgain(m Show) error {
	r := a.pending[m.ID]
	if r == nil {
		return unknown(m.ID)
	}
	a.show(r, m.Show)
	return nil
}

// begin adds a request, which ends with its time or its call.
func (a *Approvals) begin(m Ask) *request {
	timeout, post := a.options.Timeout(), a.post
	r := &request{Ask: m, decided: make(chan error, 1)}
	id := "apr_" + strings.ToLower(rand.Text()[:8])
	r.Approval.ID, r.Approval.Since = id, time.Now()
	r.Approval.Expires = r.Approval.Since.Add(timeout)
	a.pending[id] = r
	a.tell(event.ApprovalChanged{Approval: r.Approval})
	r.timer = time.AfterFunc(timeout, func() { post(expired{id}) })
	r.detach = context.AfterFunc(m.Ctx, func() { post(withdrawn{id}) })
	return r
}

// answer accepts the first valid answer to a request. An allowing answer proves that it
// comes from a person.
func (a *Approvals) answer(m Answer) error {
	if err := m.Answer.Validate(); err != nil {
		return err
	}
	r := a.pending[m.ID]
	if r == nil {
		return unknown(m.ID)
	}
	if m.Answer.Action == toolscript.ApprovalDeny {
		a.end(m.ID, denied(r.Approval.Tool, m.Answer.Reason))
		return nil
	}
	if !m.Approver && !a.trusts(r, m.Answer) {
		if err := a.prove(r, m.Answer.Code); err != nil {
			return err
		}
	}
	err := a.grant(r, m.Answer.Scope)
	a.end(m.ID, nil)
	return err
}

// prove compares the code. After too many wrong ones the request is denied, so that
// codes cannot be guessed.
func (a *Approvals) prove(r *request, code string) error {
	switch {
	case r.code == "":
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New(
			"this gateway shows no codes: it has no terminal and no desktop; run it at a terminal, or set approvals.confirm in ~/.toolscript.json")}
	case subtle.ConstantTimeCompare([]byte(plain(code)), []byte(r.code)) == 1:
		return nil
	}
	if r.wrong++; r.wrong >= maxWrong {
		a.end(r.Approval.ID, denied(r.Approval.Tool, "too many wrong codes"))
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New("too many wrong codes: the request is denied")}
	}
	return &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New("the code is wrong; the gateway shows it at its own terminal or as a notification of the desktop")}
}

// plain is a code as it was made, from what a person has typed.
func plain(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// grant remembers an approval that is not for one call. The error says that it is not
// kept for ever.
func (a *Approvals) grant(r *request, scope string) error {
	switch {
	case r.Once:
		return nil
	case scope == toolscript.ScopeRun && r.Approval.Run != "":
		if len(a.granted) > maxGranted {
			maps.DeleteFunc(a.granted, func(g grant, _ Pin) bool { return g.run != "" })
		}
		a.granted[grant{r.Approval.Run, r.Approval.Tool}] = r.Pin
		a.allowWaiting(r, r.Approval.Run)
	case scope == toolscript.ScopeSession || scope == toolscript.ScopeAlways:
		a.granted[grant{tool: r.Approval.Tool}] = r.Pin
		a.allowWaiting(r, "")
	}
	if scope != toolscript.ScopeAlways || a.options.Store == nil {
		return nil
	}
	return a.keep(r)
}

func (a *Approvals) keep(r *request) error {
	always, err := a.options.Store.Load()
	if err == nil {
		if always == nil {
			always = map[string]Pin{}
		}
		always[r.Approval.Tool] = r.Pin
		err = a.options.Store.Save(always)
	}
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Internal, Err: fmt.Errorf("allowed until the gateway ends, because the approval cannot be stored: %w", err)}
	}
	return nil
}

// allowWaiting allows the other requests that a new grant covers.
func (a *Approvals) allowWaiting(r *request, run string) {
	for id, other := range a.pending {
		if other != r && !other.Once && other.Approval.Tool == r.Approval.Tool && (run == "" || other.Approval.Run == run) && r.Pin.Equal(other.Pin) {
			a.end(id, nil)
		}
	}
}

func (a *Approvals) expire(id string) {
	if r := a.pending[id]; r != nil {
		a.end(id, &toolscript.Error{Kind: toolscript.ApprovalTimeout, Tool: r.Approval.Tool, Err: fmt.Errorf(
			"%s was not approved within %s; answer requests with: toolscript approvals; without a desktop, write \"confirm\": \"terminal\" or a rule that allows the tool into approvals of ~/.toolscript.json", r.Approval.Tool, r.Approval.Expires.Sub(r.Approval.Since))})
	}
}

// end removes a request and answers its call.
func (a *Approvals) end(id string, err error) {
	r := a.pending[id]
	if r == nil {
		return
	}
	delete(a.pending, id)
	a.tell(event.ApprovalChanged{Approval: r.Approval, Gone: true})
	r.timer.Stop()
	r.detach()
	outcome := cmp.Or(string(toolscript.KindOf(err)), "allowed")
	a.options.Log.Info("approval ended", slog.String("approval", id), slog.String("tool", r.Approval.Tool), slog.String("outcome", outcome))
	r.decided <- err
}

// list returns the requests in the order of their arrival.
func (a *Approvals) list() []toolscript.Approval {
	all := make([]toolscript.Approval, 0, len(a.pending))
	for _, r := range a.pending {
		all = append(all, r.Approval)
	}
	slices.SortFunc(all, func(x, y toolscript.Approval) int {
		return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(x.ID, y.ID))
	})
	return all
}

// stop denies the open requests, because they cannot be answered any more.
func (a *Approvals) stop() {
	for id, r := range a.pending {
		a.end(id, denied(r.Approval.Tool, "the gateway ended before the request was answered"))
	}
}

func unknown(id string) error {
	return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("no request %.50q waits for an approval; it has been answered or has expired", id)}
}

func denied(tool, reason string) error {
	text := tool + " was denied"
	if reason != "" {
		text += ": " + reason
	}
	return &toolscript.Error{Kind: toolscript.ApprovalDenied, Tool: tool, Err: errors.New(text)}
}
