package actors

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/typecache"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// renderLimit bounds the wait for a module if the caller has no deadline.
const renderLimit = time.Minute

// Types returns the TypeScript module of the tools that f selects, for scripts
// outside the gateway.
func (s *System) Types(ctx context.Context, f toolscript.Filter, compact bool) (toolscript.Module, error) {
	form := codegen.Full
	if compact {
		form = codegen.Compact
	}
	return s.module(ctx, f, form)
}

// Declarations returns the .d.ts of "toolscript" with the tools that f selects, for
// editors.
func (s *System) Declarations(ctx context.Context, f toolscript.Filter) (toolscript.Module, error) {
	return s.module(ctx, f, codegen.Declarations)
}

func (s *System) module(ctx context.Context, f toolscript.Filter, form codegen.Form) (toolscript.Module, error) {
	view := s.current()
	r, err := s.render(ctx, f, form, s.shapes(), s.away(f))
	if err != nil {
		return toolscript.Module{}, err
	}
	tools := view.Catalog.Filter(f).OneAccount().Tools()
	r.Module.Tools = len(tools)
	if len(tools) > 0 {
		shown := tools[max(0, slices.IndexFunc(tools, func(t toolscript.Tool) bool { return !codegen.Deprecated(t) }))]
		r.Module.Example = codegen.Example(shown, view.Names().Call(shown))
	}
	return r.Module, nil
}

// Select reports how a filter matches the tools and servers that allow selects. It
// does not block.
func (s *System) Select(f, allow toolscript.Filter) naming.Selection {
	view := s.current()
	var servers []toolscript.ServerStatus
	for _, server := range view.Servers {
		if allow.Reaches(server.Name) {
			servers = append(servers, server.ServerStatus)
		}
	}
	return naming.NewSelection(f, view.Catalog.Filter(allow), servers)
}

// shapes returns the observed forms of results; nil if they are not shown.
func (s *System) shapes() *codegen.Shapes {
	if !s.observes() {
		return nil
	}
	return s.observed.Shapes()
}

// observes reports whether results are observed and shown.
func (s *System) observes() bool { return !s.options.NoObserve && !s.options.Types().NoObserve }

// away returns the servers that f reaches and that are not connected, with the reason.
// A module lists them, because the keys of tools include them.
func (s *System) away(f toolscript.Filter) map[string]string {
	away := map[string]string{}
	for _, server := range s.current().Servers {
		if server.Serves() || !f.Reaches(server.Name) {
			continue
		}
		reason := string(server.State)
		if server.Error != "" {
			reason += ": " + server.Error
		}
		away[server.Name] = reason
	}
	return away
}

// render returns a module. A module for a checker has no observed results and no
// states of servers, so that it does not change with them.
func (s *System) render(ctx context.Context, f toolscript.Filter, form codegen.Form, observed *codegen.Shapes, away map[string]string) (typecache.Rendered, error) {
	at, err := s.find(typecacheID)
	if err != nil {
		return typecache.Rendered{}, err
	}
	options := s.options.Types().Options
	options.Form = form
	if form != codegen.Compact {
		options.Describe = 0
	}
	ctx, cancel := bounded(ctx, renderLimit)
	defer cancel()
	return mailbox.Ask(ctx, at, func(r mailbox.Reply[typecache.Rendered]) any {
		return typecache.Render{Filter: f, Options: options, Observed: observed, Away: away, Reply: r}
	})
}

// find returns the address of a running actor.
func (s *System) find(id string) (mailbox.Address, error) {
	if s.closing.Err() != nil {
		return mailbox.Address{}, mailbox.ErrStopped
	}
	at, ok := s.directory.Find(id)
	if !ok {
		return mailbox.Address{}, mailbox.ErrEnded
	}
	return at, nil
}

// address returns the address of an actor; the zero Address if the actor does not run.
func (s *System) address(id string) mailbox.Address {
	at, _ := s.directory.Find(id)
	return at
}

// declarations returns the types against which a script is checked. They cover the
// servers that the script uses, if these are certain and exist, otherwise all
// servers, so that the advice on a wrong name is the same.
func (s *System) declarations(ctx context.Context, uses runner.Uses) (runner.Declarations, error) {
	return s.narrowedDeclarations(ctx, uses, nil)
}

// narrowedDeclarations is declarations with only the tools that allow selects.
func (s *System) narrowedDeclarations(ctx context.Context, uses runner.Uses, allow toolscript.Filter) (runner.Declarations, error) {
	if slices.ContainsFunc(uses.Servers, naming.IsServer) {
		if err := s.noServers(s.current()); err != nil {
			return runner.Declarations{}, err
		}
	}
	return s.declarationsOf(ctx, s.current, uses, allow)
}

// noServers returns the error of a request that needs a server if none is configured.
func (s *System) noServers(view catalog.View) error {
	if len(view.Servers) > 0 {
		return nil
	}
	return s.options.NoServers
}

func (s *System) declarationsOf(ctx context.Context, look func() catalog.View, uses runner.Uses, allow toolscript.Filter) (runner.Declarations, error) {
	for {
		view := look()
		named := choose(view.Names(), uses).narrow(view.Names(), allow)
		base, generation, err := s.base(ctx, view.Catalog.Generation(), named.filter)
		if err != nil {
			return runner.Declarations{}, err
		}
		if generation == view.Catalog.Generation() {
			return open(base, named.open), nil
		}
		// The catalog has changed meanwhile. The new view says which servers have tools.
	}
}

// base returns the types of the tools that f selects; a nil f selects none. It also
// returns their generation of the catalog: the given one or a newer one.
func (s *System) base(ctx context.Context, generation uint64, f toolscript.Filter) (runner.Declarations, uint64, error) {
	if f == nil {
		return noTools, generation, nil
	}
	r, err := s.render(ctx, f, codegen.Declarations, nil, nil)
	return runner.Declarations{Key: r.Module.ETag, Text: r.Module.Text}, r.Module.Generation, err
}

// noTools is the module for scripts that use no tools.
var noTools = runner.Declarations{
	Key:  "no tools",
	Text: codegen.Module(toolscript.Catalog{}, naming.New(toolscript.Catalog{}), codegen.Options{Form: codegen.Declarations}).Text,
}

// choice is the part of a catalog against which a script is checked.
type choice struct {
	filter toolscript.Filter // servers with tools; nil for none
	open   []string          // identifiers of the servers without tools
}

func choose(names *naming.Names, uses runner.Uses) choice {
	servers := slices.DeleteFunc(slices.Clone(names.Servers), naming.Server.Further)
	if !uses.All {
		used := slices.DeleteFunc(slices.Clone(servers), func(n naming.Server) bool {
			return !slices.Contains(uses.Servers, n.Ident)
		})
		if len(used) == len(uses.Servers) { // all of them exist
			servers = used
		}
	}
	var c choice
	for _, server := range servers {
		if len(server.Tools) == 0 {
			c.open = append(c.open, server.Ident)
		} else {
			c.filter = append(c.filter, server.All()...)
		}
	}
	return c
}

// open adds servers that are not connected. Their tools are not known, so they have
// the type any. A call to one fails with the reason.
func open(d runner.Declarations, idents []string) runner.Declarations {
	if len(idents) == 0 {
		return d
	}
	var text strings.Builder
	text.WriteString(d.Text)
	text.WriteString("export interface Servers {\n")
	for _, ident := range idents {
		fmt.Fprintf(&text, "  /** Not connected: its tools are not known now. */\n  %s: any;\n", ident)
	}
	text.WriteString("}\n")
	return runner.Declarations{Key: d.Key + " open " + strings.Join(idents, " "), Text: text.String()}
}
