package execution

import (
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// advice are the notices of the compiler that apply to the run. A function with a parameter is
// a saved script.
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

// notify gives the end the notices about calls, of the compiler and of the sandbox, which may be attacked
// code. The run does not wait for its client any more: the output may. A run that ended by
// exit has no error whose text says what it did.
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
