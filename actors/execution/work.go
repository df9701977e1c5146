package execution

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/execution/outputs"
	"github.com/toolscript/toolscript/runner"
)

// borrowTime bounds the wait for a free worker.
const borrowTime = 2 * time.Minute

// allBusy is why a run got no worker in all that time.
func allBusy(role string) error {
	return &toolscript.Error{Kind: toolscript.Busy, Err: fmt.Errorf("every %s process has been busy for %s; try again", role, borrowTime)}
}

// work is what the goroutine of one run does, from source to outcome.
type work struct {
	id         string
	capability string
	request    toolscript.ExecRequest
	limits     toolscript.Limits
	lowered    toolscript.Limits // see Effective
	mode       string            // what type errors do: one of toolscript.Checks
	deps       *Deps
	known      *known
	host       *host
	tell       func(any)
	enter      func(state string)
	start      time.Time
	metrics    toolscript.Metrics
	spent      runner.Effort // on compiling this text
	kept       toolscript.Kept
}

// do runs the script and says how it ended.
func (w *work) do(ctx context.Context) toolscript.End {
	w.host.events.emit(toolscript.Event{Type: toolscript.EventStart, RunID: w.id})
	if text := Lowered(w.lowered); text != "" {
		w.warn(text)
	}
	outcome, err := w.stages(ctx)
	end := w.end(outcome, classed(ctx, err))
	end.Lowered = w.lowered
	w.host.events.release() // what is left of the run waits for no client
	end.Detached = w.host.close(end.Error == nil || end.Kind == toolscript.Threw)
	w.tellDetached(end.Detached)
	if end.Error == nil {
		w.tellCut(w.host.cutOff())
	}
	w.kept.OutputBytes = w.host.out.close()
	if w.kept != (toolscript.Kept{}) {
		end.Kept = &w.kept
	}
	w.measure()
	end.Metrics = &w.metrics
	return end
}

// stages takes the script through its phases. The error is why it went no
// further; an outcome comes without one.
func (w *work) stages(ctx context.Context) (runner.Outcome, error) {
	if n := int64(len(w.request.Code)); n > w.limits.SourceBytes {
		return runner.Outcome{}, w.fail(toolscript.Parsing, &toolscript.Error{
			Kind: toolscript.TooLarge, Err: fmt.Errorf("the script has %d bytes; at most %d are allowed", n, w.limits.SourceBytes),
		})
	}
	w.enter("checking")
	compiled, err := w.compile(ctx)
	if err != nil {
		return runner.Outcome{}, err
	}
	w.enter("waiting")
	w.await(ctx, compiled.Uses)
	for _, warning := range strangers(w.request.Allow, w.deps.Names()) {
		w.warn(warning)
	}
	w.enter("checking")
	if err := w.check(ctx, compiled); err != nil || w.request.CheckOnly {
		return runner.Outcome{}, err
	}
	w.enter("running")
	return w.run(ctx, compiled)
}

// quietTime is how long a run waits for servers without saying so: most are
// there within it.
const quietTime = 300 * time.Millisecond

// await waits, bounded, for those servers that the script names and that are
// still connecting. A call to one that is then not there says why.
func (w *work) await(ctx context.Context, uses runner.Uses) {
	filter, names := w.named(uses)
	if !names || len(w.deps.Connecting(filter)) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.deps.ConnectTime)
	defer cancel()
	quietly, enough := context.WithTimeout(ctx, quietTime)
	w.deps.Await(quietly, filter)
	enough()
	if connecting := w.deps.Connecting(filter); len(connecting) > 0 {
		w.host.events.emit(toolscript.Event{
			Type: toolscript.EventProgress, Message: "waiting for " + strings.Join(connecting, ", ") + " to connect",
		})
		w.deps.Await(ctx, filter)
	}
}

// named are the servers that the script refers to.
func (w *work) named(uses runner.Uses) (toolscript.Filter, bool) {
	if uses.All && slices.ContainsFunc(w.request.Allow, asksAll) {
		return nil, true
	}
	if uses.All {
		return w.request.Allow, true // of no allow list it is every server
	}
	var f toolscript.Filter
	for _, s := range w.deps.Names().Servers {
		if slices.Contains(uses.Servers, s.Ident) {
			f = append(f, s.Server)
		}
	}
	return f, len(f) > 0
}

// asksAll reports whether an entry of the allow list is a member of tools by which
// any server can be asked.
func asksAll(entry string) bool { return strings.HasPrefix(entry, "$") }

// run runs the compiled script in a sandbox.
func (w *work) run(ctx context.Context, compiled runner.Compiled) (runner.Outcome, error) {
	borrowing, cancel := context.WithTimeoutCause(ctx, borrowTime, allBusy("sandbox"))
	defer cancel()
	lend := w.deps.Sandbox
	if w.request.Engine == toolscript.EngineDeno {
		lend = w.deps.Deno
	}
	sandbox, giveBack, err := lend(borrowing)
	if err != nil {
		return runner.Outcome{}, w.fail(toolscript.Executing, err)
	}
	broken := true
	defer func() { giveBack(broken) }()
	outcome, err := sandbox.Run(ctx, w.job(compiled), w.host)
	broken = err != nil
	w.metrics.RunMs, w.metrics.CPUMs = outcome.Metrics.RunMs, outcome.Metrics.CPUMs
	w.metrics.MemoryMB = float64(outcome.Metrics.MemoryBytes) / (1 << 20)
	if err != nil && outcome.Err == nil {
		return outcome, w.fail(toolscript.Executing, err)
	}
	return outcome, nil
}

