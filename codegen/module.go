// Package codegen turns a catalog into TypeScript: identifiers for its servers
// and tools, types for their schemas, and modules that hold them. It is pure:
// equal input gives equal text.
//
// A type allows what its schema allows, or more. It is narrower on purpose in
// three ways: objects are closed unless their schema says otherwise
// (Options.Open opens them), keywords for objects or arrays without a type are
// taken to mean that type, and propertyNames with an enum lists properties.
package codegen

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// Form is one of the shapes of a module.
type Form int

// The forms of a module.
const (
	Full         Form = iota // types, and functions that call the gateway over HTTP
	Compact                  // types and signatures on one line each, for reading
	Declarations             // a .d.ts of everything that "toolscript" exports, for the checker
)

// Options say what a module looks like.
type Options struct {
	Form Form
	Open bool // objects that do not mention additionalProperties allow any

	// Describe is the number of characters kept of each description, up to the
	// last whole sentence if that is half of them or more, else up to the last
	// whole word; "…" stands for the rest. Zero is 120 in the compact form and
	// 8,000 in the others; a negative number leaves descriptions out. The compact
	// form keeps half as much of the description of a parameter.
	Describe int
}

// compactDescription is what the compact form keeps of each description. Over
// the public servers, descriptions are the greater half of tools/list; their
// first sentence says what a reader chooses by.
const compactDescription = 120

func (o Options) describe() int {
	switch {
	case o.Describe != 0:
		return o.Describe
	case o.Form == Compact:
		return compactDescription
	}
	return maxDescription
}

// Result is a generated module and what is wrong with the schemas it is from.
type Result struct {
	Text     string
	Warnings []Warning
}

// Warning is a part of a schema that could not become a type.
type Warning struct {
	Server  string
	Tool    string
	Path    string // JSON pointer into the tool, such as /inputSchema/properties/a
	Message string
}

// String is the warning on one line.
func (w Warning) String() string {
	return fmt.Sprintf("%s%s%s: %s: %s", w.Server, toolscript.Separator, w.Tool, w.Path, w.Message)
}

// Module makes a module from nothing. To make the next one faster, keep a
// Generator.
func Module(c toolscript.Catalog, n *Names, o Options) Result {
	var g Generator
	return g.Module(c, n, o)
}

var (
	//go:embed runtime.ts
	runtimeSource string // of the full form: how its functions call the gateway

	//go:embed globals.ts
	declarationsSource string // of the declarations: what "toolscript" exports beside tools

	//go:embed finding.ts
	findingSource string // of both: what tools.$search and tools.$describe answer

	//go:embed offered.ts
	offeredSource string // of the declarations: members of tools that are no servers, which come last
)

// noTools is the whole module when there are no tools, as the gateway's
// specification words it.
const noTools = "// No tools available\n"

// module is a module being put together. Its text is written once, when its
// length is known: at thousands of tools, copies are most of what it costs.
type module struct {
	options  Options
	sections []section // of all servers, in the order of their names
	warnings []Warning
	length   int // about that of the text
}

// section is a server with those of its tools that are part of the module.
type section struct {
	ServerNames
	pieces []piece
}

func newModule(n *Names, o Options) *module {
	m := &module{options: o, sections: make([]section, len(n.servers))}
	for i, s := range n.servers {
		m.sections[i].ServerNames = s
	}
	return m
}

func (m *module) warn(w Warning) { m.warnings = append(m.warnings, w) }

// add adds a tool of the server with that index. The tools of a server need not
// come in a row: a__b__c of server a__b comes between two of server a.
func (m *module) add(server int, p piece) {
	s := &m.sections[server]
	if s.pieces == nil {
		s.pieces = make([]piece, 0, len(s.Tools))
		m.length += 4*len(s.Server) + 4*len(s.Type) + 64
	}
	s.pieces = append(s.pieces, p)
	m.length += len(p.types) + len(p.method)
	m.warnings = append(m.warnings, p.warnings...)
}

// result is the finished module.
func (m *module) result() Result {
	m.sections = slices.DeleteFunc(m.sections, func(s section) bool { return len(s.pieces) == 0 })
	var b strings.Builder
	b.Grow(m.length + len(runtimeSource) + len(declarationsSource) + len(findingSource))
	switch {
	case m.options.Form == Declarations:
		m.declarations(&b)
	case len(m.sections) == 0:
		b.WriteString(noTools + "export const tools = {};\n")
	case m.options.Form == Compact:
		m.types(&b)
		b.WriteString("export declare const tools: {\n")
		m.members(&b)
		b.WriteString("};\n")
	default:
		b.WriteString(runtimeSource + findingSource + "\n")
		m.types(&b)
		b.WriteString("const servers = {\n")
		m.members(&b)
		b.WriteString("};\nexport const tools = withOwn(servers);\n")
	}
	return Result{Text: b.String(), Warnings: m.warnings}
}

func (m *module) declarations(b *strings.Builder) {
	b.WriteString(declarationsSource + findingSource + "\n")
	if len(m.sections) == 0 {
		b.WriteString(noTools)
	}
	m.types(b)
	b.WriteString("export interface Servers {\n")
	m.members(b)
	b.WriteString("}\n" + offeredSource + "export declare const tools: Tools;\nexport { tools as default };\n")
}

// types writes the declarations of all tools. For the checker, each server is an
// interface with a name that it can put into its messages.
func (m *module) types(b *strings.Builder) {
	for _, s := range m.sections {
		for _, p := range s.pieces {
			b.WriteString(p.types)
		}
		if m.options.Form == Declarations {
			b.WriteString("export interface " + s.Type + " {\n")
			s.methods(b)
			b.WriteString("}\n")
		}
	}
}

// members writes what is inside tools: a member for each server.
func (m *module) members(b *strings.Builder) {
	for _, s := range m.sections {
		p := printer{out: b, style: block, indent: 1}
		p.tabs()
		p.comment(serverLines(s.ServerNames))
		b.WriteString(key(s.Ident))
		if m.options.Form == Declarations {
			b.WriteString(": " + s.Type + ";\n")
			continue
		}
		b.WriteString(": {\n")
		s.methods(b)
		if m.options.Form == Full {
			b.WriteString("  },\n")
		} else {
			b.WriteString("  };\n")
		}
	}
}

func (s section) methods(b *strings.Builder) {
	for _, p := range s.pieces {
		b.WriteString(p.method)
	}
}

// serverLines name the server where its identifier does not.
func serverLines(s ServerNames) []string {
	if s.Ident == s.Server {
		return nil
	}
	return []string{"Server " + inComment(strings.ReplaceAll(clean(s.Server), "\n", " "))}
}
