package runs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

// The kinds of a Divergence.
const (
	OtherTool      = "tool"      // a call of another tool
	OtherArguments = "arguments" // a call of the same tool with other arguments
	ExtraCall      = "extra"     // a call after the last recorded one
	MissingCall    = "missing"   // recorded calls were not made
	OtherOrder     = "order"     // the script waits for an answer before it makes a call that was made earlier
	OtherValue     = "value"     // the script returned another value
	OtherError     = "error"     // the script failed in another way, or did not fail
)

// Divergence is one difference between the recorded run and its replay.
type Divergence struct {
	Kind     string `json:"kind"`
	Call     int    `json:"call,omitempty"` // position in the order of the calls, from 1
	Recorded string `json:"recorded,omitempty"`
	Replayed string `json:"replayed,omitempty"`
}

func (d Divergence) String() string {
	text := d.Kind
	if d.Call > 0 {
		text = fmt.Sprintf("call %d: %s", d.Call, d.Kind)
	}
	return fmt.Sprintf("%s: recorded %s, replayed %s", text, cmp.Or(d.Recorded, "nothing"), cmp.Or(d.Replayed, "nothing"))
}

// ReplayReport is the result of a replay.
type ReplayReport struct {
	RunID       string          `json:"runId"`
	Same        bool            `json:"same"`
	Calls       int             `json:"calls"`    // number of calls in the replay
	Recorded    int             `json:"recorded"` // number of calls in the recording
	Divergences []Divergence    `json:"divergences"`
	Value       json.RawMessage `json:"value,omitempty"` // value of the replay
	Cut         bool            `json:"cut,omitempty"`   // the recording is incomplete
}

// ReplayScript replaces the script of the recording.
type ReplayScript struct {
	Code, File string
	Modules    []toolscript.ScriptModule
}

// Replay runs the recording that load returns, with script instead of the recorded script
// unless it is nil. The sandbox is the same as for every run, but the answers to calls come from the
// recording, so no server and no gateway is needed. write receives the output of the script. The
// sandbox starts while load reads.
func Replay(ctx context.Context, load func() (kept.Recording, error), script *ReplayScript, o worker.Options, write func(runner.Stream, string)) (ReplayReport, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	o.Brief = true
	started := start(ctx, o)
	defer started.end()
	r, err := load()
	if err != nil {
		return ReplayReport{}, err
	}
	job := r.Job
	job.Idle = true
	if script != nil && (script.Code != r.Code || !slices.Equal(script.Modules, r.Modules)) {
		compiled, err := compile(ctx, *script, dialectOf(r), o)
		if err != nil {
			return ReplayReport{}, err
		}
		job.Compiled, job.File = compiled, script.File
	}
	sandbox, err := started.wait()
	if err != nil {
		return ReplayReport{}, err
	}
	h := newHost(r, write, stop)
	outcome, err := sandbox.Run(ctx, job, h)
	if err != nil && !h.wasStopped() {
		return ReplayReport{}, err
	}
	return h.report(outcome), nil
}

// starting is a sandbox that is being started.
type starting struct {
	done    chan struct{} // closed when the fields below are set
	sandbox *worker.Sandbox
	err     error
}

func start(ctx context.Context, o worker.Options) *starting {
	s := &starting{done: make(chan struct{})}
	go func() {
		defer close(s.done)
		s.sandbox, s.err = worker.StartSandbox(ctx, o)
	}()
	return s
}

func (s *starting) wait() (*worker.Sandbox, error) {
	<-s.done
	return s.sandbox, s.err
}

// end kills the sandbox, which has no state to save.
func (s *starting) end() {
	if sandbox, err := s.wait(); err == nil {
		sandbox.Kill()
		sandbox.Close()
	}
}

// dialectOf returns the dialect of the recorded script, which also applies to a changed
// script.
func dialectOf(r kept.Recording) string {
	if r.Job.Answer == nil {
		return ""
	}
	return toolscript.DialectHarness
}

// compile returns the script in the form for the engine. It does not check types, because
// the recording has no schemas.
func compile(ctx context.Context, s ReplayScript, dialect string, o worker.Options) (runner.Compiled, error) {
	checker, err := worker.StartChecker(ctx, o)
	if err != nil {
		return runner.Compiled{}, err
	}
	defer checker.Close()
	compiled, found, err := checker.Compile(ctx, runner.Source{Code: s.Code, File: s.File, Dialect: dialect, Modules: s.Modules})
	if err != nil {
		return runner.Compiled{}, err
	}
	if len(found) > 0 {
		return runner.Compiled{}, fmt.Errorf("%s:%d:%d: %s", found[0].File, found[0].Line, found[0].Column, found[0].Message)
	}
	return compiled, nil
}

// equal compares JSON values without regard to spaces and the order of members.
func equal(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y any
	return decode(a, &x) == nil && decode(b, &y) == nil && reflect.DeepEqual(x, y)
}

func decode(text json.RawMessage, into *any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// outcomeOf describes how a script ended; "" means success.
func outcomeOf(o runner.Outcome) string {
	switch {
	case o.Err != nil:
		return fmt.Sprintf("%s: %s", o.Err.Name, o.Err.Message)
	case o.Exited && o.ExitCode != 0:
		return fmt.Sprintf("exit(%d)", o.ExitCode)
	}
	return ""
}

// mostShown is the maximum length of a text of a Divergence, in bytes.
const mostShown = 500

func shownText(text string) string { return texts.Short(text, mostShown) }

func describe(id string, args json.RawMessage) string {
	return shownText(id + " " + string(args))
}

// notRecorded returns the error of a call without an answer in the recording.
func notRecorded(id string) *toolscript.ToolError {
	return &toolscript.ToolError{Tool: id, Code: toolscript.NotFound, Sent: toolscript.SentNo, Message: "the recording has no answer to this call of " + id}
}
