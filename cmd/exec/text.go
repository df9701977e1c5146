package exec

import (
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// DiagnosticText returns file:line:col: message, followed by the line and a caret.
func DiagnosticText(d *toolscript.Diagnostic) string {
	text := fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
	if d.Code != "" {
		text += " [" + d.Code + "]"
	}
	return withLines(text, d.Excerpt)
}

// ErrorText returns the text of a script's error: class, message, frames in the script, the
// line of the error, and the errors inside it.
func ErrorText(e *toolscript.RunError) string {
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + e.Message
	}
	return withLines(text, e.Stack, e.Excerpt, inner(e, "cause"), inner(e, "errors"), inner(e, "error"), inner(e, "suppressed"))
}

// made returns a line that says what a failed run has done, or "" if it has done nothing.
func (l *Live) made() string {
	made := l.end.MadeText(l.end.RunID)
	if made == "" {
		return ""
	}
	return "toolscript: " + terminal.VisibleText(l.complete(made)) + "\n"
}

// inner returns an error inside the script's error: its cause, or the list of errors that
// it collects.
func inner(e *toolscript.RunError, part string) string {
	text, _ := e.Metadata[part].(string)
	if text == "" {
		return ""
	}
	return "  [" + part + "]: " + strings.ReplaceAll(text, "\n", "\n  ")
}

// withLines appends blocks of lines to a text, and a newline. It makes control characters
// visible, because the text comes from scripts, tools and servers.
func withLines(text string, blocks ...string) string {
	for _, block := range blocks {
		if block = strings.TrimRight(block, "\n"); block != "" {
			text += "\n" + block
		}
	}
	return terminal.VisibleText(text) + "\n"
}

// ApprovalText says that a call waits for a person, and which command answers it.
func ApprovalText(a *toolscript.Approval) string {
	return terminal.Visible("toolscript: "+a.Tool+" waits for an approval; answer it with: "+toolscript.Command("approvals", "allow", a.ID)+" (or deny)") + "\n"
}
