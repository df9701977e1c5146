package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// maxDiagnostics bounds the answer: a megabyte of imports would give thousands of
// diagnostics with an excerpt each.
const maxDiagnostics = 100

// at returns a diagnostic about the byte at offset.
func (u unit) at(offset int, code, message string) toolscript.Diagnostic {
	before := u.code[:offset]
	line := scripterror.Lines(before)
	start, _ := scripterror.Line(before, line)
	return u.place(line, units(start)+1, code, message)
}

func (u unit) place(line, column int, code, message string) toolscript.Diagnostic {
	return toolscript.Diagnostic{
		File: u.file, Line: line, Column: column, Code: code, Message: message,
		Excerpt: scripterror.Excerpt(u.code, line, column),
	}
}

// fromCompiler translates a message of esbuild, which counts lines from 1 and columns from 0
// in bytes. Notes without a position in the text are dropped, because they are about the
// configuration of the compiler.
func (u unit) fromCompiler(m api.Message, inserted scripterror.Insertion) toolscript.Diagnostic {
	message := strings.TrimSuffix(m.Text, ":")
	switch {
	case m.Text == returnInModule && u.module:
		message = "only the script itself returns from its top level: export the value"
	case m.Text == returnInModule: // if the script returns, only text before the last namespace is outside the wrapper
		message = "a top-level return comes after the last namespace: move the namespaces to the start of the script"
	}
	for _, note := range m.Notes {
		if note.Location != nil && m.Location != nil && note.Location.File == m.Location.File {
			line, column := u.located(*note.Location, inserted)
			message += fmt.Sprintf(" (%s %s:%d:%d)", strings.TrimSuffix(note.Text, ":"), u.file, line, column)
		}
	}
	if m.Location == nil {
		return u.place(1, 1, CodeSyntax, message)
	}
	line, column := u.located(*m.Location, inserted)
	return u.place(line, column, CodeSyntax, message)
}

// located returns the position in the user's text of a position of esbuild.
func (u unit) located(l api.Location, inserted scripterror.Insertion) (line, column int) {
	return u.original(l.Line, units(l.LineText[:min(l.Column, len(l.LineText))])+1, inserted)
}

// original returns the position in the user's text of a position in the text that esbuild
// compiled. The end of the wrapper maps to the end of the user's text.
func (u unit) original(line, column int, inserted scripterror.Insertion) (int, int) {
	if last := scripterror.Lines(u.code); line > last {
		text, _ := scripterror.Line(u.code, last)
		return last, units(text) + 1
	}
	column, _ = inserted.Original(line, column)
	return line, column
}

// sortDiagnostics sorts diagnostics by position and keeps the first maxDiagnostics.
func sortDiagnostics(found []toolscript.Diagnostic) []toolscript.Diagnostic {
	slices.SortStableFunc(found, func(a, b toolscript.Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return found[:min(len(found), maxDiagnostics)]
}

// units returns the length of text in UTF-16 units.
func units(text string) int {
	n := 0
	for _, r := range text {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
