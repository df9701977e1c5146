package tools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	// embedTime bounds the computation of embeddings in a search without a gateway. The
	// next search uses the embeddings that have been computed by then.
	embedTime = 10 * time.Second
	// silentTime is the time before the notice about the computation.
	silentTime = 250 * time.Millisecond
)

// SearchNotice is the text that is shown during the search itself.
const SearchNotice = "searching"

// LocalSearch is the search of a command without a running gateway.
type LocalSearch struct {
	Host    *daemon.Host
	Trust   bool                 // project files have effect even if the user has not trusted them
	Profile string               // profile to search; "": the default profile
	Over    func(*config.Search) // applies flags to the settings
	Logger  *slog.Logger
	Notice  *terminal.Notice
	Say     func(format string, args ...any)
	JSON    bool // the answer names servers that are not trusted
}

// Find searches in the last lists of the servers, and starts the servers without a list. If
// no server is trusted, the error is an *app.Error.
func (s *LocalSearch) Find(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
	loaded, err := s.Host.Load(s.Trust)
	if err != nil {
		return toolscript.SearchAnswer{}, err
	}
	if nothing := len(loaded.Servers) == len(loaded.Untrusted); nothing && len(loaded.Servers) > 0 {
		return toolscript.SearchAnswer{}, &app.Error{Code: app.Failure} // Load has warned about the servers
	}
	if _, q.Allow, err = loaded.Settings.Narrow(s.Profile); err != nil {
		return toolscript.SearchAnswer{}, err
	}
	last := s.listedLast(loaded.Servers, q)
	own, err := s.Host.Start(loaded, daemon.Options{
		Trust: s.Trust, Search: s.Over, Logger: s.Logger,
		Actors: actors.Options{OnDemand: true, Known: last.tools},
	})
	if err != nil {
		return toolscript.SearchAnswer{}, err
	}
	defer func() {
		if err := own.Stop(); err != nil {
			s.Host.Warn("%v", err)
		}
	}()
	s.Notice.Show(SearchNotice)
	defer s.Notice.End()
	s.startNew(ctx, own, q, last)
	s.awaitVectors(ctx, own)
	s.Notice.Show(SearchNotice)
	answer, err := own.Search(ctx, q)
	answer.Missing = s.missing(answer.Missing, loaded, last)
	return answer, err
}

// missing returns the servers that were not searched. For a server that its configuration
// keeps from starting, the reason is that problem.
func (s *LocalSearch) missing(all []toolscript.MissingServer, loaded *config.Config, l listed) (missing []toolscript.MissingServer) {
	for _, m := range all {
		_, searched := l.tools[m.Name] // a searched server may have no tools
		said := slices.Contains(loaded.Untrusted, m.Name) && !s.JSON
		if searched || said { // Load has warned about servers that are not trusted
			continue
		}
		var problem *toolscript.Error
		if errors.As(loaded.Servers[m.Name].Problem, &problem) {
			m.State, m.Error = toolscript.Failed, problem.Err.Error()
		}
		missing = append(missing, m)
	}
	return missing
}

// listed has the known tools of servers that are not running.
type listed struct {
	tools map[string][]toolscript.Tool // tools by server
	older []string                     // servers that listed their tools with another configuration
	fresh []string                     // servers that have never listed their tools
}

// listedLast reads the last lists of the servers that may be searched.
func (s *LocalSearch) listedLast(servers map[string]upstream.Config, q toolscript.SearchQuery) listed {
	l := listed{tools: map[string][]toolscript.Tool{}}
	folder := server.ToolLists(s.Host.Cache("tools"))
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if !q.Names(name) || !q.Allow.Reaches(name) {
			continue
		}
		c := servers[name]
		last, ok := folder.Last(name, c)
		switch {
		case c.Disabled, c.Problem != nil:
		case !ok:
			l.fresh = append(l.fresh, name)
		default:
			l.tools[name] = last.Tools
			if last.Older {
				l.older = append(l.older, name)
			}
		}
	}
	return l
}

// startNew starts the servers without a list, and waits for them: for a short time, unless
// the query names servers.
func (s *LocalSearch) startNew(ctx context.Context, own *daemon.Daemon, q toolscript.SearchQuery, l listed) {
	if len(l.older) > 0 {
		s.Say("toolscript: the configuration has changed since these servers listed their tools: %s; their lists are renewed when they are used",
			strings.Join(l.older, ", "))
	}
	if len(l.fresh) == 0 {
		return
	}
	s.Say("toolscript: starting %s to list their tools, which is not needed in the next search", strings.Join(l.fresh, ", "))
	limit := actors.ListTime
	if len(q.Servers) > 0 { // the user wants the tools of these servers
		limit = actors.DefaultConnectTimeout
	}
	connecting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s.Notice.Show(connectingNotice(l.fresh))
	own.Await(connecting, l.fresh)
}

// awaitVectors waits until embeddings that are not cached are computed.
func (s *LocalSearch) awaitVectors(ctx context.Context, own *daemon.Daemon) {
	reading, read := context.WithTimeout(ctx, silentTime)
	defer read()
	if own.AwaitSearch(reading) || ctx.Err() != nil {
		return
	}
	s.Say("toolscript: computing the embeddings of the tools, which are cached for the next search")
	s.Notice.Show("computing the embeddings of the tools")
	embedding, enough := context.WithTimeout(ctx, embedTime)
	defer enough()
	own.AwaitSearch(embedding)
}

// connectingNotice returns the notice while servers connect.
func connectingNotice(names []string) string {
	const most = 4 // so that the text fits
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return "waiting for " + text + " to connect"
}
