package exec

import (
	"errors"
	"fmt"
	"io"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Findings is an Output that prints the diagnostics of a script that is only checked.
type Findings struct {
	Stdout, Stderr io.Writer
	Form           terminal.Form
	File           string // file that is checked

	found []toolscript.Diagnostic
	end   *toolscript.End
}

// Event implements Output.
func (f *Findings) Event(e toolscript.Event) (err error) {
	switch e.Type {
	case toolscript.EventProgress:
		_, err = fmt.Fprintf(f.Stderr, "toolscript: %s\n", terminal.VisibleText(e.Message))
	case toolscript.EventDiagnostic:
		f.found = append(f.found, *e.Diagnostic)
	case toolscript.EventEnd:
		f.end = e.End
	default: // a script that is only checked has no other events
	}
	return err
}

// Still implements Output.
func (f *Findings) Still() {}

// Finish prints the findings. If the script could not be checked, it returns that as an
// error of the command.
func (f *Findings) Finish(failed error) error {
	switch {
	case failed != nil:
		return failed
	case f.end == nil:
		return errNoEnd
	case f.end.Error != nil && len(f.found) == 0:
		return errors.New(f.end.Error.Message)
	}
	if err := f.print(); err != nil {
		return err
	}
	return exitOf(f.end)
}

func (f *Findings) print() error {
	if f.Form.Structured() {
		return f.Form.Write(f.Stdout, struct {
			File        string                  `json:"file"`
			OK          bool                    `json:"ok"`
			Diagnostics []toolscript.Diagnostic `json:"diagnostics"`
		}{f.File, f.end.OK, append([]toolscript.Diagnostic{}, f.found...)})
	}
	for _, d := range f.found {
		if _, err := io.WriteString(f.Stdout, DiagnosticText(&d)); err != nil {
			return err
		}
	}
	return nil
}
