package actors

import (
	"context"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
)

// reviveTime bounds how long Await without a filter waits for servers that were in backoff.
const reviveTime = 10 * time.Second

// Await starts one attempt to connect for each server that f reaches and that is neither
// connected nor at rest, and waits until no such server is connecting, or ctx ends. It returns
// the servers that it waited for, and those that are still connecting (pending). When it
// returns, the catalog has the tools of the servers that are ready.
func (s *System) Await(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string) {
	view := s.view.Load()
	w := waker{filter: f, given: map[string]time.Time{}}
	for _, known := range view.Servers {
		if !f.Reaches(known.Name) {
			continue
		}
		switch known.State {
		case toolscript.Backoff:
			w.given[known.Name] = known.Since
			s.want(known.Name)
		case toolscript.Connecting: // includes a server on demand that nothing has selected yet
			s.want(known.Name)
		default:
		}
	}
	var late <-chan time.Time
	if f == nil && len(w.given) > 0 {
		timer := time.NewTimer(reviveTime)
		defer timer.Stop()
		late = timer.C
	}
	waitedFor = w.pending(view.View)
	for pending = waitedFor; len(pending) > 0; pending = w.pending(view.View) {
		select {
		case <-view.replaced:
			view = s.view.Load()
		case <-late:
			w.over = true
		case <-ctx.Done():
			return waitedFor, pending
		case <-s.closing.Done():
			return waitedFor, pending
		}
	}
	return waitedFor, nil
}

// awaitView waits until has returns true for the current View. It returns false if ctx or the
// System ends before. Facts that a server's actor sends reach the View a moment later.
func (s *System) awaitView(ctx context.Context, has func(catalog.View) bool) bool {
	for view := s.view.Load(); !has(view.View); view = s.view.Load() {
		select {
		case <-view.replaced:
		case <-ctx.Done():
			return false
		case <-s.closing.Done():
			return false
		}
	}
	return true
}

// ListTime bounds the wait for the tools of servers that no request names.
const ListTime = 3 * time.Second

// AwaitLists is Await for the servers that f reaches and whose tools are not known: servers that
// have not connected yet and have no stored list of tools.
func (s *System) AwaitLists(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string) {
	if f = unlisted(s.current(), f); len(f) == 0 {
		return nil, nil
	}
	return s.Await(ctx, f)
}

// unlisted returns the servers that f reaches, that are not connected yet, and whose tools are not
// known.
func unlisted(view catalog.View, f toolscript.Filter) (names toolscript.Filter) {
	for _, known := range view.Servers {
		switch known.State {
		case toolscript.Ready, toolscript.Resting, toolscript.Failed, toolscript.NeedsAuth, toolscript.Stopped:
			continue
		default:
		}
		if known.Tools == 0 && f.Reaches(known.Name) {
			names = append(names, known.Name)
		}
	}
	return names
}

// waker selects the servers to wait for.
type waker struct {
	filter toolscript.Filter
	given  map[string]time.Time // time of the last change of state, for servers that were in backoff
	over   bool                 // reviveTime is over
}

// pending returns the servers that are connecting or are about to.
func (w *waker) pending(view catalog.View) []string {
	var names []string
	for _, known := range view.Servers {
		since, given := w.given[known.Name]
		if !w.filter.Reaches(known.Name) || given && w.over {
			continue
		}
		if known.State.Connects() || given && known.State == toolscript.Backoff && known.Since.Equal(since) {
			names = append(names, known.Name)
		}
	}
	return names
}

// want starts an attempt to connect, if the server is not connected.
func (s *System) want(name string) {
	if at, ok := s.directory.Find(serverID(name)); ok {
		mailbox.Send(at.Engine, at.PID, server.Want{})
	}
}

// connecting returns the servers that f reaches and that are connecting. It adds the state of a
// server that is being installed, as in "github (installing)", because that takes long.
func connecting(view catalog.View, f toolscript.Filter) []string {
	names := (&waker{filter: f}).pending(view)
	for _, s := range view.Servers {
		if i := slices.Index(names, s.Name); i >= 0 && s.State == toolscript.Installing {
			names[i] += " (" + string(s.State) + ")"
		}
	}
	return names
}
