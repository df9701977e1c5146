package exec

import (
	"fmt"
	"io"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// result prints the value of the script, or the plan.
func (l *Live) result() error {
	switch {
	case l.end.Plan != nil:
		return l.plan(l.end.Plan)
	case len(l.end.Value) > 0:
		return l.values.Print(l.stdout, l.end.RunID, l.end.Value)
	}
	return nil
}

// plan prints the calls that a run with --plan did not make: one line for each, with the
// tool and its arguments as JSON.
func (l *Live) plan(calls []toolscript.PlannedCall) error {
	if len(calls) == 0 && l.end.End.OK {
		_, err := io.WriteString(l.stderr, "toolscript: the script called no tool that changes something\n")
		return err
	}
	var text strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&text, "%s %s\n", terminal.VisibleText(c.Tool), terminal.VisibleText(string(c.Args)))
	}
	_, err := io.WriteString(l.stdout, text.String())
	return err
}
