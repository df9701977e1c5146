package actors

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rescue"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Configure replaces the configured servers and returns the changes. Servers that are
// unchanged, or differ only in limits or tool filters, keep their connection. Other
// changed servers are ended and started again. Servers that are not connected try
// again. Configure does not wait for connections; when it returns, the catalog has the new
// set of servers.
func (s *System) Configure(ctx context.Context, servers map[string]upstream.Config) (toolscript.Reload, error) {
	s.configuring.Lock()
	defer s.configuring.Unlock()
	if ctx.Err() != nil {
		return toolscript.Reload{}, toolscript.ContextError(ctx)
	}
	result, err := s.replace(ctx, servers)
	if err == nil {
		s.retryUnconnected(result.Retried)
	}
	return result, err
}

// replace replaces the configured servers. It goes on when ctx ends, because the servers then have the change already. The
// caller holds configuring.
func (s *System) replace(ctx context.Context, servers map[string]upstream.Config) (toolscript.Reload, error) {
	if s.closing.Err() != nil {
		return toolscript.Reload{}, mailbox.ErrStopped
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestLimit)
	defer cancel()
	plan := s.plan(servers)
	result := resultOf(plan)
	starts := map[string]bool{}
	for _, change := range plan {
		starts[change.Name] = !keepsActor(change.Action)
	}
	specs := make([]serverSpec, 0, len(servers))
	for _, name := range upstream.Names(servers) {
		specs = append(specs, s.serverSpec(name, servers[name], starts[name]))
	}
	adjusted := map[string]upstream.Config{}
	for _, name := range result.Adjusted {
		adjusted[name] = servers[name]
	}
	s.identities.Store(s.identitiesOf(servers)) // a server that starts compares its pins with those of removed servers
	at, err := s.find(serversID)
	if err != nil {
		return toolscript.Reload{}, err
	}
	_, err = mailbox.Ask(ctx, at, func(r mailbox.Reply[struct{}]) any {
		return configure{specs, slices.Concat(result.Changed, result.Removed), adjusted, r}
	})
	if err != nil {
		return toolscript.Reload{}, err
	}
	s.flushRegistry(ctx)
	s.configured = servers
	s.redactors.Store(redactorsOf(servers, s.options.Secrets))
	return result, nil
}

// flushRegistry waits until the registry has handled all messages sent to it so far. A
// registry that ends meanwhile gets the same facts again when it has started.
func (s *System) flushRegistry(ctx context.Context) {
	if at, ok := s.directory.Find(registryID); ok {
		_, _ = mailbox.Ask(ctx, at, func(r mailbox.Reply[struct{}]) any { return catalog.Flush{Reply: r} })
	}
}

// retryUnconnected starts attempts to connect.
func (s *System) retryUnconnected(names []string) {
	for _, name := range names {
		if at, ok := s.directory.Find(serverID(name)); ok {
			mailbox.Send(at.Engine, at.PID, server.Retry{})
		}
	}
}

// RestartServer ends the connection and the process of a server, connects again, and returns
// the status after the first attempt; from then on Servers returns it too. The error is
// NotFound for an unknown server, and the error of server.Restart if it cannot be started.
func (s *System) RestartServer(ctx context.Context, name string) (status toolscript.ServerStatus, err error) {
	defer rescue.Catch(s.panicked(&err))
	s.configuring.Lock()
	known := slices.Sorted(maps.Keys(s.configured))
	s.configuring.Unlock()
	if !slices.Contains(known, name) {
		return status, &toolscript.Error{Kind: toolscript.NotFound, Next: "see: toolscript list-servers",
			Err: fmt.Errorf("there is no server %q%s", name, naming.DidYouMean(naming.Nearest(name, known, 3)))}
	}
	at, err := s.find(serverID(name))
	if err != nil {
		return status, err
	}
	status, err = mailbox.Ask(ctx, at, func(r mailbox.Reply[toolscript.ServerStatus]) any { return server.Restart{Reply: r} })
	if err == nil {
		s.awaitView(ctx, func(view catalog.View) bool {
			earlier := func(known catalog.Server) bool { return known.Name == name && known.Since.Before(status.Since) }
			return !slices.ContainsFunc(view.Servers, earlier)
		})
	}
	return status, err
}

// serverSpec describes the actor of one server. starts reports whether it is about to start.
func (s *System) serverSpec(name string, config upstream.Config, starts bool) serverSpec {
	err := toolscript.CheckServerName(name)
	if _, account := toolscript.CutAccount(name); err == nil && toolscript.SeparatesAccount(name) && !slices.Contains(config.Accounts, account) {
		err = fmt.Errorf("a server cannot have the name %.80q: %s separates server and account; rename it", name, toolscript.AccountSeparator)
	}
	if err != nil && config.Problem == nil {
		config.Problem = &toolscript.Error{Kind: toolscript.Invalid, Server: name, Err: err}
	}
	status := toolscript.ServerStatus{Name: name, Type: config.Type, Shared: config.Shared, State: toolscript.Connecting}
	last, rests := s.options.Known[name], false
	if starts && s.mayRest(config) {
		if stored := s.options.Memory.Recall(name, config); len(stored) > 0 {
			last, rests = stored, true
		}
	}
	if len(last) > 0 && s.options.Memory != nil {
		status.Instructions = s.options.Memory.Instructions(name, config)
	}
	switch {
	case config.Disabled:
		status.State, status.Disabled = toolscript.Stopped, true
	case config.Problem != nil && !s.options.OnDemand: // on demand, the problem is reported on use
		status.State, status.Error = toolscript.Failed, config.Problem.Error()
	case rests:
		status.State = toolscript.Resting
	}
	review := s.reviewer(name, config)
	var knownReview server.Review
	if review != nil && len(last) > 0 {
		knownReview = review(status.Instructions, last)
	}
	known, _ := config.Offered(name, last, knownReview.Holds)
	return serverSpec{status: status, known: known, Spec: mailbox.Spec{ID: serverID(name), Produce: func() actor.Receiver {
		return server.New(server.Options{
			Name:           name,
			Config:         config,
			Dial:           s.options.Dial,
			Login:          s.login(name, config),
			ConnectTimeout: s.options.ConnectTimeout,
			OnDemand:       s.options.OnDemand,
			Starts:         s.starts,
			HealthInterval: s.options.HealthInterval,
			Memory:         s.options.Memory,
			Rest:           rests,
			Rested:         s.options.Rested,
			Watches:        s.watches,
			Known:          last,
			KnownReview:    knownReview,

			KnownInstructions: status.Instructions,

			Review: review,
			Logger: s.options.Logger,
			Port:   s.port(name),
			Tracer: s.options.Tracer,
			Work:   &s.work,
		})
	}}}
}

// mayRest reports whether a server rests from its start if its tools are stored.
func (s *System) mayRest(config upstream.Config) bool {
	return (config.Rests() || s.options.Rest) && s.options.Memory != nil && !config.Disabled && config.Problem == nil
}
