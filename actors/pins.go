package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Pins configures how tools are compared with their definitions at their first use.
type Pins struct {
	Store  pin.Store                   // nil: nothing is pinned
	Policy func() toolscript.PinPolicy // called for each list of tools; nil: warn
}

func (s *System) newGuard() *pin.Guard {
	return &pin.Guard{
		Store: s.options.Pins.Store, Policy: s.options.Pins.Policy, Log: s.options.Logger,
		Configured: func(name string) bool { _, ok := (*s.identities.Load())[name]; return ok },
	}
}

// reviewer returns the function that reviews the tools of a server; nil for saved scripts, which
// a user trusts by their text, and for Go functions, which no file configures. The built-in tools
// change only with this program, so for their servers it compares only the definition.
func (s *System) reviewer(name string, config upstream.Config) func(string, []toolscript.Tool) server.Review {
	review := config.Kind().Review
	if review == upstream.ReviewNothing {
		return nil
	}
	of := pin.ComparedServer{
		Name: name, Source: config.Source, Identity: config.Identity(), Written: config.Written, Program: config.Definition(), Fixed: review == upstream.ReviewDefinition,
	}
	return func(instructions string, tools []toolscript.Tool) server.Review {
		review := server.Review{Verdict: s.guard.Check(of, tools)}
		if !of.Fixed {
			review.Suspicions = append(pin.SuspicionsOfText(instructions), review.Suspicions...)
		}
		return review
	}
}

// ReviewPins compares the tools of all servers with their pins again, because the policy
// has changed.
func (s *System) ReviewPins() {
	for _, known := range s.current().Servers {
		if at, ok := s.directory.Find(serverID(known.Name)); ok {
			mailbox.Send(at.Engine, at.PID, server.Again{})
		}
	}
}

// held returns the error of a tool in quarantine; nil for any other tool. The id may end
// with the name that scripts write.
func held(view catalog.View, id string, allow toolscript.Filter) error {
	for _, known := range view.Servers {
		name, of := strings.CutPrefix(id, known.Name+toolscript.Separator)
		if !of {
			continue
		}
		for _, c := range known.Pins {
			shown := cmp.Or(c.Name, c.Tool)
			if !c.Held || shown != "" && shown != name && naming.Identifier(shown) != name {
				continue
			}
			tool := toolscript.Tool{Server: known.Name, Name: cmp.Or(shown, name)}
			if !allow.Match(tool) {
				return nil
			}
			return server.Quarantine(tool, c)
		}
	}
	return nil
}

// namesForScripts returns Names including the tools in quarantine.
func (s *System) namesForScripts() *naming.Names {
	view := s.current()
	return withHeld(view.Names(), view.Servers)
}

// withHeld adds the tools in quarantine to the names of a catalog, so that a script that
// calls one gets the reason.
func withHeld(names *naming.Names, servers []catalog.Server) *naming.Names {
	held := map[string][]string{}
	for _, s := range servers {
		for _, c := range s.Pins {
			if c.Held && c.Tool != "" {
				held[s.Name] = append(held[s.Name], naming.Identifier(cmp.Or(c.Name, c.Tool)))
			}
		}
	}
	if len(held) == 0 {
		return names
	}
	more := *names
	more.Servers = slices.Clone(names.Servers)
	for i := range more.Servers {
		s := &more.Servers[i]
		for _, ident := range held[s.Name] {
			if !slices.ContainsFunc(s.Tools, func(t naming.Tool) bool { return t.Ident == ident }) {
				s.Held = append(s.Held, ident)
				more.Key += fmt.Sprintf(" held %q.%q", s.Name, ident)
			}
		}
	}
	return &more
}

// acceptTime bounds the wait until an accepted tool can be used.
const acceptTime = 5 * time.Second

// acceptance is a change that a person may accept.
type acceptance struct {
	done chan struct{} // closed when the person has decided and err is set
	err  error         // why the change could not be pinned; valid after done
}

