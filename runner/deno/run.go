package deno

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rawio"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
	"github.com/toolscript/toolscript/runner/session"
)

const (
	// limitPoll is the interval at which memory and processor time of a process are read. V8
	// fills at most two gigabytes per second.
	limitPoll = 20 * time.Millisecond
	// allowance is the memory that V8 needs besides the heap of a script: for the young
	// generation and compiled code.
	allowance = 64 << 20
	// maxWaiting bounds the answers that a process has not fetched, in bytes. A script that
	// awaits its calls has at most as many as it has calls in flight.
	maxWaiting = 512 << 20
)

// A denoRun is the connection between one session and its process.
type denoRun struct {
	*session.Session
	process *Process
	job     runner.Job
	names   *naming.Table
	source  *scripterror.Source
	heap    uint64 // limit in bytes
	memory  int64  // highest observed memory of the process above process.memory, in bytes

	notices []string
	answers chan session.Answer // answers that the process fetches
	waiting atomic.Int64        // size of the answers that wait, in bytes
}

// Run implements runner.Runner, for one run. The process has ended when it returns.
func (p *Process) Run(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
	r := p.newRun(ctx, job, host)
	p.endpoint.enter(r)
	r.Go(r.receive)
	outcome, stopped, err := r.Wait(ctx)
	switch {
	case err != nil:
		outcome = r.gone(err)
	case stopped != nil:
		outcome = r.Outcome(stopped)
	}
	r.close()
	outcome.Metrics = r.metrics()
	return outcome, nil
}

func (p *Process) newRun(ctx context.Context, job runner.Job, host runner.Host) *denoRun {
	r := &denoRun{
		process: p, job: job, names: naming.NewTable(job.Names, job.Allow, nil), source: scripterror.NewSource(job),
		heap: heapMB << 20, answers: make(chan session.Answer),
	}
	r.source.UTF16 = true
	if mb := job.Limits.MemoryMB; mb > 0 {
		r.heap = min(r.heap, uint64(mb)<<20)
	}
	r.Session = session.New(ctx, p, job, strictHost{host}, session.Options{
		Log: p.engine.options.Log, Poll: limitPoll, Overrun: r.overrun, MaxAnswer: maxFrame, Deliver: r.deliver,
	})
	return r
}

// start is the message that describes a run to the loader.
type start struct {
	Code      string          `json:"code"`
	Name      string          `json:"name"` // name of the code in traces
	Modules   *modules        `json:"modules,omitempty"`
	Args      []string        `json:"args"`
	Cwd       string          `json:"cwd"`
	TZ        string          `json:"tz"`
	Stdin     bool            `json:"stdin"`
	Parameter json.RawMessage `json:"parameter,omitempty"`
	Calls     bool            `json:"calls"`     // see runner.Compiled
	ToolCalls int64           `json:"toolCalls"` // maximal number of calls in flight
}

// unlimited replaces a limit that is not set.
const unlimited = 1 << 30

func (r *denoRun) start() start {
	return start{
		Code: r.job.Compiled.JavaScript, Name: r.source.Name, Modules: r.modules(), Args: append([]string{}, r.job.Args...), Cwd: r.job.Cwd,
		TZ: cmp.Or(r.job.TZ, "UTC"), Stdin: r.job.Stdin, Parameter: r.job.Parameter, Calls: r.job.Compiled.Calls, ToolCalls: cmp.Or(r.job.Limits.ToolCalls, unlimited),
	}
}

// overrun returns the error for the memory limit that the process exceeds, or nil.
func (r *denoRun) overrun() *toolscript.RunError {
	r.memory = max(r.memory, runner.RSS(r.process.PID())-r.process.memory)
	switch {
	case r.memory > int64(r.heap)+allowance:
		return scripterror.OutOfMemory(r.heap)
	case r.waiting.Load() > maxWaiting:
		return scripterror.AnswersWait(maxWaiting)
	}
	return nil
}

// receive sends the job to the process and reads its frames until one ends the run. It passes
// on output before it reads the next frame, so a host that does not take output blocks the
// script.
func (r *denoRun) receive() {
	if err := writeMessage(r.process.stdin, r.start()); err != nil {
		r.Fail(err)
		return
	}
	for {
		kind, payload, err := frames.Read(r.process.frames)
		if err == nil {
			var outcome *runner.Outcome
			if outcome, err = r.handle(kind, payload); outcome != nil {
				r.End(*outcome)
				return
			}
		}
		if err != nil {
			r.Fail(err)
			return
		}
	}
}

