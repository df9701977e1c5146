package script

import (
	"strings"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/scripterror"
)

const (
	wrapperStart = ";export default await (async () => {"
	wrapperEnd   = "\n})()" // on its own line, because the user's last line may be a comment
)

// wrap makes the value of a top-level return the default export: the text after the head
// becomes the body of an async function. Namespaces are part of the head, because functions
// cannot contain them. wrap inserts text in only one line, so line numbers, and columns in
// other lines, stay the same.
func (u unit) wrap(s shim.Syntax, imports string) (string, scripterror.Insertion, []toolscript.Diagnostic) {
	var errs []toolscript.Diagnostic
	for _, m := range s.Misplaced[:min(len(s.Misplaced), maxDiagnostics)] {
		message := "in a script with a top-level return all imports come before the first statement"
		if m.Export {
			message = "a script with a top-level return has no exports: return the value instead"
		}
		errs = append(errs, u.at(m.Offset, codeSyntax, message))
	}
	if len(errs) > 0 {
		return "", scripterror.Insertion{}, errs
	}
	text, inserted := u.insert(s.HeadEnd, imports+wrapperStart)
	return text + wrapperEnd, inserted, nil
}

func (u unit) insert(offset int, text string) (string, scripterror.Insertion) {
	before := u.code[:offset]
	line := scripterror.Lines(before)
	start, _ := scripterror.Line(before, line)
	inserted := scripterror.Insertion{Line: line, Column: units(start) + 1, Length: len(text)}
	return before + text + u.code[offset:], inserted
}

// importOf returns a statement of one line that imports names from the module. It begins with
// a semicolon, because the import before it may end without one.
func importOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ";import{" + strings.Join(names, ",") + `}from"` + module + `";`
}
