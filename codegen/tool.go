package codegen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// piece is the text of one tool in one form of module. It depends only on the tool and its
// names, so all modules with the tool can share it.
type piece struct {
	types    string // declarations of parameters and result
	method   string // its documentation and signature
	paged    bool   // the method has the type Paged
	warnings []Warning
}

// maxWarnings is the maximum number of warnings about one tool; a hostile schema could
// cause thousands.
const maxWarnings = 10

type toolWriter struct {
	tool     toolscript.Tool
	names    naming.Tool
	observed string // the type of observed results; "" if there are none
	options  Options
	input    bool // true while the type of the arguments is written, false for the type of the result
	piece    piece
	types    strings.Builder
}

func writeTool(t toolscript.Tool, names naming.Tool, observed string, o Options) piece {
	w := toolWriter{tool: t, names: names, observed: observed, options: o}
	if o.Form != Compact {
		w.types.Grow(len(t.InputSchema) + len(t.OutputSchema)) // types with documentation are about as long as the schemas
	}
	params, optional := w.params()
	result := w.result()
	w.method(params, optional, result)
	w.piece.types, w.piece.paged = w.types.String(), t.Pages
	return w.piece
}

func (w *toolWriter) warn(schema string, at *path, format string, args ...any) {
	if len(w.piece.warnings) == maxWarnings {
		return
	}
	w.piece.warnings = append(w.piece.warnings, Warning{
		Server: w.tool.Server, Tool: w.tool.Name, Path: "/" + schema + at.String(), Message: fmt.Sprintf(format, args...),
	})
}

// params returns the type of the arguments, and whether they are optional.
func (w *toolWriter) params() (written string, optional bool) {
	w.input = true
	if w.tool.InputSchema == nil {
		w.warn(inputSchema, nil, "missing; the generated type has no parameters")
		return w.declare([]*alias{{name: w.names.Params, typ: noMembers}}), true
	}
	declarations := w.convert(inputSchema, w.tool.InputSchema, w.names.Params)
	root := declarations[0]
	if !root.typ.mayBeObject() {
		w.warn(inputSchema, nil, "allows no object, but arguments are always an object; the tool cannot be called")
	}
	return w.declare(declarations), root.typ.acceptsEmpty()
}

func (w *toolWriter) result() string {
	w.input = false
	if w.tool.OutputSchema != nil {
		return w.declare(w.convert("outputSchema", w.tool.OutputSchema, w.names.Result))
	}
	if w.options.Form == Compact {
		return "any"
	}
	p := w.printer(&w.types)
	p.comment(append([]string{"The server has no schema for this result."}, w.observation()...))
	fmt.Fprintf(p.out, "export type %s = any;\n", w.names.Result)
	return w.names.Result
}

// observation returns the comment about observed results.
func (w *toolWriter) observation() []string {
	if w.observed == "" {
		return nil
	}
	return commented("Observed, not guaranteed: " + clean(w.observed))
}

// convert returns the declarations of a schema. The type of an invalid schema is
// unknown, or object for arguments.
func (w *toolWriter) convert(which string, schema []byte, name string) []*alias {
	doc, err := decode(schema)
	if err != nil {
		w.warn(which, nil, "%v", err)
		t := unknown
		if which == inputSchema {
			t = anyObject
		}
		return []*alias{{name: name, typ: t}}
	}
	input := which == inputSchema
	c := &converter{doc: doc, open: w.options.Open, input: input, large: input && w.options.Form == Declarations, warn: func(at *path, format string, args ...any) {
		w.warn(which, at, format, args...)
	}}
	declarations := c.declarations(name)
	if root := declarations[0]; c.input {
		root.typ = c.withoutParameters(root.typ)
	}
	return declarations
}

const inputSchema = "inputSchema"

// declare writes declarations and returns the text that refers to the first one. In the compact
// form, this text is the type itself unless the type is recursive. Otherwise names that are used
// only once would be a third of the module.
func (w *toolWriter) declare(declarations []*alias) string {
	root := declarations[0]
	for _, a := range declarations {
		inSignature := a == root && w.options.Form == Compact && !root.recursive
		if !inSignature && !a.inlined() {
			w.declaration(a)
		}
	}
	if w.options.Form != Compact || root.recursive {
		return root.name
	}
	var b strings.Builder
	w.printer(&b).typ(root.typ, lowest)
	return b.String()
}

// declaration writes one declaration. Parameters become interfaces, because editors and
// the type checker show their names. Results become type aliases: scripts pass results
// to other tools, and an interface is not assignable to { [key: string]: unknown }.
func (w *toolWriter) declaration(a *alias) {
	p := w.printer(&w.types)
	p.document(w.known(a), a.schema, a.schema)
	if a.name == w.names.Params && a.typ.op == opObject {
		fmt.Fprintf(p.out, "export interface %s ", a.name)
		p.object(a.typ)
		p.out.WriteByte('\n')
		return
	}
	fmt.Fprintf(p.out, "export type %s = ", a.name)
	p.typ(a.typ, lowest)
	p.out.WriteString(";\n")
}

