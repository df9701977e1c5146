package script

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/sourcemap"
)

// Typed is a script for the type checker. A return from the top level is wrapped, as for
// the engine.
type Typed struct {
	Text string

	unit     unit
	inserted sourcemap.Insertion
}

// NewTyped prepares a source that Compile has accepted. ok is false for JavaScript, which
// is not checked.
func NewTyped(src runner.Source, returns bool) (t Typed, ok bool) {
	u := newUnit(src)
	t = Typed{Text: u.code, unit: u}
	if u.javaScript() || u.refuse() != nil {
		return t, false
	}
	if returns {
		if tooDeep(u.code) >= 0 {
			return t, false
		}
		text, inserted, errs := u.wrap(u.parse(), "")
		if len(errs) > 0 {
			return t, false
		}
		t.Text, t.inserted = text, inserted
	}
	return t, true
}

// Diagnostic translates a finding about Text to the user's place. Line and column count
// from 1, the column in UTF-16 units.
func (t Typed) Diagnostic(line, column int, code, message string) toolscript.Diagnostic {
	line, column = t.unit.original(line, column, t.inserted)
	return t.unit.place(line, column, code, message)
}

// InOrder sorts diagnostics by place and bounds their number.
func InOrder(found []toolscript.Diagnostic) []toolscript.Diagnostic { return inOrder(found) }
