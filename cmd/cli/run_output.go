package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/toolscript/toolscript"
)

// events takes what happens in a run, in order and one at a time. The error of
// event says that nobody can be told any more and ends the run.
type events interface {
	event(toolscript.Event) error
	// finish is called once, when no further event comes, with the reason why
	// the run did not come to its own end, if it did not. Its error is the command's.
	finish(failed error) error
}

// errNoEnd says that a run's events stopped before the end event.
var errNoEnd = errors.New("the gateway stopped answering before the script had ended")

// live passes console output on as it comes and prints the value at the end.
type live struct {
	stdout, stderr io.Writer
	out            string // file for the value; "" is stdout
	keep           keep
	runID          string
	end            *toolscript.End
}

func (l *live) event(e toolscript.Event) (err error) {
	switch e.Type {
	case toolscript.EventStdout:
		_, err = io.WriteString(l.stdout, e.Data)
	case toolscript.EventStderr:
		_, err = io.WriteString(l.stderr, e.Data)
	case toolscript.EventProgress:
		_, err = fmt.Fprintf(l.stderr, "toolscript: %s\n", visibleText(e.Message))
	case toolscript.EventDiagnostic:
		_, err = io.WriteString(l.stderr, diagnosticText(e.Diagnostic))
	case toolscript.EventEnd:
		l.end, l.runID = e.End, e.RunID
	default: // calls are in the record of the run
	}
	return err
}

func (l *live) finish(failed error) error {
	for _, stream := range []io.Writer{l.stdout, l.stderr} {
		if held, ok := stream.(*harmless); ok {
			if err := held.Close(); err != nil {
				return err
			}
		}
	}
	if failed != nil {
		return failed
	}
	if l.end == nil {
		return errNoEnd
	}
	if l.end.Error != nil && l.end.Kind != toolscript.CheckFailed { // its diagnostics have been printed
		if _, err := io.WriteString(l.stderr, runErrorText(l.end.Error)); err != nil {
			return err
		}
	}
	if len(l.end.Value) > 0 {
		if err := l.value(l.end.Value); err != nil {
			return err
		}
	}
	return exitOf(l.end)
}

// value writes the script's value as compact JSON and a newline.
func (l *live) value(value json.RawMessage) error {
	var line bytes.Buffer
	if err := json.Compact(&line, value); err != nil {
		return fmt.Errorf("the script's value is no JSON: %w", err)
	}
	line.WriteByte('\n')
	if l.out == "" {
		_, err := l.stdout.Write(line.Bytes())
		return err
	}
	if err := os.WriteFile(l.out, line.Bytes(), 0o600); err != nil {
		return l.keep(l.runID, line.Bytes(), err)
	}
	return nil
}

// keep saves a value that cannot be written where it was wanted; its error says
// why that was, and where the value is.
type keep func(runID string, value []byte, why error) error

// captured prints nothing but the end event, with the output inside it.
type captured struct {
	to             io.Writer
	out            string // file for the value as well; "" is none
	keep           keep
	stdout, stderr strings.Builder
	diagnostics    []toolscript.Diagnostic
	end            *toolscript.Event
}

func (c *captured) event(e toolscript.Event) error {
	switch e.Type {
	case toolscript.EventStdout:
		c.stdout.WriteString(e.Data)
	case toolscript.EventStderr:
		c.stderr.WriteString(e.Data)
	case toolscript.EventDiagnostic:
		c.diagnostics = append(c.diagnostics, *e.Diagnostic)
	case toolscript.EventEnd:
		c.end = &e
	default: // calls are in the record of the run
	}
	return nil
}

func (c *captured) finish(failed error) error {
	if c.end == nil {
		c.end = failedEnd(failed)
	}
	var unwritten error
	if c.out != "" && len(c.end.Value) > 0 {
		unwritten = (&live{out: c.out, keep: c.keep, runID: c.end.RunID}).value(c.end.Value)
	}
	if err := writeJSON(c.to, struct {
		toolscript.Event
		Stdout      string                  `json:"stdout"`
		Stderr      string                  `json:"stderr"`
		Diagnostics []toolscript.Diagnostic `json:"diagnostics,omitempty"`
	}{*c.end, c.stdout.String(), c.stderr.String(), c.diagnostics}); err != nil {
		return err
	}
	return cmp.Or(unwritten, exitOf(c.end.End))
}

// failedEnd stands for the end of a run that never began or was lost, so that
// who reads JSON always gets an end with a kind.
func failedEnd(err error) *toolscript.Event {
	if err == nil {
		err = errNoEnd
	}
	kind := toolscript.KindOf(err)
	end := toolscript.EndEvent("", toolscript.End{Kind: kind, ExitCode: exitFailure, Error: &toolscript.RunError{
		Name: "ScriptError", Code: kind, Message: err.Error(), Phase: toolscript.Executing,
	}})
	return &end
}

// exitOf is nil for a run that ended well, else the code it ends with.
func exitOf(end *toolscript.End) error {
	switch {
	case end.ExitCode != 0:
		return &exitError{end.ExitCode}
	case !end.OK:
		return &exitError{exitFailure}
	default:
		return nil
	}
}

// diagnosticText is file:line:col: message, then the line and a caret.
func diagnosticText(d *toolscript.Diagnostic) string {
	text := fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
	if d.Code != "" {
		text += " [" + d.Code + "]"
	}
	return withLines(text, d.Excerpt)
}

// runErrorText is the error as the script's author knows it: class, message,
// frames of the script's own lines, the line it came from, and the errors inside.
func runErrorText(e *toolscript.RunError) string {
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + e.Message
	}
	return withLines(text, e.Stack, e.Excerpt, inner(e, "cause"), inner(e, "errors"))
}

// inner is what the script put into its error: what caused it, or the errors that
// it gathers.
func inner(e *toolscript.RunError, part string) string {
	text, _ := e.Metadata[part].(string)
	if text == "" {
		return ""
	}
	return "  [" + part + "]: " + strings.ReplaceAll(text, "\n", "\n  ")
}

// withLines puts further blocks of lines below a text and ends it with a newline.
// All of it was written by others: a script, a tool, a server.
func withLines(text string, blocks ...string) string {
	for _, block := range blocks {
		if block = strings.TrimRight(block, "\n"); block != "" {
			text += "\n" + block
		}
	}
	return visibleText(text) + "\n"
}
