package catalog

import (
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// Flush is answered when all facts that were sent before it are published.
type Flush struct{ Reply mailbox.Reply[struct{}] }

// Options configure a Registry. All fields are required.
type Options struct {
	// Current is the View that was published last. A restarted registry continues from
	// it, so that no generation is used twice.
	Current func() View
	// Publish replaces the current View. Calls are never concurrent.
	Publish func(View)
	Logger  *slog.Logger
}

// Registry is the state of the actor; only Receive touches it.
type Registry struct {
	Options
	view View
	tell func(fact any)
}

// New creates the actor.
func New(o Options) *Registry { return &Registry{Options: o} }

// First returns the View before any server has reported: all servers are connecting, and
// the catalog has the known tools.
func First(servers []toolscript.ServerStatus, known ...toolscript.Tool) View {
	view := View{}
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
		view.Servers = append(view.Servers, Server{ServerStatus: s})
	}
	slices.SortFunc(view.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	view.Catalog = toolscript.NewCatalog(0, names, known)
	view.Names = namesOf(view.Catalog)
	view.count()
	return view
}

// Receive handles one message.
func (r *Registry) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case actor.Started:
		r.start(c)
	case ServersConfigured:
		r.serversConfigured(m)
	case ServerChanged:
		r.serverChanged(m)
	case ToolsChanged:
		r.toolsChanged(m)
	case Stopping:
		r.stopping()
	case Flush:
		m.Reply.Send(struct{}{}, nil)
	}
}

func (r *Registry) start(c *actor.Context) {
	engine, parent := c.Engine(), c.Parent()
	r.tell = func(fact any) { mailbox.Send(engine, parent, fact) }
	r.view = r.Current()
	r.tellChanged() // the previous registry may have ended between publishing and sending
	r.tell(RegistryStarted{})
}

func (r *Registry) tellChanged() {
	r.tell(Changed{Generation: r.view.Catalog.Generation()})
}

// serversConfigured removes servers that are no longer configured, with their tools,
// and adds new ones.
func (r *Registry) serversConfigured(m ServersConfigured) {
	known := map[string]Server{}
	for _, s := range r.view.Servers {
		known[s.Name] = s
	}
	next := First(m.Servers)
	for i, s := range next.Servers {
		if before, ok := known[s.Name]; ok {
			next.Servers[i] = before
		}
	}
	r.view.Servers = next.Servers
	names := next.Catalog.Servers()
	gone := func(t toolscript.Tool) bool { return !slices.Contains(names, t.Server) }
	r.replace(names, slices.DeleteFunc(r.view.Catalog.Listed(), gone))
}

func (r *Registry) serverChanged(m ServerChanged) {
	r.change(m.Status.Name, func(s *Server) {
		settled := s.Settled || !m.Status.State.Connects() || m.Status.Rested // only the registry knows Settled
		s.ServerStatus = m.Status
		s.Settled = settled
	})
	r.view.count()
	r.Publish(r.view)
}

func (r *Registry) stopping() {
	for _, s := range r.view.Servers {
		r.serverChanged(ServerChanged{Status: toolscript.ServerStatus{
			Name: s.Name, Type: s.Type, Shared: s.Shared, Disabled: s.Disabled, State: toolscript.Stopped, Since: time.Now(),
		}})
	}
}

// toolsChanged ignores servers that are no longer configured.
func (r *Registry) toolsChanged(m ToolsChanged) {
	servers := r.view.Catalog.Servers()
	if !slices.Contains(servers, m.Server) {
		return
	}
	r.change(m.Server, func(s *Server) { s.Warnings = m.Warnings })
	others := slices.DeleteFunc(r.view.Catalog.Listed(), func(t toolscript.Tool) bool { return t.Server == m.Server })
	r.replace(servers, slices.Concat(others, m.Tools))
}

// replace publishes a View with a new generation of the catalog if the catalog
// changed: a server that lists the same tools again must not invalidate every cached
// module.
func (r *Registry) replace(servers []string, tools []toolscript.Tool) {
	old := r.view.Catalog
	next := toolscript.NewCatalog(old.Generation()+1, servers, tools)
	if reflect.DeepEqual(old.Listed(), next.Listed()) && slices.Equal(old.Servers(), next.Servers()) {
		r.Publish(r.view)
		return
	}
	r.view.Catalog, r.view.Names = next, namesOf(next)
	r.view.count()
	r.Publish(r.view)
	r.Logger.Debug("catalog changed", slog.Uint64("generation", next.Generation()), slog.Int("tools", next.Len()))
	r.tellChanged()
}

// count updates the number of tools of each server, and whether its list is stale: after a
// restart, the catalog still has tools that the server's actor does not know yet.
func (v *View) count() {
	tools, skills := map[string]int{}, map[string]int{}
	for _, t := range v.Catalog.Tools() {
		tools[t.Server]++
	}
	for _, t := range v.Catalog.Skills() {
		skills[t.Server]++
	}
	v.Servers = slices.Clone(v.Servers)
	for i := range v.Servers {
		s := &v.Servers[i]
		s.Tools, s.Skills = tools[s.Name], skills[s.Name]
		s.Stale = s.Tools > 0 && !s.Serves()
	}
}

// change edits a copy of the servers, because readers may use published ones.
func (r *Registry) change(name string, edit func(*Server)) {
	r.view.Servers = slices.Clone(r.view.Servers)
	for i := range r.view.Servers {
		if r.view.Servers[i].Name == name {
			edit(&r.view.Servers[i])
		}
	}
}
