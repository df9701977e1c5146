package exec

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/toolscript/toolscript"
)

// Signed is an Output for a script that is described and not run. It prints the findings
// and keeps the description.
type Signed struct {
	Stderr      io.Writer
	Description json.RawMessage // value of the run; set by Finish if it returns nil

	end *toolscript.End
}

// Event implements Output.
func (s *Signed) Event(e toolscript.Event) (err error) {
	switch e.Type {
	case toolscript.EventDiagnostic:
		_, err = io.WriteString(s.Stderr, DiagnosticText(e.Diagnostic))
	case toolscript.EventEnd:
		s.end = e.End
	default: // other events are ignored: nothing waits for the server of such a script, which may be slow
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
	case s.end.Error != nil && !s.end.Error.Diagnosed():
		return errors.New(s.end.Error.Message)
	}
	if err := exitOf(s.end); err != nil {
		return err
	}
	s.Description = s.end.Value
	return nil
}