// AcceptPins asks a person to accept a server as it is now, or one of its tools. It
// returns the request, which AnswerApproval answers. Nothing else accepts a change.
func (s *System) AcceptPins(ctx context.Context, name, tool string) (toolscript.Approval, error) {
	var none toolscript.Approval
	changes, err := s.pinChanges(name, tool)
	if err != nil {
		return none, err
	}
	snapshot, err := s.guard.Snapshot(name, tool)
	if err != nil {
		return none, err
	}
	at, err := s.find(approvalsID)
	if err != nil {
		return none, err
	}
	id := name
	if tool != "" {
		id = name + toolscript.Separator + tool
	}
	asking, cancel := bounded(ctx, requestLimit)
	defer cancel()
	ticket, err := mailbox.Ask(asking, at, func(r mailbox.Reply[approval.Ticket]) any {
		return approval.Ask{Ctx: s.closing, Once: true, Reply: r, Approval: toolscript.Approval{Tool: id, Pin: true, Changed: summaryOf(changes)}}
	})
	if err != nil {
		return none, err
	}
	a := &acceptance{done: make(chan struct{})}
	s.accepting.Store(ticket.Approval.ID, a)
	s.work.Go(func() {
		defer close(a.done)
		defer s.accepting.Delete(ticket.Approval.ID)
		select {
		case err := <-ticket.Decided:
			if err == nil {
				a.err = s.accept(snapshot, name)
			}
		case <-at.Ended: // the requests end with their actor
		}
	}, func(err error) { a.err = err })
	return ticket.Approval, nil
}

// pinChanges returns the changes of a server, or of one tool.
func (s *System) pinChanges(name, tool string) ([]toolscript.PinChange, error) {
	view := s.current()
	at := slices.IndexFunc(view.Servers, func(known catalog.Server) bool { return known.Name == name })
	if at < 0 {
		return nil, unknownServer(view, name, nil)
	}
	changes := view.Servers[at].Pins
	if tool != "" {
		changes = slices.DeleteFunc(slices.Clone(changes), func(c toolscript.PinChange) bool { return c.Tool != tool })
	}
	if len(changes) == 0 {
		return nil, &toolscript.Error{Kind: toolscript.Conflict, Err: errors.New("nothing has changed there"), Next: "see: toolscript pins list"}
	}
	return changes, nil
}

// summaryOf describes changes in one line.
func summaryOf(changes []toolscript.PinChange) string {
	const most = 5
	var words []string
	for i, c := range changes {
		if i == most {
			words = append(words, fmt.Sprintf("%d more", len(changes)-most))
			break
		}
		word := strings.Join(c.Parts, ", ")
		if word == "" {
			word = c.Kind
		}
		if c.Tool != "" {
			word = c.Tool + " (" + word + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, "; ")
}

// accept pins a snapshot, and returns when the tools can be used.
func (s *System) accept(snapshot pin.Snapshot, name string) error {
	if err := s.guard.Accept(snapshot); err != nil {
		return &toolscript.Error{Kind: toolscript.Internal, Err: fmt.Errorf("the change is accepted, and cannot be stored: %w", err)}
	}
	ctx, cancel := context.WithTimeout(s.closing, acceptTime)
	defer cancel()
	at, err := s.find(serverID(name))
	if err != nil {
		return nil // the next start of the server reads the pins
	}
	reviews, err := mailbox.Ask(ctx, at, func(r mailbox.Reply[int]) any { return server.Again{Reply: r} })
	if err != nil {
		return nil // the next start of the server reads the pins
	}
	s.awaitReview(ctx, name, reviews)
	return nil
}

// awaitAccepted waits until an accepted change is pinned. Other approvals have nothing to
// wait for.
func (s *System) awaitAccepted(ctx context.Context, id string) error {
	found, ok := s.accepting.Load(id)
	if !ok {
		return nil
	}
	a := found.(*acceptance)
	select {
	case <-a.done:
		return a.err
	case <-ctx.Done():
		return toolscript.ContextError(ctx)
	}
}
