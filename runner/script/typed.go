package script

import (
	"cmp"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// typed is a script in the form that the type checker reads. A script that returns from its
// top level is wrapped, as for the engine.
type typed struct {
	Text    string
	Modules map[string]string // texts by their paths

	unit     unit
	inserted scripterror.Insertion
	modules  map[string]unit
}

// newTyped prepares a source that Compile has accepted. ok is false for JavaScript, which
// is not checked.
func newTyped(src runner.Source, returns bool) (t typed, ok bool) {
	g := newGraph(src)
	u := g.main
	t = typed{Text: u.code, unit: u, modules: g.modules(), Modules: map[string]string{}}
	for p, module := range t.modules {
		t.Modules[p] = module.code
	}
	if u.javaScript() || u.refuse() != nil {
		return t, false
	}
	if returns {
		text, inserted, errs := u.wrap(u.parse(), "")
		if len(errs) > 0 {
			return t, false
		}
		t.Text, t.inserted = text, inserted
	}
	return t, true
}

// diagnostic returns a diagnostic about Text, or about the module at a path, with its
// position in the user's text. Line and column count from 1, the column in UTF-16 units.
func (t typed) diagnostic(module string, line, column int, code, message string) toolscript.Diagnostic {
	if module != "" {
		return t.modules[module].place(line, column, code, texts.Short(message, maxMessage))
	}
	line, column = t.unit.original(line, column, t.inserted)
	return t.unit.place(line, column, code, texts.Short(message, maxMessage))
}

// sortFiles sorts diagnostics by position, those of the script before those of its modules, and
// bounds their number.
func sortFiles(src runner.Source, found []toolscript.Diagnostic) []toolscript.Diagnostic {
	script := cmp.Or(src.File, DefaultFile)
	file := func(d toolscript.Diagnostic) string {
		if d.File == script {
			return ""
		}
		return d.File
	}
	slices.SortStableFunc(found, func(a, b toolscript.Diagnostic) int {
		return cmp.Or(cmp.Compare(file(a), file(b)), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found[:min(len(found), maxDiagnostics)]
}
