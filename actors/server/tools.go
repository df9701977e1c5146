package server

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

const (
	listPause = 250 * time.Millisecond // between two lists, however often a server says that they changed
	listRetry = 5 * time.Second        // after a list that failed
)

// listing says how the list of tools stands. Changes that come while a list is
// under way, or in the pause after it, make one more list together.
type listing struct {
	busy  bool // under way, or in the pause after it
	stale bool // changed since it was begun
}

func (s *Server) listChanged(m listChanged) {
	switch {
	case m.generation != s.generation:
	case s.conn == nil || s.listing.busy:
		s.listing.stale = true
	default:
		s.list()
	}
}

// list asks for the tools under a deadline of its own.
func (s *Server) list() {
	s.listing = listing{busy: true}
	conn, online, post, generation, bound := s.conn, s.online, s.post, s.generation, s.ConnectTimeout
	s.Work.Go(func() {
		ctx, cancel := context.WithTimeout(online, bound)
		defer cancel()
		tools, err := conn.ListTools(ctx)
		post(listed{generation, tools, err})
	}, func(err error) { post(listed{generation, nil, err}) })
}

// listed keeps the tools known so far when the list failed: the connection is
// up, and calls may well succeed.
func (s *Server) listed(m listed) {
	if m.generation != s.generation {
		return
	}
	pause := listPause
	if s.lastErr = m.err; m.err != nil {
		s.lastErr = fmt.Errorf("list its changed tools: %w", m.err)
		s.listing.stale, pause = true, listRetry
		mailbox.LogFailure(s.Logger, slog.LevelWarn, "tools not listed", m.err, slog.Duration("retry", pause))
	} else {
		s.offer(m.tools)
		s.Logger.Info("tools listed again", slog.Int("tools", len(s.tools)))
	}
	s.tell(event.ServerChanged{Status: s.status()})
	post, over := s.post, pauseOver{s.generation}
	time.AfterFunc(pause, func() { post(over) })
}

func (s *Server) pauseOver(m pauseOver) {
	if m.generation != s.generation {
		return
	}
	s.listing.busy = false
	if s.listing.stale {
		s.list()
	}
}

// offer announces those of the server's tools that its configuration selects.
func (s *Server) offer(all []toolscript.Tool) {
	s.keep(all)
	s.choose(all)
	for _, warning := range s.warnings {
		s.Logger.Warn("tool filter", slog.String("server", s.Name), slog.String("warning", warning))
	}
	s.tellTools()
}

// choose takes the tools that the configuration selects.
func (s *Server) choose(all []toolscript.Tool) {
	names := make([]string, 0, len(all))
	s.tools = make([]toolscript.Tool, 0, len(all))
	for _, tool := range all {
		names = append(names, tool.Name)
		if s.Config.Selects(tool.Name) {
			s.tools = append(s.tools, tool)
		}
	}
	s.warnings = nil
	for _, entry := range s.Config.Unmatched(names) {
		s.warnings = append(s.warnings, fmt.Sprintf(
			"%s: includeTools or excludeTools names %q, and the server has no such tool; see toolscript list-tools %s",
			s.Name, entry, s.Name))
	}
}

func (s *Server) tellTools() {
	s.tell(event.ToolsChanged{Server: s.Name, Tools: s.tools, Warnings: s.warnings})
}
