package script

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
)

// module is the one module a script can import.
const module = "toolscript"

// foreignImports refuses every import of another module that tokens show, with
// its place. The compiler erases imports of types and reference comments, but a
// type checker would read the files that they name.
func (u unit) foreignImports(s *scanner) []toolscript.Diagnostic {
	var found []toolscript.Diagnostic
	for _, offset := range s.references[:min(len(s.references), maxDiagnostics)] {
		found = append(found, u.at(offset, codeImport, "reference comments are not allowed: a script is one file"))
	}
	for i := range s.tokens {
		at := s.importedAt(i)
		name, ok := s.stringAt(at)
		switch {
		case !ok:
		case s.wordAt(i, "require"):
			found = append(found, u.at(s.tokens[at].start, codeImport, refuseRequire(name)))
		case name != module:
			found = append(found, u.at(s.tokens[at].start, codeImport, refuseImport(name)))
		}
		if len(found) >= maxDiagnostics {
			break
		}
	}
	return found
}

// compiledImports refuses the imports of the compiled text. They are those that
// the tokens show, but where the scanner took a division for a regular
// expression it may have overlooked one.
func (u unit) compiledImports(imports []moduleImport) []toolscript.Diagnostic {
	var found []toolscript.Diagnostic
	for _, i := range imports[:min(len(imports), maxDiagnostics)] {
		switch {
		case i.Kind == "require-call" || i.Kind == "require-resolve":
			found = append(found, u.at(u.quoted(i.Path), codeImport, refuseRequire(i.Path)))
		case i.Path != module:
			found = append(found, u.at(u.quoted(i.Path), codeImport, refuseImport(i.Path)))
		}
	}
	return found
}

// quoted is where text first stands in quotes, and 0 when it is written with
// escapes.
func (u unit) quoted(text string) int {
	for _, quote := range []string{"\"", "'", "`"} {
		if at := strings.Index(u.code, quote+text+quote); at >= 0 {
			return at
		}
	}
	return 0
}

// importedAt is where the name of a module stands if token i starts one of
//
//	import "x"   … from "x"   import("x")   require("x")
//
// and -1 otherwise.
func (s *scanner) importedAt(i int) int {
	if s.tokens[i].kind != word || s.is(i-1, ".") || s.is(i-1, "?.") {
		return -1
	}
	switch name := s.textAt(i); {
	case name == "from", name == "import" && !s.is(i+1, "("):
		return i + 1
	case name == "import", name == "require" && s.is(i+1, "(") && !s.wordAt(i-1, "function"):
		return i + 2
	}
	return -1
}

func refuseImport(name string) string {
	return fmt.Sprintf("import of %q is not allowed: only %q can be imported", name, module)
}

func refuseRequire(name string) string {
	return fmt.Sprintf("require(%q) is not allowed: write import { tools } from %q", name, module)
}
