package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// end turns an outcome or an error into the End of the run.
func (w *work) end(outcome runner.Outcome, err error) toolscript.End {
	if err != nil {
		return failed(w.id, err, w.progress())
	}
	outcome.Value = w.calls.lastAnswers().asAnswered(outcome.Value)
	if n := int64(len(outcome.Value)); n > w.limits.ValueBytes {
		return w.end(runner.Outcome{Err: w.valueTooLarge(outcome.Value)}, nil)
	}
	if e := outcome.Err; e != nil {
		bound(e)
		w.tellWait(e)
		e.ScriptID = w.id
		if e.Metadata == nil {
			e.Metadata = map[string]any{}
		}
		maps.Copy(e.Metadata, w.progress())
		w.explain(e)
		return toolscript.End{Kind: e.Kind(), Error: e, ExitCode: 1}
	}
	if outcome.Exited {
		return toolscript.End{OK: outcome.ExitCode == 0, ExitCode: outcome.ExitCode}
	}
	return toolscript.End{OK: true, Value: outcome.Value}
}

// shortWait is the shortest wait for servers that an error mentions.
const shortWait = 100 * time.Millisecond

// tellWait changes the error of a time limit: it names the limit of the run instead of the shorter limit of the
// sandbox, and adds the wait for servers.
func (w *work) tellWait(e *toolscript.RunError) {
	if e.Message != scripterror.OutOfTime(w.limitsLeft()).Message {
		return
	}
	e.Message = scripterror.OutOfTime(w.limits).Message
	if w.waited >= shortWait {
		e.Message += fmt.Sprintf("; the wait for servers took %d ms", w.waited.Milliseconds())
	}
}

// valueTooLarge keeps a value above its limit in a file, because a part of a JSON
// value is of no use.
func (w *work) valueTooLarge(value []byte) *toolscript.RunError {
	handle := "read it with: " + toolscript.Command("output", w.id, "--value")
	if err := w.deps.Kept.Put(w.id, kept.Value, value); err != nil {
		handle = fmt.Sprintf("it is lost: %v", err)
	} else {
		w.kept.ValueBytes = int64(len(value))
	}
	e := toolscript.Fail(toolscript.LimitOutput, fmt.Sprintf(
		"the script's value is %d bytes of JSON, and the limit is %d: return less of it; %s", len(value), w.limits.ValueBytes, handle))
	e.Phase = toolscript.Finalizing
	return e
}

// progress returns the metadata of an error: the time and the numbers of calls so far.
func (w *work) progress() map[string]any {
	_, completed, pending := w.calls.counts()
	return map[string]any{"elapsedMs": ms(time.Since(w.startedAt)), "completedTools": completed, "pendingTools": pending}
}

func (w *work) measure() {
	w.metrics.DurationMs = ms(time.Since(w.startedAt))
	admitted, _, _ := w.calls.counts()
	w.metrics.ToolCalls = int(admitted)
	w.metrics.StdoutBytes, w.metrics.StderrBytes = w.console.written()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// warnDetached warns of calls, except tasks, that did not end although they were cancelled.
func (w *work) warnDetached(detached []toolscript.DetachedCall) {
	var stuck []string
	for _, d := range detached {
		if !d.Task {
			stuck = append(stuck, d.Tool)
		}
	}
	if len(stuck) > 0 {
		w.warn("the script has ended, but these calls have not: " + strings.Join(stuck, ", "))
	}
}

// unfinished adds the calls that the end of the script has cancelled to the End. The script of
// an answer then fails, because a model would take the partial result for the whole.
func (w *work) unfinished(end *toolscript.End) {
	end.Unfinished = w.calls.unfinishedWith(end.Detached)
	if len(end.Unfinished) == 0 {
		return
	}
	tools, first := toolscript.UnfinishedTools(end.Unfinished), end.Unfinished[0]
	switch {
	case end.Error == nil && w.dialect() && first.Run == "": // calls of saved scripts come last
		end.OK, end.ExitCode, end.Kind = false, 1, toolscript.Cancelled
		end.Error = &toolscript.RunError{
			Name: toolscript.DetachedPromise, Code: toolscript.Cancelled, Phase: toolscript.Finalizing, ScriptID: w.id,
			Message:  "the script ended before these calls, which were cancelled: " + tools + "; await every call, or begin it with tools.spawn and cancel it",
			ToolName: first.Tool, CallID: first.CallID, Metadata: w.progress(),
		}
	case end.Error != nil && end.Kind == toolscript.LimitTime:
		end.Error.Message += "; these calls had not ended: " + tools + toolscript.UnfinishedOutput(end.Unfinished)
	}
	if text := end.UnfinishedText(); text != "" {
		w.warn(text)
	}
}

// fail adds the phase to an error.
func (w *work) fail(phase toolscript.Phase, err error) error {
	return &toolscript.Error{Kind: toolscript.KindOf(err), Phase: phase, Err: err}
}

// classed gives err the kind of the end of ctx if err is the cause of ctx. A cause such as a
// signal has no kind of its own.
func classed(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, context.Cause(ctx)) {
		return err
	}
	return &toolscript.Error{Kind: toolscript.KindOf(toolscript.ContextError(ctx)), Err: err}
}

