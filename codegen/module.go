package codegen

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// Form is one of the forms of a module.
type Form int

// The forms of a module.
const (
	Full         Form = iota // types, and functions that call the gateway over HTTP
	Compact                  // types and signatures on one line each, for readers
	Declarations             // a .d.ts of everything that "toolscript" exports, for the checker
)

// Options control the text of a module.
type Options struct {
	Form Form
	Open bool // objects that do not mention additionalProperties allow any property

	// Describe is the number of characters kept of each description. The text ends
	// with its last whole sentence if that keeps half of it, and otherwise with its
	// last whole word; "…" replaces the rest. Zero means 120 in the compact form and
	// 8,000 in the others; a negative number removes descriptions. The compact form
	// keeps half as much for parameters.
	Describe int
}

// compactDescription is the default of Describe in the compact form. Descriptions are more
// than half of the tools/list results of public servers, but the first sentence of a
// description is enough to choose a tool.
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

// Result is a generated module with warnings about the schemas.
type Result struct {
	Text     string
	Warnings []Warning
}

// Warning reports a part of a schema that could not become a type.
type Warning struct {
	Server  string
	Tool    string
	Path    string // JSON pointer into the tool, such as /inputSchema/properties/a
	Message string
}

// String returns the warning on one line.
func (w Warning) String() string {
	return fmt.Sprintf("%s%s%s: %s: %s", w.Server, toolscript.Separator, w.Tool, w.Path, w.Message)
}

// Module generates a module. Use a Generator to generate several modules faster.
func Module(c toolscript.Catalog, n *naming.Names, o Options) Result {
	var g Generator
	return g.Module(c, n, o)
}

var (
	//go:embed runtime.ts
	runtimeSource string // the runtime of the full form, which calls the gateway

	//go:embed globals.ts
	declarationsSource string // in the declarations: all exports of "toolscript" except tools

	//go:embed store.ts
	storeSource string // in the declarations: the export store
	//go:embed finding.ts
	findingSource string // in the full form and the declarations: the results of tools.$search and tools.$describe

	//go:embed pages.ts
	pagesSource string // in modules with tools that have pages

	//go:embed resources.ts
	resourcesSource string // in the declarations, at the end: the members of tools that are not servers
)

// noTools is the whole text of a module without tools. The specification of the gateway
// requires this text.
const noTools = "// No tools available\n"

// module is an unfinished module. result writes the text once, when the length is known: with
// thousands of tools, copying text is most of the cost.
type module struct {
	options  Options
	sections []section // one per server, sorted by name
	owners   []int     // index of the section, by index of the server; the accounts of a server share a section
	warnings []Warning
	length   int // estimated length of the text
}

// section is a server and its tools in the module.
type section struct {
	naming.Server
	pieces []piece
	away   string // why the server is not connected; "" if it is connected
}

func newModule(n *naming.Names, o Options, away map[string]string) *module {
	m := &module{options: o, owners: make([]int, len(n.Servers))}
	shared := map[string]int{} // index of the section, by server without the account
	for i, s := range n.Servers {
		plain, _ := toolscript.CutAccount(s.Name)
		owner, known := shared[plain]
		if !known {
			owner = len(m.sections)
			shared[plain] = owner
			m.sections = append(m.sections, section{})
		}
		if m.owners[i] = owner; !s.Further() {
			m.sections[owner] = section{Server: s, away: unavailable(s, away)}
		}
	}
	return m
}

// unavailable returns why a server is not connected, with the names of its accounts that are not connected; "" if
// all are connected.
func unavailable(s naming.Server, away map[string]string) string {
	if len(s.Accounts) == 0 {
		return away[s.Name]
	}
	var reasons []string
	for i, name := range s.All() {
		if reason := away[name]; reason != "" {
			reasons = append(reasons, "account "+s.Accounts[i]+": "+reason)
		}
	}
	return strings.Join(reasons, "; ")
}

func (m *module) warn(w Warning) { m.warnings = append(m.warnings, w) }

// add adds a tool of a server. The tools of a server need not be added consecutively: sorted
// by id, a tool of server a__b can come between two tools of server a.
func (m *module) add(server int, p piece) {
	s := &m.sections[m.owners[server]]
	if s.pieces == nil {
		s.pieces = make([]piece, 0, len(s.Tools))
		m.length += 4*len(s.Name) + 4*len(s.Type) + 64
	}
	s.pieces = append(s.pieces, p)
	m.length += len(p.types) + len(p.method)
	m.warnings = append(m.warnings, p.warnings...)
}

