package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// events handles the events of a run, in order and one at a time. An error of event ends
// the run, for example when the output is closed.
type events interface {
	event(toolscript.Event) error
	// still is called before something else uses the terminal: a question to the user,
	// or a script that reads standard input.
	still()
	// finish is called once, after the last event. failed is the reason if the run did
	// not complete. The error is that of the command.
	finish(failed error) error
}

// errNoEnd is the error of a run without an end event.
var errNoEnd = errors.New("the gateway stopped answering before the script had ended")

// live prints console output as it arrives, and the value at the end.
type live struct {
	stdout, stderr io.Writer
	out            string // file for the value; "" is stdout
	keep           keep
	shape          shape
	notice         *terminal.Notice
	runID          string
	end            *toolscript.End
}

func (l *live) event(e toolscript.Event) (err error) {
	if l.noticed(e) {
		return nil
	}
	l.notice.Hide()
	switch e.Type {
	case toolscript.EventStdout:
		_, err = io.WriteString(l.stdout, e.Data)
	case toolscript.EventStderr:
		_, err = io.WriteString(l.stderr, e.Data)
	case toolscript.EventProgress:
		_, err = fmt.Fprintf(l.stderr, "toolscript: %s\n", terminal.VisibleText(e.Message))
	case toolscript.EventDiagnostic:
		_, err = io.WriteString(l.stderr, diagnosticText(e.Diagnostic))
	case toolscript.EventEnd:
		l.end, l.runID = e.End, e.RunID
	default: // the record of the run has the calls
	}
	return err
}

func (l *live) finish(failed error) error {
	l.notice.End()
	for _, stream := range []io.Writer{l.stdout, l.stderr} {
		if held, ok := stream.(*terminal.Filtered); ok {
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
	if l.end.Error != nil && l.end.Kind != toolscript.CheckFailed { // its diagnostics are printed already
		if _, err := io.WriteString(l.stderr, runErrorText(l.end.Error)); err != nil {
			return err
		}
	}
	if err := l.result(); err != nil {
		return err
	}
	return exitOf(l.end)
}

// value prints the script's value, which is compact JSON, and a newline.
func (l *live) value(value json.RawMessage) error {
	if l.out == "" {
		text, _ := l.shape.printed(l.runID, value)
		_, err := l.stdout.Write(append(text, '\n'))
		return err
	}
	data, err := fileOf(value, "", false)
	if err == nil {
		err = os.WriteFile(l.out, data, 0o600)
	}
	if err != nil {
		return l.keep(l.runID, append(value, '\n'), err)
	}
	return nil
}

// keep stores a value that cannot be written to its file. The error has the reason and
// the command that prints the value.
type keep func(runID string, value []byte, why error) error

// captured prints only the end event, with the output in it.
type captured struct {
	to             io.Writer
	out            string // file for the value as well; "" is none
	keep           keep
	shape          shape
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
	default: // the record of the run has the calls
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
	cut := c.cut()
	if err := writeJSON(c.to, struct {
		toolscript.Event
		ValueCut    *cutValue               `json:"valueCut,omitempty"`
		Stdout      string                  `json:"stdout"`
		Stderr      string                  `json:"stderr"`
		Diagnostics []toolscript.Diagnostic `json:"diagnostics,omitempty"`
	}{*c.end, cut, c.stdout.String(), c.stderr.String(), c.diagnostics}); err != nil {
		return err
	}
	return cmp.Or(unwritten, exitOf(c.end.End))
}

// cut shortens the value to the length that is printed; it returns nil if the value is
// complete.
func (c *captured) cut() (cut *cutValue) {
	if len(c.end.Value) == 0 {
		return nil
	}
	end := *c.end.End
	end.Value, cut = c.shape.printed(c.end.RunID, end.Value)
	c.end.End = &end
	return cut
}

// failedEnd is the end event of a run that did not begin or was lost: with --json there
// is always an end with a kind.
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

// exitOf is nil after a successful run, else an error with the exit code.
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

// diagnosticText is file:line:col: message, followed by the line and a caret.
func diagnosticText(d *toolscript.Diagnostic) string {
	text := fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message)
	if d.Code != "" {
		text += " [" + d.Code + "]"
	}
	return withLines(text, d.Excerpt)
}

// runErrorText is the error of a script: class, message, frames in the script, the line
// of the error, and the errors inside it.
func runErrorText(e *toolscript.RunError) string {
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + e.Message
	}
	return withLines(text, e.Stack, e.Excerpt, inner(e, "cause"), inner(e, "errors"))
}

// inner is an error inside the script's error: its cause, or the list of errors that it
// collects.
func inner(e *toolscript.RunError, part string) string {
	text, _ := e.Metadata[part].(string)
	if text == "" {
		return ""
	}
	return "  [" + part + "]: " + strings.ReplaceAll(text, "\n", "\n  ")
}

// withLines appends blocks of lines to a text, and a newline. The text comes from
// scripts, tools and servers, so it may contain control characters.
func withLines(text string, blocks ...string) string {
	for _, block := range blocks {
		if block = strings.TrimRight(block, "\n"); block != "" {
			text += "\n" + block
		}
	}
	return terminal.VisibleText(text) + "\n"
}

func (l *live) still() {
	l.notice.End()
	l.notice = nil // the terminal is no longer ours
}

func (c *captured) still() {}

func (f *findings) still() {}

// noticed shows on the terminal that the run is waiting. It reports whether the event
// has no other effect.
func (l *live) noticed(e toolscript.Event) bool {
	switch e.Type {
	case toolscript.EventCall:
		l.notice.Show("waiting for " + e.Tool)
		return true
	case toolscript.EventCallEnd:
		l.notice.Show("running")
		return true
	case toolscript.EventProgress:
		if e.Tool != "" {
			l.notice.Show(e.Tool + ": " + e.Message)
			return true
		}
		if l.notice.Shown() && strings.HasPrefix(e.Message, "waiting for ") {
			l.notice.Show(e.Message)
			return true
		}
	default: // the other events are output, or end the run
	}
	return false
}
