package execution

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution/recording"
	"github.com/toolscript/toolscript/runner"
)

// runOn runs a job, and keeps a recording of it if the request asks for that.
func (w *work) runOn(ctx context.Context, sandbox runner.Runner, job runner.Job, h host) (runner.Outcome, error) {
	if !w.request.Record {
		return sandbox.Run(ctx, job, h)
	}
	recorder := recording.New(w.request.Code, job, h)
	outcome, err := sandbox.Run(ctx, job, recorder)
	if err != nil {
		return outcome, err
	}
	if err := w.keep(recorder.Finish(outcome)); err != nil {
		w.warn("the run was not recorded: " + err.Error())
		return outcome, nil
	}
	w.events.emit(toolscript.Event{Type: toolscript.EventProgress, Message: "recorded; run it again offline with: toolscript runs replay " + w.id})
	return outcome, nil
}

func (w *work) keep(made recording.Recording) error {
	if w.deps.Record == nil {
		return errors.New("this gateway has no folder for recordings")
	}
	return w.deps.Record(made)
}