// known returns the name by which readers know a declaration: the name of the tool, or the last
// part of the name of a definition.
func (w *toolWriter) known(a *alias) string {
	if a.at == nil {
		return w.tool.Name
	}
	return a.name[strings.LastIndexByte(a.name, '_')+1:]
}

func (w *toolWriter) printer(out *strings.Builder) *printer {
	p := &printer{out: out, style: block, describe: w.options.describe(), input: w.input}
	if w.options.Form == Compact {
		p.style = line
		p.describe /= 2 // parameters are many, and their names say much
	}
	return p
}

// method writes the method that scripts call.
func (w *toolWriter) method(params string, optional bool, result string) {
	var b strings.Builder
	b.Grow(min(len(w.tool.Description), w.options.describe()) + len(w.names.ID) + len(params) + len(result) + 64)
	p := w.printer(&b)
	p.style = block // the comment of a method is multi-line in every form
	p.indent = 2
	if w.options.Form == Declarations {
		p.indent = 1
	}
	p.tabs()
	p.comment(w.documentation())
	ident, given, promised := key(w.names.Ident), "("+w.parameter(params, optional)+")", "Promise<"+result+">"
	if ident == "new" { // in an interface, new() is a construct signature
		ident = quote(ident)
	}
	signature := ident + given + ": " + promised
	server, id := w.address()
	switch {
	case w.tool.Pages && w.options.Form == Full:
		b.WriteString(ident + ": paged<" + given + " => " + promised + ">(" + server + ", " + id + ", " +
			strconv.FormatBool(w.tool.OutputSchema != nil) + "),\n")
	case w.tool.Pages:
		b.WriteString(ident + ": Paged<" + given + " => " + promised + ">;\n")
	case w.options.Form == Full:
		b.WriteString("async " + signature + " {\n      return await call(" + server + ", " + id + ", params, " + strconv.FormatBool(w.tool.OutputSchema != nil) + ");\n    },\n")
	default:
		b.WriteString(signature + ";\n")
	}
	w.piece.method = b.String()
}

// address returns the expressions for the server and the id of the tool in the full form. For a server
// with accounts, they use the parameter server of the function that contains the methods.
func (w *toolWriter) address() (server, id string) {
	if _, account := toolscript.CutAccount(w.tool.Server); account != "" {
		return "server", "server + " + quote(toolscript.Separator+w.tool.Name)
	}
	return quote(w.tool.Server), quote(w.names.ID)
}

func (w *toolWriter) parameter(params string, optional bool) string {
	switch {
	case w.options.Form == Compact && params == noMembers.word:
		return ""
	case optional:
		return "params?: " + params
	}
	return "params: " + params
}

// documentation returns the server's description of the tool, and the tool's id.
func (w *toolWriter) documentation() []string {
	lines := describedLines(firstOf(w.tool.Description, w.tool.Title), w.options.describe())
	if w.options.Form == Compact {
		return w.brief(lines)
	}
	id := w.id()
	if hints := hints(w.tool.Annotations); hints != "" {
		id += " The server says: " + hints + "."
	}
	return append(lines, id)
}

// brief returns the documentation in the compact form: one line with the description, the
// effect of a call, and the id if it cannot be derived from the identifier.
func (w *toolWriter) brief(lines []string) []string {
	if hint := effect(w.tool.Annotations); hint != "" {
		lines = append(lines, "(server: "+hint+")")
	}
	if len(lines) > 1 {
		lines = []string{onOneLine(lines)}
	}
	if seen := w.observation(); len(seen) > 0 { // on its own line, because not all descriptions end with a full stop
		lines = append(lines, onOneLine(seen))
	}
	if w.names.Ident == naming.Identifier(w.tool.Name) {
		return lines
	}
	return append(lines, w.id())
}

func (w *toolWriter) id() string {
	return "[" + inComment(strings.ReplaceAll(clean(w.names.ID), "\n", " ")) + "]"
}

// effect returns the effect of a call according to the tool's annotations. MCP:
// destructiveHint "is meaningful only when readOnlyHint == false".
func effect(a toolscript.Annotations) string {
	switch {
	case a.ReadOnly != nil && *a.ReadOnly:
		return "read-only"
	case a.Destructive != nil && *a.Destructive:
		return "destructive"
	}
	return ""
}

// hints returns the annotations of a tool as text.
func hints(a toolscript.Annotations) string {
	var said []string
	for _, hint := range []struct {
		value   *bool
		yes, no string
	}{
		{a.ReadOnly, "read-only", "not read-only"},
		{a.Destructive, "destructive", "not destructive"},
		{a.Idempotent, "idempotent", "not idempotent"},
		{a.OpenWorld, "open-world", "closed-world"},
	} {
		switch {
		case hint.value == nil:
		case *hint.value:
			said = append(said, hint.yes)
		default:
			said = append(said, hint.no)
		}
	}
	return strings.Join(said, ", ")
}
