package exec

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Live is an Output that prints console output as it arrives, and the value at the end.
type Live struct {
	stdout, stderr io.WriteCloser
	values         terminal.ValuePrinter
	notice         *terminal.Notice
	end            *toolscript.Event
	complete       func(text string) string // completes the commands in a message
}

// NewLive returns a Live that prints values with p, and the reasons of waits with n.
// complete completes the commands in messages.
func NewLive(stdout, stderr io.Writer, p terminal.ValuePrinter, n *terminal.Notice, complete func(text string) string) *Live {
	n.Show("running")
	return &Live{stdout: terminal.Filter(stdout), stderr: terminal.Filter(stderr), values: p, notice: n, complete: complete}
}

// Event implements Output.
func (l *Live) Event(e toolscript.Event) (err error) {
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
	case toolscript.EventApproval:
		_, err = io.WriteString(l.stderr, l.complete(ApprovalText(e.Approval)))
	case toolscript.EventDiagnostic:
		_, err = io.WriteString(l.stderr, DiagnosticText(e.Diagnostic))
	case toolscript.EventEnd:
		l.end = &e
	default: // the record of the run has the calls
	}
	return err
}

// noticed shows on the terminal why the run is waiting. It reports whether nothing else is
// to be done for the event.
func (l *Live) noticed(e toolscript.Event) bool {
	text := ""
	switch e.Type {
	case toolscript.EventCall:
		text = "waiting for " + e.Tool
	case toolscript.EventCallEnd:
		text = "running"
	case toolscript.EventProgress:
		if e.Tool != "" {
			text = e.Tool + ": " + e.Message
		} else if l.notice.Shown() && strings.HasPrefix(e.Message, "waiting for ") {
			text = e.Message
		}
	default: // the other events are output, or end the run
	}
	if text != "" {
		l.notice.Show(text)
	}
	return text != ""
}

// Still implements Output. The terminal shows no notices after that.
func (l *Live) Still() {
	l.notice.End()
	l.notice = nil
}

// Finish implements Output.
func (l *Live) Finish(failed error) error {
	l.notice.End()
	switch err := errors.Join(l.stdout.Close(), l.stderr.Close()); {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case l.end == nil:
		return errNoEnd
	}
	end := l.end.End
	if end.Error != nil && !end.Error.Diagnosed() { // the diagnostics have been printed
		if _, err := io.WriteString(l.stderr, ErrorText(end.Error)+l.made()); err != nil {
			return err
		}
	}
	if err := l.result(); err != nil {
		return err
	}
	return exitOf(end)
}
