package actors

import (
	"cmp"
	"context"
	"os"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/codegen"
)

// statusLimit bounds the wait for one actor. The status is needed most when an actor
// is stuck.
const statusLimit = time.Second

// Servers returns all configured servers, sorted by name.
func (s *System) Servers(ctx context.Context) ([]toolscript.ServerStatus, error) {
	return s.servers(ctx, s.current()), nil
}

// servers returns the servers of the View. The numbers of their calls come from their actors, all else from the
// View, so that a server that is ready has its tools in the catalog.
func (s *System) servers(ctx context.Context, view catalog.View) []toolscript.ServerStatus {
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	all := make([]toolscript.ServerStatus, len(view.Servers))
	var asked mailbox.Group
	for i, known := range view.Servers {
		all[i] = known.ServerStatus
		s.addTraffic(&all[i])
		asked.Go(func() { s.refresh(ctx, &all[i]) }, func(error) {})
	}
	<-asked.Idle() // at the latest when ctx ends, so nothing writes to all afterwards
	return all
}

// refresh updates the fields that change without a change of state: the numbers of
// calls, and the login, which other processes change too.
func (s *System) refresh(ctx context.Context, status *toolscript.ServerStatus) {
	status.InFlight, status.Queued = 0, 0
	at, err := s.find(serverID(status.Name))
	if err != nil {
		return
	}
	now, err := mailbox.Ask(ctx, at, func(r mailbox.Reply[toolscript.ServerStatus]) any {
		return server.GetStatus{Reply: r}
	})
	if err != nil {
		return
	}
	status.InFlight, status.Queued, status.RateLimit = now.InFlight, now.Queued, now.RateLimit
	status.Hosts = now.Hosts
	status.OAuthStatus, status.OAuthError, status.OAuthFailed = now.OAuthStatus, now.OAuthError, now.OAuthFailed
	if now.State == status.State {
		status.Error = now.Error
	}
}

// Status returns the state of the gateway.
func (s *System) Status(ctx context.Context) (toolscript.Status, error) {
	view := s.current()
	actors, err := s.actors(ctx)
	if err != nil {
		return toolscript.Status{}, err
	}
	status := toolscript.Status{
		Version:       toolscript.Version,
		PID:           os.Getpid(),
		UptimeSeconds: time.Since(s.started).Seconds(),
		Generation:    view.Catalog.Generation(),
		Servers:       s.servers(ctx, view),
		Search:        s.searchStats(view),
		Actors:        actors,
		Engines:       s.Engines(),
		Audit:         s.options.Audit.Stats(),
		Warnings:      s.warnings(ctx, view),
	}
	for _, server := range status.Servers {
		for i := range status.Actors {
			if status.Actors[i].Name == serverID(server.Name) {
				status.Actors[i].InFlight = server.InFlight
			}
		}
	}
	approvals, _ := s.PendingApprovals(ctx) // their actor reports itself
	status.Attention = toolscript.Attend(status, approvals)
	return status, nil
}

// actors returns the status of all actors, with the processes of the pools.
func (s *System) actors(ctx context.Context) ([]toolscript.ActorStatus, error) {
	if s.closing.Err() != nil {
		return nil, mailbox.ErrStopped
	}
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	all, err := s.supervised(ctx)
	for i := range all {
		switch all[i].Name {
		case checkersID, sandboxesID, convertersID, denoPoolID:
			s.describePool(ctx, &all[i])
		}
	}
	return all, err
}

// supervised returns the status of the root and of the children of all supervisors, by name.
func (s *System) supervised(ctx context.Context) ([]toolscript.ActorStatus, error) {
	self := toolscript.ActorStatus{Name: supervisorID, State: "running", Since: s.started, Waiting: s.life.Waiting(), Messages: s.life.Handled()}
	self.LastError, self.LastStack = mailbox.Described(s.life.Fault())
	all, err := []toolscript.ActorStatus{self}, error(nil)
	for _, at := range []mailbox.Address{s.supervisor(), s.address(serversID), s.address(runsID)} {
		if at.PID == nil {
			continue
		}
		children, failed := mailbox.Ask(ctx, at, func(r mailbox.Reply[[]toolscript.ActorStatus]) any { return mailbox.ListChildren{Reply: r} })
		if failed != nil {
			err = failed
		}
		all = append(all, children...)
	}
	slices.SortStableFunc(all, func(a, b toolscript.ActorStatus) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

// describePool adds the state of a pool, if the pool answers in time.
func (s *System) describePool(ctx context.Context, status *toolscript.ActorStatus) {
	at, err := s.find(status.Name)
	if err != nil {
		return
	}
	pool, err := mailbox.Ask(ctx, at, func(r mailbox.Reply[workers.State]) any { return workers.Describe{Reply: r} })
	if err != nil {
		return
	}
	status.State = pool.String()
	status.InFlight = pool.Busy
	status.Confinement = pool.Confinement
	status.LastError = cmp.Or(status.LastError, pool.LastError)
}

// warnings returns problems that the user can solve: unknown names in configurations,
// identifiers that collide, schemas without types.
func (s *System) warnings(ctx context.Context, view catalog.View) []string {
	var all []string
	for _, server := range view.Servers {
		all = append(all, server.Warnings...)
	}
	if s.options.Warnings != nil {
		all = append(all, s.options.Warnings()...)
	}
	ctx, cancel := context.WithTimeout(ctx, statusLimit)
	defer cancel()
	r, err := s.render(ctx, nil, codegen.Declarations, nil, nil)
	if err != nil {
		return append(all, "types could not be generated: "+err.Error())
	}
	return slices.Concat(all, view.Names().Warnings, r.Warnings, s.unchecked(view.Catalog))
}

// unchecked returns the tools whose arguments are not validated, because their schemas
// cannot be applied.
func (s *System) unchecked(c toolscript.Catalog) []string {
	var all []string
	for _, t := range c.Tools() {
		if problem := s.arguments.Problem(t.InputSchema); problem != nil {
			all = append(all, t.ID()+": "+problem.Error())
		}
	}
	return all
}
