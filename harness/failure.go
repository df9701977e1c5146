package harness

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
)

// ScriptError is the error of a script that has failed or was not run.
type ScriptError struct {
	Code     string          `json:"code"` // error class: ScriptTimeoutError, ScriptParseError, TypeError, …
	Message  string          `json:"message"`
	Kind     toolscript.Kind `json:"kind"`
	Phase    string          `json:"phase"` // parsing, executing or finalizing
	ScriptID string          `json:"scriptId"`
	ToolName string          `json:"toolName,omitempty"` // tool id, for an error of a call
	Sent     toolscript.Sent `json:"sent,omitempty"`     // for an error of a call: whether the server got the call
	CallID   string          `json:"callId,omitempty"`
	Stack    string          `json:"stack,omitempty"` // stack trace with positions in the message: <tool-calls>:15:3
	Metadata map[string]any  `json:"metadata,omitempty"`

	// Findings lists all mistakes that keep the script from running.
	Findings []toolscript.Diagnostic `json:"findings,omitempty"`
}

// file is the name of a script in error messages.
const file = "<tool-calls>"

// Error classes of the harness.
const (
	parseError = "ScriptParseError"
	sizeError  = "ScriptSizeError"
)

// ending is how a run has ended.
type ending struct {
	kind  toolscript.Kind
	phase toolscript.Phase
}

// classes are the error classes of the harness that differ from those of a run.
var classes = map[ending]string{
	{toolscript.TooLarge, toolscript.Parsing}:       sizeError,
	{toolscript.LimitOutput, toolscript.Finalizing}: sizeError,
	{toolscript.CheckFailed, toolscript.Parsing}:    parseError,
}

// scriptError converts the error of a run. start is the position of the code in its message.
func scriptError(e *toolscript.RunError, kind toolscript.Kind, scriptID string, start answer.Position) *ScriptError {
	out := &ScriptError{
		Code: e.Name, Message: inMessage(withoutOptions(e.Message), start), Kind: kind, Phase: string(e.Phase), ScriptID: scriptID,
		ToolName: e.ToolName, Sent: e.Sent, CallID: e.CallID, Stack: inMessage(e.Stack, start), Metadata: e.Metadata,
	}
	if e.Phase == toolscript.Checking {
		out.Phase = string(toolscript.Parsing)
	}
	if class, own := classes[ending{kind, e.Phase}]; own {
		out.Code = class
	}
	return out
}

// unreadable returns the error of a script that cannot be read because of a problem at a position.
func unreadable(scriptID string, at answer.Position, problem string) *ScriptError {
	return &ScriptError{
		Code: parseError, Message: fmt.Sprintf("%s:%s: %s", file, at, problem),
		Kind: toolscript.CheckFailed, Phase: string(toolscript.Parsing), ScriptID: scriptID,
	}
}

// option matches advice about options of toolscript exec. Scripts in answers cannot raise
// their limits, so withoutOptions removes it.
var option = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(; allow more with|, or raise) --[a-z-]+`) })

func withoutOptions(message string) string { return option().ReplaceAllString(message, "") }

// place matches positions in scripts in the text of an error.
var place = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(regexp.QuoteMeta(file) + `:(\d{1,9}):(\d{1,9})`) })

// inMessage converts positions in a script that begins at start to positions in its message.
func inMessage(text string, start answer.Position) string {
	if !strings.Contains(text, file) {
		return text
	}
	return place().ReplaceAllStringFunc(text, func(match string) string {
		parts := strings.Split(match, ":")
		line, _ := strconv.Atoi(parts[1]) // digits
		column, _ := strconv.Atoi(parts[2])
		line, column = moved(line, column, start)
		return fmt.Sprintf("%s:%d:%d", file, line, column)
	})
}

// moved converts a position in a script to the position in its message.
func moved(line, column int, start answer.Position) (int, int) {
	if line == 1 {
		column += start.Column - 1
	}
	return line + start.Line - 1, column
}

// finding converts the positions in a diagnostic to positions in the message.
func finding(d toolscript.Diagnostic, start answer.Position) toolscript.Diagnostic {
	d.Line, d.Column = moved(d.Line, d.Column, start)
	d.Message = inMessage(d.Message, start)
	return d
}
