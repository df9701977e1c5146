package actors

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/runner"
)

// declarations are the types that a script which uses these servers is checked
// against: those of the servers it names when that is certain and all of them
// exist, else of all servers, so that what it says of a wrong name is the same.
func (s *System) declarations(ctx context.Context, uses runner.Uses) (runner.Declarations, error) {
	return s.declarationsOf(ctx, s.current, uses)
}

func (s *System) declarationsOf(ctx context.Context, look func() registry.View, uses runner.Uses) (runner.Declarations, error) {
	for {
		view := look()
		named := choose(view.Names(), uses)
		base, generation, err := s.base(ctx, view.Catalog.Generation(), named.filter)
		if err != nil {
			return runner.Declarations{}, err
		}
		if generation == view.Catalog.Generation() {
			return open(base, named.open), nil
		}
		// A server has come or gone meanwhile; which ones have tools is told by the newer view.
	}
}

// base are the types of the tools that the filter selects; nil selects none. It
// says of which generation of the catalog they are: the given one or a newer one.
func (s *System) base(ctx context.Context, generation uint64, f toolscript.Filter) (runner.Declarations, uint64, error) {
	if f == nil {
		return noTools, generation, nil
	}
	r, err := s.render(ctx, f, codegen.Declarations, nil)
	return runner.Declarations{Key: r.Module.ETag, Text: r.Module.Text}, r.Module.Generation, err
}

// noTools is for scripts that use no tools, or none that are there.
var noTools = runner.Declarations{
	Key:  "no tools",
	Text: codegen.Module(toolscript.Catalog{}, codegen.NewNames(toolscript.Catalog{}), codegen.Options{Form: codegen.Declarations}).Text,
}

// choice is what of a catalog a script is checked against.
type choice struct {
	filter toolscript.Filter // the servers with tools; nil for none
	open   []string          // identifiers of the servers without
}

func choose(names *codegen.Names, uses runner.Uses) choice {
	servers := names.Servers()
	if !uses.All {
		used := slices.DeleteFunc(slices.Clone(servers), func(n codegen.ServerNames) bool {
			return !slices.Contains(uses.Servers, n.Ident)
		})
		if len(used) == len(uses.Servers) { // each of them exists
			servers = used
		}
	}
	var c choice
	for _, server := range servers {
		if len(server.Tools) == 0 {
			c.open = append(c.open, server.Ident)
		} else {
			c.filter = append(c.filter, server.Server)
		}
	}
	return c
}

// open adds servers whose tools are not known, as they are not connected now. A
// call to them is nothing that a type can judge: the gateway says what is wrong
// with the server.
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
