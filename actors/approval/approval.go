// Package approval is the actor of calls that wait for a person. It asks about a call, accepts one answer, and
// remembers approvals that hold for a run or longer. Requests do not survive the actor. See
// docs/design/permissions.md.
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
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	codeLength = 6   // characters of 5 bits
	maxWrong   = 5   // wrong codes after which a request is denied
	maxGranted = 500 // if there are more remembered approvals, those for runs are dropped, and the person is asked again
)

// Options configure the actor.
type Options struct {
	Timeout func() time.Duration // time after which a request expires
	// Show shows a request, with the code that approves it, only to a person. Nil:
	// requests have no code.
	Show func(a toolscript.Approval, code string)
	// Notice tells the person in one line that something is wrong; nil: it is only logged.
	Notice func(text string)
	// Refuse is the reason why no person can be asked; every request is then denied at once. "": a person is asked.
	Refuse string
	// Client reports whether a person who answers at an MCP client needs no code; nil means no.
	Client func() bool
	Store  Store // keeps approvals given for ever; nil: they end with the gateway
	Log    *slog.Logger

	// Changed is called with a request, and again when it is gone. It does not block. Nil: nothing is called.
	Changed func(a toolscript.Approval, gone bool)
}

// Store keeps approvals for ever.
type Store interface {
	Load() ([]Pin, error) // the Tool of each Pin is set
	Save([]Pin) error
}

// Approvals is the state of the actor. Only Receive accesses it.
type Approvals struct {
	options Options
	post    func(message any) // sends a message to this actor

	pending map[string]*request
	granted map[grant]Pin
	guesses guesses

	waiting    []*queued // calls without a request, the oldest first
	unanswered unanswered
	wake       *time.Timer // sends turn; nil if it is not running
}

// grant is a permission that an answer has given: a tool in a run, or in all runs if run is "". It holds only in its
// project and for the configuration file (source) of the server.
type grant struct{ run, tool, source, project string }

func grantOf(run, tool string, p Pin) grant { return grant{run, tool, p.Source, p.Project} }

// request is a call that waits for an answer.
type request struct {
	Ask
	code    string
	wrong   int
	timer   *time.Timer
	detach  func() bool // stops observing the context of the call
	decided chan error  // the decision; buffered

	answered bool // by someone who has proved to be a person
}

// New returns the actor.
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
	case Get:
		m.Reply.Send(a.get(m.ID))
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
	case left:
		a.leave(m.call)
	case turn:
		if a.wake != nil {
			a.wake.Stop()
			a.wake = nil
		}
		a.next()
	case actor.Stopped:
		a.stop()
	}
}

func (a *Approvals) start(c *actor.Context) {
	engine, self := c.Engine(), c.PID()
	a.post = func(message any) { mailbox.Send(engine, self, message) }
	if a.options.Store == nil {
		return
	}
	always, err := a.options.Store.Load()
	if err != nil {
		a.options.Log.Warn("permanent approvals not read; every call is asked about", slog.String("error", err.Error()))
	}
	for _, pin := range always {
		a.granted[grantOf("", pin.Tool, pin)] = pin
	}
}

// ask answers from earlier approvals if it can, else it asks the person.
func (a *Approvals) ask(m Ask) {
	if !a.known(m) {
		a.ticket(m)
	}
}

// known answers a call if an earlier approval allows it, or if no person can be asked. It reports whether it has
// answered.
func (a *Approvals) known(m Ask) bool {
	changed := a.changed(m)
	switch {
	case changed == "" && a.allowed(m):
		m.Reply.Send(Ticket{}, nil)
	case a.options.Refuse != "" && !a.atClient(m.Approval):
		reason := a.options.Refuse
		if changed != "" {
			reason += "; the tool has changed since it was approved: " + changed
		}
		m.Reply.Send(Ticket{}, denied(m.Approval.Tool, reason))
	default:
		return false
	}
	return true
}

// grants returns the earlier approvals of a tool that can hold for a call.
func (a *Approvals) grants(m Ask) (pins []Pin) {
	for _, g := range []grant{grantOf("", m.Approval.Tool, m.Pin), grantOf(m.Approval.Run, m.Approval.Tool, m.Pin)} {
		if pin, ok := a.granted[g]; ok && !m.Once {
			pins = append(pins, pin)
		}
	}
	return pins
}

// allowed reports whether an earlier approval holds for a call.
func (a *Approvals) allowed(m Ask) bool {
	return slices.ContainsFunc(a.grants(m), m.Pin.Equal)
}

// changed describes how the tool has changed since an approval; "" if one holds or there is none.
func (a *Approvals) changed(m Ask) (changed string) {
	if a.allowed(m) {
		return ""
	}
	for _, pin := range a.grants(m) {
		changed = pin.Difference(m.Pin)
	}
	return changed
}

// open creates the request of a call and shows it.
func (a *Approvals) open(m Ask) {
	if changed := a.changed(m); changed != "" {
		m.Approval.Changed = changed
	}
	m.Approval.NoCode = a.atClient(m.Approval)
	r := a.begin(m)
	a.options.Log.Info("approval asked", slog.String("approval", r.Approval.ID), slog.String("tool", r.Approval.Tool), slog.String("run", r.Approval.Run))
	if a.options.Show != nil {
		a.show(r, a.options.Show)
	}
	m.Reply.Send(Ticket{Approval: r.Approval, Decided: r.decided}, nil)
}

// show shows a request in a goroutine. A request has no code until it is shown.
func (a *Approvals) show(r *request, show func(toolscript.Approval, string)) {
	if r.code == "" {
		r.code = rand.Text()[:codeLength]
	}
	shown, code := r.Approval, r.code
	a.aside("approval not shown", func() { show(shown, code) })
}

