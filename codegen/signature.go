package codegen

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
)

// Signature returns the call and the result type of a tool on one line, without documentation.
// The line has at most most characters. If necessary, "…" replaces inner types, and then also
// optional arguments.
func Signature(t toolscript.Tool, call string, most int) string {
	w := toolWriter{tool: t, options: Options{Form: Compact}}
	params, result := noMembers, word("any")
	if t.InputSchema != nil {
		params = w.convert(inputSchema, t.InputSchema, "Params")[0].typ
	}
	if t.OutputSchema != nil {
		result = w.convert("outputSchema", t.OutputSchema, "Result")[0].typ
	}
	var text string
	for _, depth := range [][2]int{{5, 3}, {5, 1}, {3, 1}, {3, 0}, {2, 0}, {1, 0}} {
		text = call + "(" + arguments(params, depth[0]) + "): Promise<" + outline(result, depth[1]) + ">"
		if utf8.RuneCountInString(text) <= most {
			return text
		}
	}
	return shortened(params, call, most)
}

// arguments returns the parameter list of a signature.
func arguments(params *typ, depth int) string {
	switch {
	case params == noMembers:
		return ""
	case params.acceptsEmpty():
		return "params?: " + outline(params, depth)
	}
	return "params: " + outline(params, depth)
}

// shortened returns a signature with as many arguments as fit, required arguments
// first.
func shortened(params *typ, call string, most int) string {
	const end = " … }): Promise<…>"
	text := call + "(params: {"
	if params.op == opRef {
		params = params.ref.typ
	}
	for _, optional := range []bool{false, true} {
		for _, p := range params.props {
			member := " " + key(p.key) + ": " + outline(p.typ, 0) + ";"
			if optional {
				member = " " + key(p.key) + "?: " + outline(p.typ, 0) + ";"
			}
			if p.optional != optional || utf8.RuneCountInString(text+member+end) > most {
				continue
			}
			text += member
		}
	}
	if text += end; utf8.RuneCountInString(text) > most {
		return call + "(…)"
	}
	return text
}

// mostParts is the maximum number of alternatives in an outline.
const mostParts = 8

// outline returns a type on one line. "…" replaces everything below depth levels of
// objects.
func outline(t *typ, depth int) string {
	switch t.op {
	case opWord:
		return t.word
	case opRef:
		if depth <= 0 {
			return "{ … }"
		}
		return outline(t.ref.typ, depth-1)
	case opArray:
		element := outline(t.parts[0], depth)
		if op := t.parts[0].op; op == opUnion || op == opIntersection || op == opRef && strings.ContainsAny(element, "|&") {
			element = "(" + element + ")"
		}
		return element + "[]"
	case opUnion, opIntersection:
		return outlines(t, depth)
	case opObject:
		return members(t, depth)
	default: // a tuple
		var b strings.Builder
		(&printer{out: &b, style: bare}).typ(t, lowest)
		if depth <= 0 {
			return "[…]"
		}
		return b.String()
	}
}

func outlines(t *typ, depth int) string {
	operator := map[op]string{opUnion: " | ", opIntersection: " & "}[t.op]
	var parts []string
	for i, part := range t.parts {
		if i == mostParts {
			parts = append(parts, "…")
			break
		}
		text := outline(part, depth)
		if t.op == opIntersection && strings.Contains(text, " | ") {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, operator)
}

func members(t *typ, depth int) string {
	switch {
	case len(t.props) == 0 && t.rest == nil:
		return "{}"
	case depth <= 0:
		return "{ … }"
	}
	var all []string
	for _, p := range t.props {
		mark := ": "
		if p.optional {
			mark = "?: "
		}
		all = append(all, key(p.key)+mark+outline(p.typ, depth-1))
	}
	if t.rest != nil {
		all = append(all, "[key: string]: "+outline(t.rest, depth-1))
	}
	return "{ " + strings.Join(all, "; ") + " }"
}

// deprecation matches texts that call a tool deprecated.
var deprecation = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bDEPRECATED\b|(?i)(?:^|[.(\[*]\s*)deprecated\b|\b(?:is|are|now) deprecated\b`)
})

// Deprecated reports whether the title or the description of a tool calls it deprecated.
func Deprecated(t toolscript.Tool) bool {
	const most = 4 << 10 // maximum number of bytes that are searched
	return deprecation().MatchString(t.Description[:min(len(t.Description), most)]) ||
		deprecation().MatchString(t.Title[:min(len(t.Title), most)])
}
