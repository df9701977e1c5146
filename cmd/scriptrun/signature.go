package scriptrun

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/toolscript/toolscript"
)

// Signed prints the findings about a script that is described and not run, and keeps the
// description.
type Signed struct {
	Stderr      io.Writer
	Description json.RawMessage // the value of the run, after Finish without an error

	end *toolscript.End
}

// Event implements Output.
func (s *Signed) Event(e toolscript.Event) (err error) {
	switch e.Type {
	case toolscript.EventDiagnostic:
		_, err = io.WriteString(s.Stderr, DiagnosticText(e.Diagnostic))
	case toolscript.EventEnd:
		s.end = e.End
	default: // the server of a script that is only described may be slow; nothing waits for it
	}
	return err
}

// Still implements Output.
func (s *Signed) Still() {}

// Finish implements Output.
func (s *Signed) Finish(failed error) error {
	switch {
	case failed != nil:
		return failed
	case s.end == nil:
		return errNoEnd
	case s.end.Error != nil && s.end.Kind != toolscript.CheckFailed:
		return errors.New(s.end.Error.Message)
	}
	if err := exitOf(s.end); err != nil {
		return err
	}
	s.Description = s.end.Value
	return nil
}