// aside runs f in a goroutine. If f panics, it logs failed.
func (a *Approvals) aside(failed string, f func()) {
	mailbox.Go(f, func(err error) { mailbox.LogFailure(a.options.Log, slog.LevelError, failed, err) })
}

func (a *Approvals) showAgain(m Show) error {
	r := a.pending[m.ID]
	if r == nil {
		return unknown(m.ID)
	}
	a.show(r, m.Show)
	return nil
}

// begin adds a request, which ends when its time is over or its call ends.
func (a *Approvals) begin(m Ask) *request {
	timeout, post := a.options.Timeout(), a.post
	r := &request{Ask: m, decided: make(chan error, 1)}
	id := "apr_" + strings.ToLower(rand.Text()[:8])
	r.Approval.ID, r.Approval.Since = id, time.Now()
	r.Approval.Expires = r.Approval.Since.Add(timeout)
	a.pending[id] = r
	a.unanswered.add()
	a.report(r, false)
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
	if r == nil || r.Ctx.Err() != nil { // the call has ended; the message withdrawn will remove the request
		return unknown(m.ID)
	}
	if m.Answer.Action == toolscript.ApprovalDeny {
		r.answered = m.Approver
		a.end(m.ID, denied(r.Approval.Tool, m.Answer.Reason))
		return nil
	}
	if !m.Approver && !a.trusts(r, m.Answer) {
		if err := a.prove(r, m.Answer.Code); err != nil {
			return err
		}
	}
	r.answered = true
	err := a.grant(r, m.Answer.Scope)
	a.end(m.ID, nil)
	return err
}

// prove compares the code. Wrong codes are counted for the request and for all requests
// together, so that codes cannot be guessed.
func (a *Approvals) prove(r *request, code string) error {
	switch {
	case r.code == "":
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New(
			"this gateway shows no codes: it has no terminal and no desktop; run it at a terminal, or set approvals.confirm in ~/.toolscript.json")}
	case a.guesses.pause() > 0:
		return a.guesses.paused()
	case subtle.ConstantTimeCompare([]byte(plain(code)), []byte(r.code)) == 1:
		return nil
	}
	if plain(code) != "" { // an empty code is not a guess
		a.count()
	}
	if r.wrong++; r.wrong >= maxWrong {
		a.end(r.Approval.ID, denied(r.Approval.Tool, "too many wrong codes"))
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New("too many wrong codes: the request is denied")}
	}
	return &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New("the code is wrong; the gateway shows it at its own terminal or as a notification of the desktop")}
}

// plain returns the code in what a person has typed, without separators and in upper case.
func plain(code string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(code))
}

// grant remembers an approval for more than one call. The error says that an approval for
// ever could not be stored.
func (a *Approvals) grant(r *request, scope string) error {
	switch {
	case r.Once:
		return nil
	case scope == toolscript.ScopeRun && r.Approval.Run != "":
		a.forgetRuns()
		a.granted[grantOf(r.Approval.Run, r.Approval.Tool, r.Pin)] = r.Pin
		a.allowWaiting(r, r.Approval.Run)
	case scope == toolscript.ScopeSession || scope == toolscript.ScopeAlways:
		a.granted[grantOf("", r.Approval.Tool, r.Pin)] = r.Pin
		a.allowWaiting(r, "")
	}
	if scope != toolscript.ScopeAlways || a.options.Store == nil {
		return nil
	}
	return a.keep(r)
}

// forgetRuns removes the approvals for runs if there are more than maxGranted of them.
func (a *Approvals) forgetRuns() {
	forRun := func(g grant, _ Pin) bool { return g.run != "" }
	if len(a.granted) <= maxGranted {
		return
	}
	n := 0
	for g := range a.granted {
		if forRun(g, Pin{}) {
			n++
		}
	}
	if n > maxGranted {
		maps.DeleteFunc(a.granted, forRun)
	}
}

func (a *Approvals) keep(r *request) error {
	always, err := a.options.Store.Load()
	if err == nil {
		kept := r.Pin
		kept.Tool = r.Approval.Tool
		always = slices.DeleteFunc(always, func(p Pin) bool { return grantOf("", p.Tool, p) == grantOf("", kept.Tool, kept) })
		err = a.options.Store.Save(append(always, kept))
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
			other.answered = true
			a.end(id, nil)
		}
	}
}

// report tells operators about a request.
func (a *Approvals) report(r *request, gone bool) {
	if a.options.Changed != nil {
		a.options.Changed(r.Approval, gone)
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
	a.report(r, true)
	r.timer.Stop()
	r.detach()
	if r.answered {
		a.unanswered.remove()
	}
	if len(a.waiting) > 0 {
		a.post(turn{})
	}
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

// get returns a request with all of its arguments.
func (a *Approvals) get(id string) (toolscript.Approval, error) {
	r := a.pending[id]
	if r == nil {
		return toolscript.Approval{}, unknown(id)
	}
	whole := r.Approval
	if whole.Cut > 0 {
		whole.Args, whole.Cut = r.Args, 0
	}
	return whole, nil
}

// stop denies the open requests, because they cannot be answered any more.
func (a *Approvals) stop() {
	const ended = "the gateway ended before the request was answered"
	for _, q := range a.waiting {
		q.detach()
		q.Reply.Send(Ticket{}, denied(q.Approval.Tool, ended))
	}
	a.waiting = nil
	for id, r := range a.pending {
		a.end(id, denied(r.Approval.Tool, ended))
	}
	if a.wake != nil {
		a.wake.Stop()
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
