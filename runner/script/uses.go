package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/runner"
)

// values are the exports of the module that name no server. Any other name may
// be a type that belongs to one.
var values = set("stdin", "args", "cwd", "env", "exit", "ToolError")

// uses finds the servers that a script refers to. It is certain only when every
// use of the name that is bound to tools is tools.name, tools["name"] or a
// destructuring with plain keys; all else means every server. A variable that
// shadows the name adds servers and hides none.
func uses(s *scanner) runner.Uses {
	names, ok := s.toolsNames()
	if !ok || s.unsure {
		return runner.Uses{All: true}
	}
	servers := make(map[string]bool)
	for i, t := range s.tokens {
		if t.kind != word || !names[s.textAt(i)] || s.is(i-1, ".") || s.is(i-1, "?.") || s.inImport(i) {
			continue
		}
		found, ok := s.serversAt(i)
		if !ok {
			return runner.Uses{All: true}
		}
		for _, name := range found {
			if strings.HasPrefix(name, "$") { // the gateway's own: what it finds may be any tool
				return runner.Uses{All: true}
			}
			servers[name] = true
		}
	}
	return runner.Uses{Servers: slices.Sorted(maps.Keys(servers))}
}

// toolsNames are the local names of tools. ok is false when the module is
// imported in a way that does not list names, or with names that are types.
func (s *scanner) toolsNames() (names map[string]bool, ok bool) {
	names = make(map[string]bool)
	for i := range s.tokens {
		at := s.importedAt(i)
		if s.wordAt(i, "import") && s.is(i+1, "(") {
			return nil, false
		}
		if name, found := s.stringAt(at); !found || name != module || !s.wordAt(i, "from") {
			continue
		}
		if !s.clause(i-1, names) {
			return nil, false
		}
	}
	return names, true
}

// clause reads an import clause backward from its closing brace.
func (s *scanner) clause(i int, names map[string]bool) bool {
	if !s.is(i, "}") {
		return false
	}
	for i--; i >= 0 && !s.is(i, "{"); i-- {
		if s.is(i, ",") {
			continue
		}
		imported, local := s.textAt(i), s.textAt(i)
		if s.wordAt(i-1, "as") {
			imported = s.textAt(i - 2)
			i -= 2
		}
		switch {
		case imported == "tools":
			names[local] = true
		case !values[imported]:
			return false
		}
	}
	return s.wordAt(i-1, "import")
}

// inImport reports whether token i stands in the braces of an import clause
// that clause has read.
func (s *scanner) inImport(i int) bool {
	for ; i >= 0; i-- {
		if s.is(i, "{") {
			return s.wordAt(i-1, "import")
		}
		if s.tokens[i].kind != word && !s.is(i, ",") {
			return false
		}
	}
	return false
}

// spawn is the member of tools that has the servers once more, to start tasks.
const spawn = "spawn"

// serversAt are the servers that one use of tools, or of tools.spawn, names; ok is
// false when it cannot be told.
func (s *scanner) serversAt(i int) (servers []string, ok bool) {
	name, next, found := s.member(i + 1)
	if found && name == spawn {
		name, next, found = s.member(next)
	}
	if found {
		return []string{name}, true
	}
	if s.endsStatement(next) {
		keys, plain := s.destructured(i)
		return keys, plain && !slices.Contains(keys, spawn)
	}
	return nil, false
}

// member is the name of the member of what ends before token i, and the token
// behind it. found is false, and next is i, when there is none or none that is
// certain.
func (s *scanner) member(i int) (name string, next int, found bool) {
	at := i
	if s.is(at, "!") { // tools!.github
		at++
	}
	optional := s.is(at, "?.")
	if optional || s.is(at, ".") {
		at++
		if at < len(s.tokens) && s.tokens[at].kind == word {
			return s.textAt(at), at + 1, true
		}
	}
	if s.is(at, "[") && s.is(at+2, "]") {
		if name, is := s.stringAt(at + 1); is && plainKey(name) {
			return name, at + 3, true
		}
	}
	return "", i, false
}

// endsStatement reports whether an expression surely ends before token i.
func (s *scanner) endsStatement(i int) bool {
	if i == len(s.tokens) || s.is(i, ";") || s.is(i, "}") {
		return true
	}
	return s.tokens[i].newline && s.tokens[i].kind == word && !infixWords[s.textAt(i)]
}

// infixWords continue an expression on the next line.
var infixWords = set("in", "instanceof", "of", "as", "satisfies")

// destructured are the keys of `{ a, b: c } = tools`, where tools is token i.
func (s *scanner) destructured(i int) (keys []string, ok bool) {
	if !s.is(i-1, "=") || !s.is(i-2, "}") {
		return nil, false
	}
	for i -= 3; i >= 0 && !s.is(i, "{"); i-- {
		switch {
		case s.is(i, ","):
			continue
		case s.tokens[i].kind != word:
			return nil, false
		case s.is(i-1, ":"):
			i -= 2
		}
		if i < 0 || s.tokens[i].kind != word || s.is(i-1, "...") {
			return nil, false
		}
		keys = append(keys, s.textAt(i))
	}
	declares := s.wordAt(i-1, "const") || s.wordAt(i-1, "let") || s.wordAt(i-1, "var")
	return keys, declares
}

// plainKey reports whether a string literal says what its text says.
func plainKey(name string) bool {
	for _, r := range name {
		if r == '\\' {
			return false
		}
	}
	return true
}
