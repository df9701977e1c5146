package script

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/sourcemap"
)

const (
	wrapperStart = ";export default await (async () => {"
	wrapperEnd   = "\n})()" // on a line of its own: the user's last line may be a comment
)

// wrap makes the value of a top-level return the default export: what follows
// the leading imports becomes the body of an async function. One insertion into
// one line does it, so that every line and all columns but one keep their place.
func (u unit) wrap(s *scanner) (string, sourcemap.Insertion, []toolscript.Diagnostic) {
	body := s.endOfImports()
	var errs []toolscript.Diagnostic
	for i := body; i < len(s.tokens); i++ {
		if message := s.moduleItem(i); message != "" && len(errs) < maxDiagnostics {
			errs = append(errs, u.at(s.tokens[i].start, CodeSyntax, message))
		}
	}
	if len(errs) > 0 {
		return "", sourcemap.Insertion{}, errs
	}
	offset := 0
	switch {
	case body > 0:
		offset = s.tokens[body-1].end
	case len(s.tokens) > 0: // behind a hashbang, and behind comments: @ts-nocheck counts before the first statement
		offset = s.tokens[0].start
	}
	before := u.code[:offset]
	line := sourcemap.Lines(before)
	start, _ := sourcemap.Line(before, line)
	inserted := sourcemap.Insertion{Line: line, Column: units(start) + 1, Length: len(wrapperStart)}
	return before + wrapperStart + u.code[offset:] + wrapperEnd, inserted, nil
}

// endOfImports is the index of the first token behind the leading import
// declarations.
func (s *scanner) endOfImports() int {
	end := 0
	for i := 0; s.wordAt(i, "import") && !s.is(i+1, "(") && !s.is(i+1, "."); {
		for ; !s.isString(i + 1); i++ {
			if i+1 >= len(s.tokens) || s.is(i, "=") || s.is(i, ";") { // import a = b.c
				return end
			}
		}
		i += 2
		if s.is(i, ";") {
			i++
		}
		end = i
	}
	return end
}

func (s *scanner) isString(i int) bool {
	_, ok := s.stringAt(i)
	return ok
}

// moduleItem says why token i cannot be inside the wrapper, and "" when it can.
// Outside all brackets, import and export start declarations; import( and
// import.meta do not.
func (s *scanner) moduleItem(i int) string {
	t := s.tokens[i]
	if t.depth > 0 || s.is(i-1, ".") || s.is(i-1, "?.") {
		return ""
	}
	switch {
	case s.wordAt(i, "import") && !s.is(i+1, "(") && !s.is(i+1, "."):
		return "in a script with a top-level return all imports come before the first statement"
	case s.wordAt(i, "export"):
		return "a script with a top-level return has no exports: return the value instead"
	case s.wordAt(i, "namespace") && i+1 < len(s.tokens) && s.tokens[i+1].kind == word && !s.wordAt(i-1, "declare"):
		return "a script with a top-level return declares no namespaces: use an object instead"
	}
	return ""
}
