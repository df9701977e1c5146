package actors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// Limits of advice.
const (
	mostSignature = 300 // characters of the signature of a tool
	mostNear      = 3   // suggested names
	mostListed    = 10  // names in a list of existing names
	mostAdvised   = 20  // tools with a signature, in all findings of one script
	adviceTime    = 500 * time.Millisecond
)

// advise adds to the findings of the type checker: the signature of a tool with wrong
// arguments, suggestions for a wrong name, and tools that replace missing globals. It
// shows only tools that the run may call. written are the names that the script sees.
func (s *System) advise(ctx context.Context, found []toolscript.Diagnostic, allow toolscript.Filter, written *naming.Names) []toolscript.Diagnostic {
	if !slices.ContainsFunc(found, func(d toolscript.Diagnostic) bool { return d.About != nil }) {
		return found
	}
	view := s.current()
	a := adviser{
		catalog: view.Catalog, names: view.Names(), written: written, allow: allow,
		table: naming.NewTable(view.Names(), allow, nil), shown: map[string]bool{},
	}
	a.held = func(server, tool string) string {
		if err := held(view, server+toolscript.Separator+tool, allow); err != nil {
			return "\n  " + err.Error()
		}
		return ""
	}
	a.search = func(query string) []string {
		ctx, cancel := context.WithTimeout(ctx, adviceTime)
		defer cancel()
		answer, err := s.Search(ctx, toolscript.SearchQuery{Text: query, Limit: mostNear, Allow: allow})
		if err != nil {
			return nil // the advice is useful without tools
		}
		var ids []string
		for _, hit := range answer.Results {
			ids = append(ids, hit.ToolID)
		}
		slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(a.deprecatedRank(x), a.deprecatedRank(y)) })
		return ids
	}
	advised := slices.Clone(found)
	for i, d := range advised {
		if d.About != nil {
			advised[i].Message, advised[i].About = a.message(d.Message, *d.About), nil
		}
	}
	return advised
}

// adviser writes the advice for the findings of one script.
type adviser struct {
	catalog toolscript.Catalog
	names   *naming.Names
	written *naming.Names // names with the flat names of the script, if it has some
	allow   toolscript.Filter
	table   *naming.Table // built from names and allow
	search  func(query string) (ids []string)
	held    func(server, tool string) string // why a tool is in quarantine; "" if it is not
	shown   map[string]bool                  // tools whose signature was shown, by id
}

// message returns the message of a finding with advice below it.
func (a *adviser) message(message string, about toolscript.Subject) string {
	if refused := a.notAllowed(about); refused != "" {
		return refused
	}
	if about.Member != "" {
		if server := a.serverOf(about.Type); server >= 0 {
			message += a.signatures(a.table.ID(server, about.Member))
		}
		return message
	}
	switch in := about.In; {
	case in == "":
		return a.unknown(message, about)
	case strings.Trim(in, `"`) == "toolscript":
		return a.notExported(message, about)
	case isTools(in):
		return a.noServer(message, about)
	case in == "ScriptDeno":
		need, _ := scripterror.Global("Deno")
		return message + "\n  " + sentence(need.Advice) + "."
	case about.Name == "content" || about.Name == "structuredContent" || about.Name == "isError" || about.Name == "text" && in == "string":
		if strings.HasPrefix(in, "Promise<") {
			return message
		}
		return message + "\n  The answer of a tool comes unwrapped: its structured content, else its text, parsed when it is a JSON object or array." +
			"\n  Use the value as it is, without .content[0].text"
	}
	if server := a.serverOf(about.In); server >= 0 {
		return a.noTool(message, server, about.Name)
	}
	return message
}

// plainType returns T for TasksOf<T> and WithOptions<T>, the types of tasks and of calls with options. It returns
// any other type unchanged.
func plainType(of string) string {
	for _, other := range []string{"TasksOf<", "WithOptions<"} {
		if plain, is := strings.CutPrefix(of, other); is {
			return strings.TrimSuffix(plain, ">")
		}
	}
	return of
}

// isTools reports whether a type is that of the global tools, whose members are the servers.
func isTools(of string) bool {
	of = plainType(of)
	return of == "Tools" || of == "Servers" || strings.HasPrefix(of, "Servers & ") || strings.Contains(of, "Spawned<Servers>")
}

// serverOf returns the index of the server whose interface has the name of, or -1. of may also be the type of tasks
// or of calls with options of that interface.
func (a *adviser) serverOf(of string) int {
	of = plainType(of)
	return slices.IndexFunc(a.names.Servers, func(s naming.Server) bool { return s.Type == of && !s.Further() })
}

// unknown advises on a name that is not declared.
func (a *adviser) unknown(message string, about toolscript.Subject) string {
	if ids := a.table.Meant(about.Name, about.Next); len(ids) > 0 {
		return message + didYouMean(a.calls(ids)) + a.signatures(ids...)
	}
	if server := a.table.Spelled(about.Name); server >= 0 {
		message += didYouMean([]string{"tools." + a.names.Servers[server].Ident})
		return a.near(message, server, about.Next)
	}
	need, ok := scripterror.Global(about.Name)
	if !ok {
		return message
	}
	message += "\n  " + sentence(need.Advice)
	if need.Query == "" {
		return message + "."
	}
	if ids := a.search(need.Query); len(ids) > 0 {
		return message + ", such as:" + a.signatures(ids...)
	}
	return message + ": " + toolscript.Command("search", need.Query)
}

