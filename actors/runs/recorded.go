package runs

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/runner"
)

// recorded is a sandbox that keeps a recording of a run.
type recorded struct {
	runner.Runner
	work *work
}

// Run runs a job. If the recording cannot be kept, the run gets a warning.
func (r recorded) Run(ctx context.Context, job runner.Job, h runner.Host) (runner.Outcome, error) {
	w := r.work
	recorder := kept.NewRecorder(w.source(), job, h)
	outcome, err := r.Runner.Run(ctx, job, recorder)
	if err != nil {
		return outcome, err
	}
	if failed := w.keep(recorder.Finish(outcome)); failed != nil {
		w.warn("the run was not recorded: " + failed.Error())
	} else {
		w.events.emit(toolscript.Event{Type: toolscript.EventProgress, Message: "recorded; run it again offline with: " + toolscript.Command("runs", "replay", w.id)})
	}
	return outcome, nil
}

func (w *work) keep(made kept.Recording) error {
	if w.deps.Record == nil {
		return errors.New("this gateway has no folder for recordings")
	}
	return w.deps.Record(made)
}
