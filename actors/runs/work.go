package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// work takes the script of one run through its stages, from the source to the
// outcome. Only the goroutine of the run touches it.
type work struct {
	*parts
	enter func(state string) // reports a new stage

	waited    time.Duration // time spent waiting for servers
	metrics   toolscript.Metrics
	spent     runner.Usage // resources spent on compiling
	facts     *toolscript.ScriptFacts
	ran       runner.Compiled // the script that a sandbox got
	signature []byte          // JSON of the signature, if ExecRequest.Signature asks for it
	kept      toolscript.Kept
}

// host is the gateway as the sandbox sees it.
type host struct {
	*calls   // Begin
	*console // Write
	*stdin   // ReadStdin
}

var _ runner.Host = host{}

// do runs the script and returns how it ended.
func (w *work) do(ctx context.Context) toolscript.End {
	w.events.emit(toolscript.Event{Type: toolscript.EventStart, RunID: w.id})
	if text := Lowered(w.lowered); text != "" {
		w.warn(text)
	}
	outcome, err := w.stages(ctx)
	end := w.end(outcome, classed(ctx, err))
	end.Lowered, end.Plan, end.Script = w.lowered, w.calls.plan.calls(), w.facts
	w.events.release() // the run does not wait for the client any more
	end.Detached = w.calls.scriptEnded(end.Error == nil || end.Kind == toolscript.Threw)
	w.warnDetached(end.Detached)
	w.warnDropped()
	w.unfinished(&end)
	if !end.OK {
		end.Make(w.calls.snapshot())
	}
	w.notify(&end, outcome)
	if end.Error == nil && !outcome.Exited {
		w.remember(end.Value)
	}
	w.kept.OutputBytes = w.console.close()
	if w.kept != (toolscript.Kept{}) {
		end.Kept = &w.kept
	}
	w.measure()
	end.Metrics = &w.metrics
	return end
}

// stages returns the outcome of the script, or the error that prevented it from running.
func (w *work) stages(ctx context.Context) (runner.Outcome, error) {
	if n := w.sourceBytes(); n > w.limits.SourceBytes {
		return runner.Outcome{}, w.fail(toolscript.Parsing, &toolscript.Error{
			Kind: toolscript.TooLarge, Err: fmt.Errorf("the script has %d bytes; at most %d are allowed", n, w.limits.SourceBytes),
		})
	}
	w.enter("checking")
	compiled, err := w.compile(ctx)
	if err != nil {
		return runner.Outcome{}, err
	}
	if err := w.awaitTypes(ctx, compiled.Uses); err != nil {
		return runner.Outcome{}, err
	}
	w.enter("checking")
	if err := w.check(ctx, compiled); err != nil || w.request.CheckOnly {
		return runner.Outcome{Value: w.signature}, err
	}
	if err := w.await(ctx, w.usedAndKnown(compiled.Uses)); err != nil {
		return runner.Outcome{}, err
	}
	w.enter("running")
	outcome, err := w.run(ctx, compiled)
	for tried := 1; tried < maxSandboxes && errors.Is(err, runner.ErrNotBegun); tried++ {
		outcome, err = w.run(ctx, compiled)
	}
	return outcome, err
}

// run runs the compiled script in a sandbox.
func (w *work) run(ctx context.Context, compiled runner.Compiled) (runner.Outcome, error) {
	borrowing, cancel := context.WithTimeoutCause(ctx, borrowTime, allBusy("sandbox"))
	defer cancel()
	sandbox, giveBack, err := w.lend(borrowing, &compiled)
	if err != nil {
		return runner.Outcome{}, w.fail(toolscript.Executing, err)
	}
	broken := true
	defer func() { giveBack(broken) }()
	if w.request.Record {
		sandbox = recorded{sandbox, w}
	}
	w.calls.scriptBegins(w.waited)
	w.ran = compiled
	outcome, err := sandbox.Run(ctx, w.job(compiled), host{w.calls, w.console, w.stdin})
	broken = err != nil
	w.metrics.RunMs, w.metrics.CPUMs = outcome.Metrics.RunMs, outcome.Metrics.CPUMs
	w.metrics.MemoryMB = float64(outcome.Metrics.MemoryBytes) / (1 << 20)
	if err != nil && (outcome.Err == nil || w.deps.stopping()) {
		return outcome, w.fail(toolscript.Executing, w.deps.lost(err))
	}
	return outcome, nil
}
