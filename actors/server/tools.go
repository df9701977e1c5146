package server

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/internal/naming"
)

const (
	listPause = 250 * time.Millisecond // minimum time between two lists, however many notifications arrive
	listRetry = 5 * time.Second        // pause after a failed list
)

// listing is the state of the requests for the list of tools. All changes during a request,
// or during the pause after it, lead to one further request.
type listing struct {
	busy  bool // a list, or the pause after it, is in progress
	stale bool // the tools have changed since the list began

	read    time.Time // when the last list was read, or its reading failed
	doubted bool      // the server does not know a tool of the list
	awaited []mailbox.Reply[int]
}

func (s *Server) listChanged(m listChanged) {
	switch {
	case m.generation != s.generation:
	case s.conn == nil || s.listing.busy:
		s.listing.stale = true
	default:
		s.list(false)
	}
}

// list requests the tools with its own deadline. unasked means that no notification of the
// server led to it: then a failure and an unchanged list have no consequences.
func (s *Server) list(unasked bool) {
	s.listing.busy, s.listing.stale = true, false
	known := s.all
	conn, online, post, generation, bound := s.conn, s.online, s.post, s.generation, s.startLimit()
	options, instructions := s.Options, s.info.Instructions
	s.Work.Go(func() {
		ctx, cancel := context.WithTimeout(online, bound)
		defer cancel()
		tools, err := conn.ListTools(ctx)
		var review Review
		same := unasked && err == nil && reflect.DeepEqual(tools, known)
		if err == nil && !same {
			review = options.examine(instructions, tools)
		}
		post(listed{generation, tools, review, err, unasked, same})
	}, func(err error) { post(listed{generation: generation, err: err, unasked: unasked}) })
}

// listed keeps the previous tools if the list failed: the connection is up, so calls
// may succeed.
func (s *Server) listed(m listed) {
	if m.generation != s.generation {
		return
	}
	s.calls.otherAnswer(m.err)
	pause := listPause
	switch {
	case m.same:
	case m.err != nil && m.unasked:
		s.log.write(slog.LevelDebug, "tools not listed again", slog.String("error", m.err.Error()))
	case m.err != nil:
		s.lastErr = fmt.Errorf("list its changed tools: %w", m.err)
		s.listing.stale, pause = true, listRetry
		mailbox.LogFailure(s.Logger, slog.LevelWarn, "tools not listed", m.err, slog.Duration("retry", pause))
	default:
		s.lastErr = nil
		s.offer(m.tools, m.review)
		s.log.write(slog.LevelInfo, "tools listed again", slog.Int("tools", len(s.tools)-skillsIn(s.tools)))
	}
	if !m.unasked || m.err == nil && !m.same {
		s.tell(catalog.ServerChanged{Status: s.status()})
	}
	s.hasRead()
	post, over := s.post, pauseOver{s.generation}
	time.AfterFunc(pause, func() { post(over) })
}

func (s *Server) pauseOver(m pauseOver) {
	if m.generation != s.generation {
		return
	}
	s.listing.busy = false
	if s.listing.stale {
		s.list(false)
	}
}

// offer publishes the server's tools that the configuration selects.
func (s *Server) offer(all []toolscript.Tool, review Review) {
	s.keep(all)
	s.choose(all, review)
	s.announceTools()
}

// sharesLimit is a connection to a server whose calls are also limited elsewhere.
type sharesLimit interface{ SetConcurrency(limit int) }

// adjust applies new limits and tool filters. New limits apply to calls that begin
// later.
func (s *Server) adjust(m Adjust) {
	if shared, ok := s.conn.(sharesLimit); ok && s.Config.Concurrency != m.Config.Concurrency {
		shared.SetConcurrency(m.Config.Concurrency)
	}
	s.Config = m.Config
	s.setLimits()
	s.publish()
	s.watchIdle(s.Config.Idle)
	if s.state == toolscript.Resting && !s.Config.Rests() {
		s.want()
	}
	if s.all != nil {
		s.choose(s.all, s.review)
		s.announceTools()
	}
	s.advance()
}

// announceTools publishes the selected tools and logs warnings about the filters. A filter entry
// that no tool has is only logged, unless it resembles the name of a tool: a filter may name a
// tool that the server does not have yet.
func (s *Server) announceTools() {
	for _, entry := range s.unmatched {
		s.log.write(slog.LevelInfo, "tool filter matches nothing", slog.String("entry", entry))
	}
	for _, warning := range s.warnings {
		s.log.write(slog.LevelWarn, "tool filter", slog.String("warning", warning))
	}
	s.notifyTools()
}

// choose sets the selected tools, with the overrides applied, and the warnings about filters and
// overrides. It does not select tools that review holds.
func (s *Server) choose(all []toolscript.Tool, review Review) {
	before := s.review
	s.all, s.review = all, review
	s.reviews++
	s.logReview(before)
	s.refuseHeld()
	s.publish()
	names := make([]string, 0, len(all))
	for _, tool := range all {
		names = append(names, tool.Name)
	}
	s.tools, s.warnings = s.Config.Offered(s.Name, all, review.Holds)
	s.unmatched = nil
	for _, entry := range s.Config.Unmatched(names) {
		near := naming.Nearest(entry, names, 1)
		if len(near) == 0 {
			s.unmatched = append(s.unmatched, entry)
			continue
		}
		s.warnings = append(s.warnings, fmt.Sprintf(
			"%s: includeTools or excludeTools has %q, and the server has no such tool%s see: %s",
			s.Name, entry, naming.DidYouMean(near), toolscript.Command("list-tools", s.Name)))
	}
}

// skillsIn returns the number of skills in a list of tools and skills.
func skillsIn(all []toolscript.Tool) (n int) {
	for _, t := range all {
		if t.Skill != nil {
			n++
		}
	}
	return n
}

func (s *Server) notifyTools() {
	s.tell(catalog.ToolsChanged{Server: s.Name, Tools: s.tools, Warnings: s.warnings})
}
