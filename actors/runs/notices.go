package runs

import (
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// advice returns the notices of the compiler that apply to the run; nil for a saved script that is called with a
// parameter.
func (w *work) advice(outcome runner.Outcome) []string {
	if w.request.Parameter != nil {
		return nil
	}
	notices := slices.Clone(w.ran.Notices)
	if printed, _ := w.console.written(); w.ran.Unreturned != "" && printed == 0 && outcome.Err == nil && !outcome.Exited && outcome.Value == nil {
		notices = append(notices, w.ran.Unreturned)
	}
	return notices
}

// notify adds notices to the End and emits them as warnings: those about calls, those of the compiler, and those of
// the sandbox. The sandbox may be compromised, so their number and length are bounded. A run without an error also
// gets the notice about the calls that it has made.
func (w *work) notify(end *toolscript.End, outcome runner.Outcome) {
	notices := slices.Concat(w.calls.refusals(), w.advice(outcome), outcome.Notices)
	if made := end.MadeText(w.id); made != "" && end.Error == nil {
		notices = slices.Insert(notices, 0, made)
	}
	for _, text := range notices[:min(len(notices), maxNotices)] {
		text = cut(text)
		end.Notices = append(end.Notices, text)
		w.warn(text)
	}
}

// maxNotices bounds the notices of a run.
const maxNotices = 16

// warn sends a warning to the client.
func (w *work) warn(text string) {
	w.events.emit(toolscript.Event{Type: toolscript.EventProgress, Message: "warning: " + text})
}
