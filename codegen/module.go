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

	//go:embed offered.ts
	offeredSource string // of the declarations: members of tools that are no servers, which come last
)

// noTools is the whole module when there are no tools, as the gateway's
// specification words it.
const noTools = "// No tools available\n"

// module is a module being put together, server by server.
type module struct {
	options  Options
	types    strings.Builder // declarations of all tools
	members  strings.Builder // what is inside tools
	methods  strings.Builder // of the server at hand
	servers  []ServerNames
	warnings []Warning
}

func newModule(o Options) *module { return &module{options: o} }

func (m *module) warn(w Warning) { m.warnings = append(m.warnings, w) }

// add adds a tool of a server. The tools of one server come in a row.
func (m *module) add(s ServerNames, p piece) {
	if last := len(m.servers) - 1; last < 0 || m.servers[last].Server != s.Server {
		m.endServer()
		m.servers = append(m.servers, s)
	}
	m.types.WriteString(p.types)
	m.methods.WriteString(p.method)
	m.warnings = append(m.warnings, p.warnings...)
}

// endServer closes the server at hand: as a member of the tools value, or as
// an interface with a name that the checker can put into its messages.
func (m *module) endServer() {
	if len(m.servers) == 0 {
		return
	}
	s := m.servers[len(m.servers)-1]
	p := printer{out: &m.members, style: block, indent: 1}
	p.tabs()
	p.comment(serverLines(s))
	switch m.options.Form {
	case Full:
		fmt.Fprintf(p.out, "%s: {\n%s  },\n", key(s.Ident), m.methods.String())
	case Compact:
		fmt.Fprintf(p.out, "%s: {\n%s  };\n", key(s.Ident), m.methods.String())
	default:
		fmt.Fprintf(&m.types, "export interface %s {\n%s}\n", s.Type, m.methods.String())
		fmt.Fprintf(p.out, "%s: %s;\n", key(s.Ident), s.Type)
	}
	m.methods.Reset()
}

// serverLines name the server where its identifier does not.
func serverLines(s ServerNames) []string {
	if s.Ident == s.Server {
		return nil
	}
	return []string{"Server " + inComment(strings.ReplaceAll(clean(s.Server), "\n", " "))}
}

// result is the finished module.
func (m *module) result() Result {
	m.endServer()
	r := Result{Warnings: m.warnings}
	switch {
	case m.options.Form == Declarations:
		r.Text = m.declarations()
	case len(m.servers) == 0:
		r.Text = noTools + "export const tools = {};\n"
	case m.options.Form == Compact:
		r.Text = m.types.String() + "export declare const tools: {\n" + m.members.String() + "};\n"
	default:
		r.Text = runtimeSource + "\n" + m.types.String() + "const servers = {\n" + m.members.String() + "};\nexport const tools = withOwn(servers);\n"
	}
	return r
}

func (m *module) declarations() string {
	text := declarationsSource + "\n"
	if len(m.servers) == 0 {
		text += noTools
	}
	return text + m.types.String() +
		"export interface Servers {\n" + m.members.String() + "}\n" +
		offeredSource +
		"export declare const tools: Tools;\n"
}