// failed returns the End of a run without an outcome.
func failed(id string, err error, metadata map[string]any) toolscript.End {
	if errors.Is(err, context.Canceled) {
		err = &toolscript.Error{Kind: toolscript.Cancelled, Err: err}
	}
	e := toolscript.RunErrorOf(err, id)
	e.Metadata = metadata
	code := 1
	if e.Code == toolscript.MissingTools {
		code = toolscript.ExitMissingTools
	}
	return toolscript.End{Kind: e.Code, ExitCode: code, Error: e}
}

const (
	maxAnswers = 3        // tools whose last answer is remembered
	maxLooked  = 64 << 10 // bytes of an answer whose properties are named
	maxNamed   = 8        // properties that are named
)

// lastAnswers has the last answer of each of the tools that answered last. They help to explain
// errors of the script, and keep the spelling of numbers.
type lastAnswers []lastAnswer

type lastAnswer struct {
	tool  string
	value json.RawMessage // for a large answer, only its first byte
}

// note records the answer of a tool and drops an older one. It copies value if raw, which may contain it, is too
// large to keep.
func (l *lastAnswers) note(tool string, value, raw json.RawMessage) {
	switch {
	case len(value) > maxLooked && !spelled(value):
		value = slices.Clone(value[:1])
	case len(raw) > maxLooked:
		value = slices.Clone(value)
	}
	kept := slices.DeleteFunc(*l, func(other lastAnswer) bool { return other.tool == tool })
	if len(kept) == maxAnswers {
		kept = slices.Delete(kept, 0, 1)
	}
	*l = append(kept, lastAnswer{tool, value})
}

// describe describes the answer for an error message.
func (a lastAnswer) describe() string {
	if len(a.value) == 0 {
		return "nothing"
	}
	switch a.value[0] {
	case '"':
		return "text"
	case '[':
		return "a list"
	case '{':
		var members map[string]json.RawMessage
		if json.Unmarshal(a.value, &members) != nil || len(members) == 0 {
			return "an object"
		}
		var names []string
		for name := range members {
			names = append(names, fmt.Sprintf("%.40q", name))
		}
		slices.Sort(names)
		if len(names) > maxNamed {
			names = append(names[:maxNamed], "…")
		}
		return "an object with " + strings.Join(names, ", ")
	}
	return "a plain value"
}

// explain adds a hint to the error of a script that looked for content blocks in an
// answer: the answers of tools are unwrapped.
func (w *work) explain(e *toolscript.RunError) {
	if e.Code != toolscript.Threw || e.Name != "TypeError" || !strings.Contains(e.Excerpt, ".content") {
		return
	}
	for _, a := range w.calls.lastAnswers() {
		e.Message += fmt.Sprintf("\n  the answer of %s is %s, unwrapped: use it as it is, without .content", a.tool, a.describe())
	}
}

// lastAnswers returns the answers noted last.
func (s *calls) lastAnswers() lastAnswers {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.answers)
}

const (
	// maxText bounds a text of an error, in bytes. A script can throw megabytes, and the
	// records of ended runs keep their errors.
	maxText = 64 << 10
	// maxMetadata bounds the members of the metadata of an error. The gateway sets up to
	// six.
	maxMetadata = 16
)

// bound truncates the parts of an error that the script, or compromised code in its process,
// may have set.
func bound(e *toolscript.RunError) {
	for _, text := range []*string{
		&e.Name, (*string)(&e.Code), &e.Message, (*string)(&e.Phase), &e.Server, &e.Tool, &e.ToolName, &e.CallID, &e.Stack, &e.Excerpt,
	} {
		*text = cut(*text)
	}
	if len(e.Metadata) > maxMetadata {
		clear(e.Metadata)
	}
	for key, value := range e.Metadata {
		switch value := value.(type) {
		case string:
			e.Metadata[key] = cut(value)
		case bool, int, int64, float64:
		default: // the gateway sets no lists or objects
			delete(e.Metadata, key)
		}
		if len(key) > maxText {
			delete(e.Metadata, key)
		}
	}
}

// cut truncates a text to maxText bytes and appends its length.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	return fmt.Sprintf("%s… [%d bytes in all]", texts.Cut(text, maxText), len(text))
}
