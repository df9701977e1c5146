// Package typecheck finds the type errors of a script with the TypeScript
// compiler, in the compiler's own words. What it reads is hostile: a kilobyte of
// text keeps the compiler busy for minutes, and nothing but the end of the
// process stops it. So it runs only in a worker process that can be killed.
//
// A comment @ts-nocheck or @ts-ignore works as everywhere: it silences the
// findings about types in its own script, and nothing else. The types are a
// service to who writes a script, not a wall; syntax, imports and limits hold, and
// the arguments of every call are validated by the gateway.
package typecheck

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

// maxMessage bounds the text of one finding, in bytes: a message may quote the
// names and literals of a hostile server's types.
const maxMessage = 8 << 10

// Check gives all findings about a script that compiles, in the order of its
// text. known is false, and nothing has been checked, when its module has not
// been declared. JavaScript has no findings, as for tsc.
func (c *Checker) Check(src runner.Source, returns bool, module string) (found []toolscript.Diagnostic, known bool) {
	typed, ok := script.NewTyped(src, returns)
	if !ok {
		return nil, true
	}
	errors, known := c.errors(typed.Text, module)
	return place(typed, errors), known
}

// Syntax gives all that the compiler says about the syntax of a script in the place
// of what Compile has found there, which is the first mistake alone. What the
// compiler finds nothing wrong with stays as it is, and so do findings of other
// kinds.
func (c *Checker) Syntax(src runner.Source, found []toolscript.Diagnostic) []toolscript.Diagnostic {
	ofSyntax := func(d toolscript.Diagnostic) bool { return d.Code == script.CodeSyntax }
	typed, ok := script.NewTyped(src, false)
	if !ok || !slices.ContainsFunc(found, ofSyntax) {
		return found
	}
	all := c.syntax(typed.Text)
	if len(all) == 0 {
		return found
	}
	return script.InOrder(append(place(typed, all), slices.DeleteFunc(found, ofSyntax)...))
}

// Place gives what was found in the text of a script as Check does.
func Place(src runner.Source, returns bool, found []runner.Finding) []toolscript.Diagnostic {
	typed, ok := script.NewTyped(src, returns)
	if !ok {
		return nil
	}
	return place(typed, found)
}

func place(typed script.Typed, all []runner.Finding) (found []toolscript.Diagnostic) {
	for _, f := range all[:min(len(all), maxFound)] {
		found = append(found, typed.Diagnostic(f.Line, f.Column, f.Code, bounded(f.Message)))
	}
	return script.InOrder(found)
}

// maxFound bounds the findings that are looked at; fewer are shown.
const maxFound = 1000

// holder is the interface with the names that a script can have meant where it
// looked for one in a type: in tools and tools.spawn those of the servers, and in
// the tasks of a server those of its tools.
func holder(of string) string {
	if of == "Tools" || of == "Spawned<Servers>" {
		return "Servers"
	}
	if server, tasks := strings.CutPrefix(of, "TasksOf<"); tasks {
		return strings.TrimSuffix(server, ">")
	}
	return of
}

// maxNames is how many names a finding lists.
const maxNames = 10

// nearest is a further line about a property that does not exist, for names in
// which tsc sees no misspelling: those that are near, else those that there are.
func nearest(property string, names []string) string {
	if near := toolscript.Nearest(property, names, 3); len(near) > 0 {
		return "\n  Did you mean '" + strings.Join(near, "' or '") + "'?"
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if len(names) > maxNames {
		more = fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	return "\n  There are: " + strings.Join(names[:min(len(names), maxNames)], ", ") + more
}

func bounded(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	cut := maxMessage
	for !utf8.RuneStart(message[cut]) {
		cut--
	}
	return strings.TrimRight(message[:cut], "\n ") + " …"
}