// result returns the finished module.
func (m *module) result() Result {
	m.sections = slices.DeleteFunc(m.sections, func(s section) bool { return len(s.pieces) == 0 && s.away == "" })
	var b strings.Builder
	b.Grow(m.length + len(runtimeSource) + len(declarationsSource) + len(storeSource) + len(findingSource))
	switch {
	case m.options.Form == Declarations:
		m.declarations(&b)
	case len(m.sections) == 0:
		b.WriteString(noTools + "export const tools = {};\n")
	case m.options.Form == Compact:
		if m.empty() {
			b.WriteString(noTools)
		}
		m.pages(&b)
		m.types(&b)
		b.WriteString("export declare const tools: {\n")
		m.members(&b)
		b.WriteString("};\n")
	case m.empty():
		b.WriteString(noTools + "export const tools = {\n")
		m.members(&b)
		b.WriteString("};\n")
	default:
		b.WriteString(runtimeSource + findingSource + pagesSource + "\n")
		m.types(&b)
		b.WriteString("const servers = {\n")
		m.members(&b)
		b.WriteString("};\nexport const tools = withOwn(servers);\n")
	}
	return Result{Text: b.String(), Warnings: m.warnings}
}

// empty reports whether no server has a tool.
func (m *module) empty() bool {
	return !slices.ContainsFunc(m.sections, func(s section) bool { return len(s.pieces) > 0 })
}

func (m *module) declarations(b *strings.Builder) {
	b.WriteString(declarationsSource + storeSource + findingSource + "\n")
	m.pages(b)
	if m.empty() {
		b.WriteString(noTools)
	}
	m.types(b)
	b.WriteString("export interface Servers {\n")
	m.members(b)
	b.WriteString("}\n" + resourcesSource + "export declare const tools: Tools;\nexport { tools as default };\n")
}

// pages writes the type of tools with pages, if the module has such tools.
func (m *module) pages(b *strings.Builder) {
	if !slices.ContainsFunc(m.sections, func(s section) bool { return slices.ContainsFunc(s.pieces, func(p piece) bool { return p.paged }) }) {
		return
	}
	b.WriteString(pagesSource)
}

// types writes the declarations of all tools. In the form Declarations each server is
// an interface, so that messages of the type checker can name it.
func (m *module) types(b *strings.Builder) {
	for _, s := range m.sections {
		for _, p := range s.pieces {
			b.WriteString(p.types)
		}
		if m.options.Form == Declarations && len(s.pieces) > 0 {
			b.WriteString("export interface " + s.Type + " {\n")
			s.methods(b)
			s.as(b, s.Type, 1)
			b.WriteString("}\n")
		}
	}
}

// members writes the members of the object tools: one for each server.
func (m *module) members(b *strings.Builder) {
	for _, s := range m.sections {
		p := printer{out: b, style: block, indent: 1}
		p.tabs()
		p.comment(append(serverLines(s.Server), s.unavailableLines()...))
		b.WriteString(key(s.Ident))
		if m.options.Form == Declarations && len(s.pieces) == 0 {
			b.WriteString(": any;\n") // the gateway reports the error of a call
			continue
		}
		if m.options.Form == Declarations {
			b.WriteString(": " + s.Type + ";\n")
			continue
		}
		switch {
		case m.options.Form == Compact:
			b.WriteString(": {\n")
			s.methods(b)
			s.as(b, "typeof tools."+s.Ident, 2)
			b.WriteString("  };\n")
		case len(s.Accounts) > 0 && len(s.pieces) > 0:
			b.WriteString(": accounts(" + quote(toolscript.WithoutAccount(s.Name)) + ", " + "[" + joined(s.Accounts, ", ") + "]" + ", (server: string) => ({\n")
			s.methods(b)
			b.WriteString("  })),\n")
		default:
			b.WriteString(": {\n")
			s.methods(b)
			b.WriteString("  },\n")
		}
	}
}

// as writes the method $as of a server with accounts. The method returns the type of the server.
func (s section) as(b *strings.Builder, of string, indent int) {
	if len(s.Accounts) == 0 {
		return
	}
	p := printer{out: b, style: block, indent: indent}
	p.tabs()
	p.comment([]string{"The tools with another account. Without " + naming.AsAccount + ", calls use the account " + s.Accounts[0] + "."})
	b.WriteString(naming.AsAccount + "(account: " + joined(s.Accounts, " | ") + "): " + of + ";\n")
}

func (s section) methods(b *strings.Builder) {
	for _, p := range s.pieces {
		b.WriteString(p.method)
	}
}

// maxReason is the maximum length of the reason why a server is not connected.
const maxReason = 200

// unavailableLines returns a comment that the server is not connected, why, and what this
// means for its tools.
func (s section) unavailableLines() []string {
	if s.away == "" {
		return nil
	}
	what := "Its tools are unknown."
	if len(s.pieces) > 0 {
		what = "These are the tools of its last list."
	}
	reason := strings.Join(strings.Fields(clean(cutAfter(s.away, maxReason))), " ")
	return append(commented("Not connected, "+reason), what)
}

// joined returns the texts as string literals with between between them.
func joined(texts []string, between string) string {
	literals := make([]string, len(texts))
	for i, text := range texts {
		literals[i] = quote(text)
	}
	return strings.Join(literals, between)
}

// serverLines returns a comment with the server's name, if the identifier differs from it.
func serverLines(s naming.Server) []string {
	name, _ := toolscript.CutAccount(s.Name)
	if s.Ident == name {
		return nil
	}
	return []string{"Server " + inComment(strings.ReplaceAll(clean(name), "\n", " "))}
}
