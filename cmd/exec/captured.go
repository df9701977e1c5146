package exec

import (
	"cmp"
	"io"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Captured is an Output that prints one object at the end of the run: the end event, with the output in it.
type Captured struct {
	to             io.Writer
	values         terminal.ValuePrinter
	stdout, stderr strings.Builder
	diagnostics    []toolscript.Diagnostic
	end            *toolscript.Event
}

// NewCaptured returns a Captured that writes JSON, with the value shortened by p.
func NewCaptured(to io.Writer, p terminal.ValuePrinter) *Captured {
	return &Captured{to: to, values: p}
}

// Event implements Output.
func (c *Captured) Event(e toolscript.Event) error {
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

// Still implements Output.
func (c *Captured) Still() {}

// Finish implements Output.
func (c *Captured) Finish(failed error) error {
	if c.end == nil {
		c.end = failedEnd(failed)
	}
	object := struct {
		toolscript.Event
		ValueCut    *terminal.ValuePart     `json:"valueCut,omitempty"`
		Stdout      string                  `json:"stdout"`
		Stderr      string                  `json:"stderr"`
		Diagnostics []toolscript.Diagnostic `json:"diagnostics,omitempty"`
	}{*c.end, nil, c.stdout.String(), c.stderr.String(), c.diagnostics}
	var unwritten error
	if end := *c.end.End; len(end.Value) > 0 {
		if c.values.File != "" {
			unwritten = c.values.WriteFile(c.end.RunID, end.Value)
		}
		var files error
		end.Value, object.ValueCut, files = c.values.Text(c.end.RunID, end.Value)
		unwritten = cmp.Or(unwritten, files)
		object.End = &end
	}
	if err := terminal.WriteJSON(c.to, object); err != nil {
		return err
	}
	return cmp.Or(unwritten, exitOf(c.end.End))
}

// SoFar prints the output so far of a run in progress.
func (c *Captured) SoFar(runID string) error {
	return terminal.WriteJSON(c.to, Unfinished{RunID: runID, Running: true, Stdout: c.stdout.String(), Stderr: c.stderr.String()})
}

// Unfinished is the JSON output about a run in progress.
type Unfinished struct {
	RunID   string `json:"runId"`
	Running bool   `json:"running"` // always true
	Stdout  string `json:"stdout"`
	Stderr  string `json:"stderr"`
}

// failedEnd returns the end event of a run that did not begin or was lost, because --json
// always prints an end with a kind.
func failedEnd(err error) *toolscript.Event {
	err = cmp.Or(err, errNoEnd)
	e := toolscript.RunErrorOf(err, "")
	e.Name, e.Phase = "ScriptError", toolscript.Executing
	end := toolscript.EndEvent("", toolscript.End{Kind: e.Code, ExitCode: app.Failure, Error: e})
	return &end
}