// handle handles one frame. It returns an outcome if the frame ends the run.
func (r *denoRun) handle(kind byte, payload []byte) (*runner.Outcome, error) {
	switch kind {
	case frameOut:
		r.Write(runner.Stdout, strings.ToValidUTF8(string(payload), "\uFFFD"))
		return nil, nil
	case frameErr:
		r.Write(runner.Stderr, strings.ToValidUTF8(string(payload), "\uFFFD"))
		return nil, nil
	case frameAsk:
		return nil, r.answerQuestion(payload)
	case frameCall:
		return nil, r.call(payload)
	case frameCancel:
		r.CancelCall(string(payload))
		return nil, nil
	case frameNotice:
		if len(r.notices) == maxNotices {
			return nil, errNotUnderstood
		}
		r.notices = append(r.notices, strings.ToValidUTF8(string(payload), "\uFFFD"))
		return nil, nil
	case frameValue:
		outcome, err := r.value(payload)
		if outcome != nil {
			outcome.Notices = r.notices
		}
		return outcome, err
	case frameFailed:
		return r.thrown(payload)
	case frameExit:
		code, err := strconv.Atoi(string(payload))
		if err != nil || code < 0 || code > 255 {
			return nil, errNotUnderstood
		}
		return &runner.Outcome{Exited: true, ExitCode: code}, nil
	}
	return nil, errNotUnderstood
}

// maxNotices bounds the notices of a run.
const maxNotices = 16

var errNotUnderstood = errors.New("it sent an invalid message")

func (r *denoRun) value(payload []byte) (*runner.Outcome, error) {
	if limit := r.job.Limits.ValueBytes; limit > 0 && int64(len(payload)) > limit {
		outcome := r.Outcome(scripterror.ValueTooLarge(len(payload), limit))
		return &outcome, nil
	}
	if len(payload) == 0 {
		return &runner.Outcome{}, nil
	}
	if scripterror.TooDeep(payload) {
		outcome := r.Outcome(scripterror.ValueTooDeep())
		return &outcome, nil
	}
	value, err := session.Compact(payload)
	if err != nil {
		return nil, errNotUnderstood
	}
	return &runner.Outcome{Value: value}, nil
}

func (r *denoRun) thrown(payload []byte) (*runner.Outcome, error) {
	var said struct {
		Phase       toolscript.Phase `json:"phase"`
		Description string           `json:"description"`
	}
	if err := json.Unmarshal(payload, &said); err != nil {
		return nil, errNotUnderstood
	}
	switch said.Phase {
	case toolscript.Parsing, toolscript.Executing, toolscript.Finalizing:
	default:
		return nil, errNotUnderstood
	}
	outcome := r.Outcome(r.source.Thrown(r.process.redact(said.Description), said.Phase, r.heap))
	return &outcome, nil
}

// Parts of the last output of a process that ends by itself.
const (
	neverSettledText  = "Top-level await promise never resolved"
	outOfMemoryText   = "out of memory"
	stackOverflowText = "Uncaught RangeError: Maximum call stack size exceeded" // not from the script itself

	nativeOverflowText = "has overflowed its stack" // while V8 or Deno parses
)

// gone returns the outcome of a run whose process has ended or broke the protocol.
func (r *denoRun) gone(err error) runner.Outcome {
	var long *rawio.TooLong
	if errors.As(err, &long) && long.Kind == frameValue {
		return r.Outcome(scripterror.ValueTooLarge(long.Size, r.job.Limits.ValueBytes))
	}
	if errors.Is(err, session.ErrPanic) {
		return r.Outcome(toolscript.Fail(toolscript.Internal, err.Error()))
	}
	if errors.Is(err, errNotUnderstood) || long != nil {
		r.process.Kill()
	}
	r.process.end()
	said := r.process.stderr.String()
	switch {
	case strings.Contains(said, neverSettledText):
		return r.Outcome(scripterror.NeverSettled())
	case strings.Contains(said, outOfMemoryText):
		return r.Outcome(scripterror.OutOfMemory(r.heap))
	case strings.Contains(said, nativeOverflowText):
		return r.Outcome(toolscript.Fail(toolscript.LimitStack, "the script is too complex: its code nests deeper than the stack of Deno allows"))
	case strings.Contains(said, stackOverflowText):
		return r.Outcome(scripterror.ManyRejections())
	}
	if errors.Is(rawio.Unexpected(err), io.ErrUnexpectedEOF) {
		err = errors.New("it ended before its script")
	}
	text := fmt.Sprintf("Deno failed: %v%s", err, r.process.redact(r.process.exitReason()))
	return r.Outcome(toolscript.Fail(toolscript.Internal, text))
}

// close kills the process, and then closes the session.
func (r *denoRun) close() {
	r.process.engine.loopback.forget(r.process.capability)
	r.Stop()
	r.memory = max(r.memory, runner.RSS(r.process.PID())-r.process.memory)
	r.process.Kill()
	<-r.process.done
	_ = r.process.stdout.Close()
	r.Close()
}

func (r *denoRun) metrics() runner.Metrics {
	m := runner.Metrics{RunMs: float64(r.Elapsed()) / float64(time.Millisecond), MemoryBytes: max(0, r.memory)}
	if state := r.process.cmd.ProcessState; state != nil {
		m.CPUMs = max(0, float64(state.UserTime()+state.SystemTime()-r.CPU())/float64(time.Millisecond))
	}
	return m
}
