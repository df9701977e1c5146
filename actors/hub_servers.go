package actors

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// These methods implement host.Servers for a hub, whose servers come and go with the gateways that use them, and for
// servers of a fleet.

// OfferServer starts a server, or applies changed limits to it. It does not wait for the
// connection. If ctx has ended, OfferServer changes nothing.
func (s *System) OfferServer(ctx context.Context, name string, config upstream.Config) error {
	return s.change(ctx, func(servers map[string]upstream.Config) error {
		if ctx.Err() != nil {
			return toolscript.ContextError(ctx)
		}
		servers[name] = config
		return nil
	})
}

// WithdrawServer ends a server, also if ctx has ended. It does not wait for the end of its process.
func (s *System) WithdrawServer(ctx context.Context, name string) error {
	return s.change(ctx, func(servers map[string]upstream.Config) error {
		delete(servers, name)
		return nil
	})
}

// Configured returns the configured servers.
func (s *System) Configured() map[string]upstream.Config {
	s.configuring.Lock()
	defer s.configuring.Unlock()
	return maps.Clone(s.configured)
}

// change edits the configured servers. Unlike Configure, it does not touch the others.
func (s *System) change(ctx context.Context, edit func(map[string]upstream.Config) error) error {
	s.configuring.Lock()
	defer s.configuring.Unlock()
	servers := maps.Clone(s.configured)
	if servers == nil {
		servers = map[string]upstream.Config{}
	}
	if err := edit(servers); err != nil {
		return err
	}
	_, err := s.replace(ctx, servers)
	return err
}

// AwaitServer has an unconnected server try to connect at once, waits until it is neither
// connecting nor unknown, and returns its status. The error is the error of the ended ctx.
func (s *System) AwaitServer(ctx context.Context, name string) (toolscript.ServerStatus, error) {
	asked := false
	var since time.Time // start of the state that the server had when it was asked
	for {
		view := s.view.Load()
		status, known := statusOf(view, name)
		switch {
		case !known || status.State.Connects() && !status.Rested:
			if known && s.options.OnDemand && !asked {
				asked = true
				s.want(name)
			}
		case status.State != toolscript.Backoff && status.State != toolscript.Failed, s.misconfigured(name):
			return status, nil
		case !asked:
			if asked, since = true, status.Since; status.State == toolscript.Backoff {
				s.want(name)
			} else if at, ok := s.directory.Find(serverID(name)); ok {
				mailbox.Send(at.Engine, at.PID, server.Retry{})
			}
		case !status.Since.Equal(since):
			return status, nil
		}
		select {
		case <-view.replaced:
		case <-ctx.Done():
			return status, toolscript.ContextError(ctx)
		case <-s.closing.Done():
			return status, mailbox.ErrStopped
		}
	}
}

// misconfigured reports whether a server cannot connect because of its configuration.
func (s *System) misconfigured(name string) bool {
	s.configuring.Lock()
	defer s.configuring.Unlock()
	return s.configured[name].Problem != nil
}

func statusOf(view *snapshot, name string) (toolscript.ServerStatus, bool) {
	for _, known := range view.Servers {
		if known.Name == name {
			return known.ServerStatus, true
		}
	}
	return toolscript.ServerStatus{Name: name}, false
}

// ViewServer returns the state of a server and its tools and skills. known is false if there is no
// such server; the view then only reports the next change.
func (s *System) ViewServer(name string) (v wire.ServerView, known bool) {
	view := s.view.Load()
	v.Changed = view.replaced
	if v.Status, known = statusOf(view, name); !known {
		return v, false
	}
	for _, tool := range view.Catalog.Listed() {
		if tool.Server == name {
			v.Tools = append(v.Tools, tool)
		}
	}
	v.Status.InFlight = s.port(name).InFlight() // the view has the number at the last change of state
	return v, true
}

// CallServer begins a call without checking its arguments, asking for an approval or recording it, because the
// gateway of the caller does these. stop ends the call. Neither function blocks.
func (s *System) CallServer(name string, c wire.ServerCall) (stop func(cause error)) {
	ctx, release := context.Background(), func() {}
	if !c.Deadline.IsZero() {
		ctx, release = context.WithDeadline(ctx, c.Deadline)
	}
	m := server.Call{
		Ctx: ctx, Run: c.Run, Trace: c.Trace, Tool: c.Tool, Args: c.Args, Limit: c.Limit,
		Ask: c.Ask, Held: c.Held, Watch: c.Watch, Check: c.Check,
	}
	if c.Fetch != nil {
		m.Fetch = c.Fetch.Request(name, c.Run)
	}
	return s.send(name, m, func(result json.RawMessage, err error) {
		release()
		c.Done(result, err)
	})
}
