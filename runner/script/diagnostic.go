package script

import (
	"cmp"
	"slices"
	"unicode/utf16"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// maxDiagnostics bounds the answer: a megabyte of imports would give thousands of
// diagnostics with an excerpt each.
const maxDiagnostics = 100

// maxMessage bounds the text of one message of the compiler, in bytes. It may quote names and literals
// from the script, and from the types of a hostile server.
const maxMessage = 8 << 10

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

// original returns the position in the user's text of a position in the text that the
// compiler read. The end of the wrapper maps to the end of the user's text.
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