// notExported advises on the import of a name that the module does not export.
func (a *adviser) notExported(message string, about toolscript.Subject) string {
	message, _, _ = strings.Cut(message, " Did you mean ")
	if ids := a.table.Meant(about.Name, ""); len(ids) > 0 {
		return message + didYouMean(a.calls(ids)) + " They need no import." + a.signatures(ids...)
	}
	if server := a.table.Spelled(about.Name); server >= 0 {
		example := append(a.table.Idents(server), "tool")[0]
		return message + fmt.Sprintf("\n  Servers are members of tools, which needs no import: write tools.%s, as in tools.%[1]s.%s(…)",
			a.names.Servers[server].Ident, example)
	}
	return message + "\n  It exports tools, store, stdin, args, env, cwd, exit and ToolError, and the types of tools; none of them needs an import."
}

// noServer advises on a member of tools that does not exist.
func (a *adviser) noServer(message string, about toolscript.Subject) string {
	message, _, _ = strings.Cut(message, " Did you mean ")
	if ids := a.table.Meant(about.Name, about.Next); len(ids) > 0 {
		return message + didYouMean(a.calls(ids)) + a.signatures(ids...)
	}
	if need, _ := scripterror.Global(about.Name); need == scripterror.Finding {
		return message + "\n  " + sentence(need.Advice) + "."
	}
	idents := a.table.Idents(naming.None)
	near := naming.Similar(about.Name, idents, mostNear, nil)
	if len(near) == 0 {
		return message + thereAre(idents, toolscript.Command("list-servers"))
	}
	message += didYouMean(near)
	if about.Next != "" {
		return a.near(message, a.table.Server(near[0]), about.Next)
	}
	return message
}

// noTool advises on a member of a server that does not exist.
func (a *adviser) noTool(message string, server int, name string) string {
	message, _, _ = strings.Cut(message, " Did you mean ")
	s := a.names.Servers[server]
	if why := a.held(s.Name, name); why != "" {
		return message + why
	}
	if ids := a.table.Meant(name, ""); len(ids) > 0 && slices.ContainsFunc(s.Tools, func(t naming.Tool) bool { return t.ID == ids[0] }) {
		return message + didYouMean(a.calls(ids[:1])) + a.signatures(ids[0])
	}
	near := a.alike(server, name)
	if len(near) == 0 {
		return message + thereAre(a.table.Idents(server), toolscript.Command("list-tools", s.Name))
	}
	return a.near(message+didYouMean(a.marked(server, near)), server, name)
}

// near adds to the message the signatures of the server's tools whose names resemble name.
func (a *adviser) near(message string, server int, name string) string {
	for _, ident := range a.alike(server, name) {
		message += a.signatures(a.table.ID(server, ident))
	}
	return message
}

// alike returns the identifiers of a server's tools that resemble name, deprecated tools last.
func (a *adviser) alike(server int, name string) []string {
	return naming.Similar(name, a.table.Idents(server), mostNear, func(ident string) bool { return a.deprecated(server, ident) })
}

// marked adds a remark to the names of deprecated tools.
func (a *adviser) marked(server int, idents []string) []string {
	marked := slices.Clone(idents)
	for i, ident := range idents {
		if a.deprecated(server, ident) {
			marked[i] += " (deprecated)"
		}
	}
	return marked
}

// deprecatedRank returns 1 for a deprecated tool and 0 for others, to sort deprecated tools last.
func (a *adviser) deprecatedRank(id string) int {
	if tool, ok := a.catalog.Lookup(id); ok && codegen.Deprecated(tool) {
		return 1
	}
	return 0
}

func (a *adviser) deprecated(server int, ident string) bool {
	return a.deprecatedRank(a.table.ID(server, ident)) > 0
}

func (a *adviser) calls(ids []string) (calls []string) {
	for _, id := range ids {
		if tool, ok := a.catalog.Lookup(id); ok {
			calls = append(calls, a.names.Call(tool))
		}
	}
	return calls
}

// signatures returns a line with the signature of each tool. It shows each tool once in
// the findings of a script.
func (a *adviser) signatures(ids ...string) string {
	var b strings.Builder
	for _, id := range ids {
		tool, ok := a.catalog.Lookup(id)
		if !ok || a.shown[id] || !a.allow.Match(tool) || len(a.shown) == mostAdvised {
			continue
		}
		a.shown[id] = true
		fmt.Fprintf(&b, "\n  %s (%s)", codegen.Signature(tool, a.names.Call(tool), mostSignature), toolscript.Command("get-types", id))
	}
	return b.String()
}

// sentence capitalizes the first letter.
func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "\n  Did you mean '" + strings.Join(names, "' or '") + "'?"
}

func thereAre(names []string, list string) string {
	switch {
	case len(names) == 0:
		return ""
	case len(names) > mostListed:
		return fmt.Sprintf("\n  There are: %s and %d more (%s)", strings.Join(names[:mostListed], ", "), len(names)-mostListed, list)
	}
	return "\n  There are: " + strings.Join(names, ", ")
}
