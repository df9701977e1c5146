package actors

import (
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Configure puts another set of servers in force and says what it changed.
// Servers whose configuration is the same keep their connection; the others are
// ended, and connected to anew where they are still configured. It waits for
// neither.
func (s *System) Configure(ctx context.Context, servers map[string]mcpclient.Config) (toolscript.Reload, error) {
	s.configuring.Lock()
	defer s.configuring.Unlock()
	if s.closing.Err() != nil {
		return toolscript.Reload{}, mailbox.ErrStopped
	}
	ctx, cancel := context.WithTimeout(ctx, spawnLimit)
	defer cancel()
	result := compare(s.configured, servers)
	specs := make([]spec, 0, len(servers))
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		specs = append(specs, s.serverSpec(name, servers[name]))
	}
	_, err := mailbox.Ask(ctx, s.supervisor(), func(r mailbox.Reply[struct{}]) any {
		return configure{specs, slices.Concat(result.Changed, result.Removed), r}
	})
	if err != nil {
		return toolscript.Reload{}, err
	}
	s.configured = servers
	return result, nil
}

// compare says what becomes of each server.
func compare(old, next map[string]mcpclient.Config) toolscript.Reload {
	r := toolscript.Reload{Added: []string{}, Removed: []string{}, Changed: []string{}, Unchanged: []string{}}
	for _, name := range slices.Sorted(maps.Keys(next)) {
		before, known := old[name]
		switch {
		case !known:
			r.Added = append(r.Added, name)
		case reflect.DeepEqual(before, next[name]):
			r.Unchanged = append(r.Unchanged, name)
		default:
			r.Changed = append(r.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		if _, still := next[name]; !still {
			r.Removed = append(r.Removed, name)
		}
	}
	return r
}

// serverSpec is the actor of one server.
func (s *System) serverSpec(name string, config mcpclient.Config) spec {
	status := toolscript.ServerStatus{Name: name, Type: config.Type, State: toolscript.Connecting}
	return spec{id: serverID(name), server: &status, produce: func() actor.Receiver {
		return server.New(server.Options{
			Name:           name,
			Config:         config,
			Dial:           s.options.Dial,
			Login:          s.login(name, config),
			ConnectTimeout: s.options.ConnectTimeout,
			OnDemand:       s.options.OnDemand,
			Starts:         s.starts,
			Memory:         s.options.Memory,
			Logger:         s.options.Logger,
			Work:           &s.work,
		})
	}}
}