func (w *work) job(compiled runner.Compiled) runner.Job {
	env := map[string]string{}
	if url := w.deps.URL(w.capability); url != "" {
		env["TOOLSCRIPT_GATEWAY_URL"] = url
	}
	limits := w.limits
	limits.ValueBytes = ceilings.ValueBytes // a longer value than the run's limit comes here to be kept
	return runner.Job{
		RunID: w.id, File: w.request.File, Compiled: compiled,
		Args: w.request.Args, Cwd: w.request.Cwd, Env: env, TZ: w.request.TZ, Stdin: w.request.Stdin,
		Limits: limits, Names: w.deps.Names(), Allow: w.request.Allow, Clock: w.host.clock,
	}
}

// tellDetached says which calls did not end when they were told to. That tasks go on
// is what they are for.
func (w *work) tellDetached(detached []toolscript.DetachedCall) {
	var stuck []string
	for _, d := range detached {
		if !d.Task {
			stuck = append(stuck, d.Tool)
		}
	}
	if len(stuck) > 0 {
		w.warn("still under way though the script has ended: " + strings.Join(stuck, ", "))
	}
}

// maxCut is how many tools tellCut names.
const maxCut = 10

// tellCut says which calls a script that ended by itself had not awaited. That may
// be meant, as of the losers of a race; else the script lacks an await.
func (w *work) tellCut(tools []string) {
	if len(tools) == 0 {
		return
	}
	more := ""
	if len(tools) > maxCut {
		more = fmt.Sprintf(" and %d more", len(tools)-maxCut)
	}
	w.warn("cancelled when the script ended, as it had not awaited them: " + strings.Join(tools[:min(len(tools), maxCut)], ", ") + more)
}

// warn tells whoever started the run.
func (w *work) warn(text string) {
	w.host.events.emit(toolscript.Event{Type: toolscript.EventProgress, Message: "warning: " + text})
}

// fail is err as the error of a run.
func (w *work) fail(phase toolscript.Phase, err error) error {
	return &failure{phase, err}
}

type failure struct {
	phase toolscript.Phase
	err   error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// classed is err with the kind that the end of ctx has, where that is what it tells. The
// cause, such as a signal, has none of its own.
func classed(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return &toolscript.Error{Kind: toolscript.KindOf(toolscript.ContextError(ctx)), Err: err}
}

// end is how the run ended, in the words of the contract.
func (w *work) end(outcome runner.Outcome, err error) toolscript.End {
	if err != nil {
		return failed(w.id, err, w.progress())
	}
	if n := int64(len(outcome.Value)); n > w.limits.ValueBytes {
		return w.end(runner.Outcome{Err: w.valueTooLarge(outcome.Value)}, nil)
	}
	if e := outcome.Err; e != nil {
		bound(e)
		e.ScriptID = w.id
		if e.Metadata == nil {
			e.Metadata = map[string]any{}
		}
		maps.Copy(e.Metadata, w.progress())
		return toolscript.End{Kind: e.Code, Error: e, ExitCode: 1}
	}
	if outcome.Exited {
		return toolscript.End{OK: outcome.ExitCode == 0, ExitCode: outcome.ExitCode}
	}
	return toolscript.End{OK: true, Value: outcome.Value}
}

// valueTooLarge keeps a value that is over its limit: it is never cut.
func (w *work) valueTooLarge(value []byte) *toolscript.RunError {
	handle := "read it with: toolscript output " + w.id + " --value"
	if err := w.deps.Kept.Put(w.id, outputs.Value, value); err != nil {
		handle = fmt.Sprintf("it is lost: %v", err)
	} else {
		w.kept.ValueBytes = int64(len(value))
	}
	e := toolscript.Fail(toolscript.LimitOutput, fmt.Sprintf(
		"the script's value is %d bytes of JSON and may be %d: return less of it; %s", len(value), w.limits.ValueBytes, handle))
	e.Phase = toolscript.Finalizing
	return e
}

// failed is the end of a run that never came to an outcome.
func failed(id string, err error, metadata map[string]any) toolscript.End {
	phase := toolscript.Executing
	var f *failure
	if errors.As(err, &f) {
		phase = f.phase
	}
	kind := toolscript.KindOf(err)
	if errors.Is(err, context.Canceled) {
		kind = toolscript.Cancelled
	}
	return toolscript.End{Kind: kind, ExitCode: 1, Error: &toolscript.RunError{
		Name: kind.ClassName(), Code: kind, Message: err.Error(), Phase: phase, ScriptID: id, Metadata: metadata,
	}}
}

// progress is what was done so far, for the metadata of an error.
func (w *work) progress() map[string]any {
	_, completed, pending := w.host.counts()
	return map[string]any{"elapsedMs": ms(time.Since(w.start)), "completedTools": completed, "pendingTools": pending}
}

func (w *work) measure() {
	w.metrics.DurationMs = ms(time.Since(w.start))
	admitted, _, _ := w.host.counts()
	w.metrics.ToolCalls = int(admitted)
	w.metrics.StdoutBytes, w.metrics.StderrBytes = w.host.out.written()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
