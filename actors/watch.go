package actors

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/internal/texts"
)

// Watch calls emit with the announcements of the servers, until ctx ends or emit fails; see live.Watches.Watch.
func (s *System) Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) (err error) {
	defer rescue.Catch(s.panicked(&err))
	q.Resources = slices.Clone(q.Resources)
	for i, r := range q.Resources {
		q.Resources[i].Server = withAccount(s.current(), r.Server)
	}
	if q.Session != nil {
		entry := toolscript.SessionEntry{
			ID: fmt.Sprintf("%s_%d", toolscript.SessionStdio, s.sessions.Add(1)), Transport: toolscript.SessionStdio, Since: time.Now(),
			MCPClient: toolscript.MCPClient{Client: texts.Cut(q.Session.Client, toolscript.MaxClient), Version: texts.Cut(q.Session.Version, toolscript.MaxClient)},
		}
		s.options.Feed.Put(entry)
		defer s.options.Feed.Remove(toolscript.LiveSession, entry.ID)
	}
	return s.watches.Watch(ctx, q, emit)
}

// newWatches returns the Watches of the System.
func (s *System) newWatches() *live.Watches {
	return &live.Watches{
		Subscribe: func(ctx context.Context, o toolscript.FetchRequest) error {
			_, err := s.Fetch(ctx, o)
			return err
		},
		Announce: func(ctx context.Context, o toolscript.FetchRequest) error {
			_, err := s.fetchFrom(ctx, o)
			return err
		},
		Check: func(o toolscript.FetchRequest) error { return reachable(s.current(), o, o.Server) },
		Ready: func() (names []string) {
			for _, status := range s.current().Servers {
				if status.State == toolscript.Ready {
					names = append(names, status.Name)
				}
			}
			return names
		},
		Clean: s.clean, Work: &s.work, Closing: s.closing, Logger: s.options.Logger,
	}
}
