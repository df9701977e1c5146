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
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/cancels"
	"github.com/toolscript/toolscript/runner/internal/grace"
	"github.com/toolscript/toolscript/runner/internal/guard"
	"github.com/toolscript/toolscript/runner/internal/held"
	"github.com/toolscript/toolscript/runner/internal/proc"
	"github.com/toolscript/toolscript/runner/names"
	"github.com/toolscript/toolscript/runner/report"
)

const (
	// poll is how often memory and processor time of a process are looked at. V8
	// fills two gigabytes a second at most.
	poll = 20 * time.Millisecond
	// allowance is what V8 takes beside the heap that a script asked for: the
	// young generation, compiled code.
	allowance = 64 << 20
	// mostWaiting is how much there may be of answers that a process has not fetched.
	// A script that awaits its calls has no more of them than calls under way.
	mostWaiting = 512 << 20
)

// A run is the gateway's side of one job.
type run struct {
	process *Process
	job     runner.Job
	host    runner.Host
	names   *names.Table
	source  *report.Source
	heap    uint64 // bytes
	begun   time.Time
	cpu     time.Duration // of the process, when the run began
	memory  int64         // the most that the process was seen to hold above its start

	ctx       context.Context // of calls and of standard input; ends with the run
	cancel    context.CancelFunc
	pending   sync.WaitGroup  // goroutines that use host
	held      *held.Held      // what calls that have not ended keep in memory
	cancels   cancels.Cancels // of calls that have not ended
	answers   chan callAnswer // of calls that have, until the process takes them
	seen      numbers         // of calls; only receive touches it
	waiting   atomic.Int64    // bytes of those answers
	made      atomic.Int64    // calls
	completed atomic.Int64
	input     sync.Mutex // held while a piece of standard input is read

	mu   sync.Mutex
	over bool // nobody new may use host

	ended chan runner.Outcome
	lost  chan error // the process is gone, or is not understood
}

// Run implements runner.Runner, once. The process is gone when it returns.
func (p *Process) Run(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
	r := p.newRun(ctx, job, host)
	p.room.enter(r)
	outcome, err := r.run(ctx)
	r.finish()
	outcome.Metrics = r.metrics()
	return outcome, err
}

func (p *Process) newRun(ctx context.Context, job runner.Job, host runner.Host) *run {
	r := &run{
		process: p, job: job, host: host,
		names: names.For(job.Names, job.Allow, nil), source: report.NewSource(job), heap: HeapMB << 20,
		begun: time.Now(), cpu: proc.CPUTime(p.PID()), held: held.New(), answers: make(chan callAnswer),
		ended: make(chan runner.Outcome, 1), lost: make(chan error, 1),
	}
	r.source.UTF16 = true
	if mb := job.Limits.MemoryMB; mb > 0 {
		r.heap = min(r.heap, uint64(mb)<<20)
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// start is what the loader must know of a run.
type start struct {
	Code      string   `json:"code"`
	Name      string   `json:"name"` // of the code, in traces
	Args      []string `json:"args"`
	Cwd       string   `json:"cwd"`
	TZ        string   `json:"tz"`
	Stdin     bool     `json:"stdin"`
	ToolCalls int64    `json:"toolCalls"` // that may be under way at once
}

// unlimited stands for a limit that a job does not have.
const unlimited = 1 << 30

func (r *run) start() start {
	s := start{
		Code: r.job.Compiled.JavaScript, Name: r.source.Name, Args: append([]string{}, r.job.Args...), Cwd: r.job.Cwd,
		TZ: cmp.Or(r.job.TZ, "UTC"), Stdin: r.job.Stdin, ToolCalls: cmp.Or(r.job.Limits.ToolCalls, unlimited),
	}
	return s
}

// run tells the process its job and waits for the end, which it forces when it
// must.
func (r *run) run(ctx context.Context) (runner.Outcome, error) {
	r.pending.Go(func() {
		if err := guard.Do(r.process.engine.options.Log, "run "+r.job.RunID, r.receive); err != nil {
			r.lost <- err
		}
	})
	wall := r.wallTimer()
	defer wall.Stop()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		select {
		case outcome := <-r.ended:
			return outcome, nil
		case err := <-r.lost:
			return r.gone(err), nil
		case <-ctx.Done():
			return r.failed(toolscript.Fail(toolscript.Cancelled, context.Cause(ctx).Error())), nil
		case <-wall.C:
			if left := time.Duration(r.job.Limits.TimeoutMs)*time.Millisecond - r.job.Clock.Since(r.begun); left > 0 { // it stood still
				wall.Reset(max(left, poll))
				continue
			}
			return r.failed(report.OutOfTime(r.job.Limits)), nil
		case <-ticker.C:
			if e := r.overrun(); e != nil {
				return r.failed(e), nil
			}
		}
	}
}

func (r *run) wallTimer() *time.Timer {
	limit := 100 * 365 * 24 * time.Hour // without a limit it never fires
	if ms := r.job.Limits.TimeoutMs; ms > 0 {
		limit = time.Duration(ms) * time.Millisecond
	}
	return time.NewTimer(limit)
}

// overrun is the limit that the process has met, if any.
func (r *run) overrun() *toolscript.RunError {
	pid := r.process.PID()
	r.memory = max(r.memory, proc.RSS(pid)-r.process.memory)
	if r.memory > int64(r.heap)+allowance {
		return report.OutOfMemory(r.heap)
	}
	if r.waiting.Load() > mostWaiting {
		return report.AnswersWait(mostWaiting)
	}
	limit := time.Duration(r.job.Limits.CPUMs) * time.Millisecond
	if limit > 0 && proc.CPUTime(pid)-r.cpu > limit {
		return report.OutOfCPU(r.job.Limits)
	}
	return nil
}

// receive tells the process what to run, and reads what it says until the run
// has ended. Output is passed on before the next frame is read: a host that does
// not take it holds the script up.
func (r *run) receive() {
	if err := writeMessage(r.process.stdin, r.start()); err != nil {
		r.lost <- err
		return
	}
	for {
		kind, payload, err := readFrame(r.process.frames)
		if err == nil {
			var outcome *runner.Outcome
			if outcome, err = r.handle(kind, payload); outcome != nil {
				r.ended <- *outcome
				return
			}
		}
		if err != nil {
			r.lost <- err
			return
		}
	}
}

// handle takes one frame. It answers with an outcome when that ends the run.
func (r *run) handle(kind byte, payload []byte) (*runner.Outcome, error) {
	switch kind {
	case frameOut:
		r.host.Write(runner.Stdout, strings.ToValidUTF8(string(payload), "\uFFFD"))
		return nil, nil
	case frameErr:
		r.host.Write(runner.Stderr, strings.ToValidUTF8(string(payload), "\uFFFD"))
		return nil, nil
	case frameAsk:
		return nil, r.answer(payload)
	case frameCall:
		return nil, r.begin(payload)
	case frameCancel:
		r.cancels.Cancel(string(payload))
		return nil, nil
	case frameValue:
		return r.value(payload)
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

var errNotUnderstood = errors.New("it sent what is no message")

func (r *run) value(payload []byte) (*runner.Outcome, error) {
	if limit := r.job.Limits.ValueBytes; limit > 0 && int64(len(payload)) > limit {
		outcome := r.failed(report.ValueTooLarge(len(payload), limit))
		return &outcome, nil
	}
	if len(payload) == 0 {
		return &runner.Outcome{}, nil
	}
	if report.TooDeep(payload) {
		outcome := r.failed(report.ValueTooDeep())
		return &outcome, nil
	}
	if !json.Valid(payload) {
		return nil, errNotUnderstood
	}
	return &runner.Outcome{Value: payload}, nil
}

func (r *run) thrown(payload []byte) (*runner.Outcome, error) {
	var said struct {
		Phase toolscript.Phase `json:"phase"`
		Told  string           `json:"told"`
	}
	if err := json.Unmarshal(payload, &said); err != nil {
		return nil, errNotUnderstood
	}
	switch said.Phase {
	case toolscript.Parsing, toolscript.Executing, toolscript.Finalizing:
	default:
		return nil, errNotUnderstood
	}
	outcome := r.failed(r.source.Thrown(r.process.redact(said.Told), said.Phase, r.heap))
	return &outcome, nil
}

// failed is the outcome of a run with an error.
func (r *run) failed(e *toolscript.RunError) runner.Outcome {
	e.ScriptID = r.job.RunID
	if e.Phase == "" {
		e.Phase = toolscript.Executing
	}
	if e.Code == toolscript.LimitTime || e.Code == toolscript.LimitMemory || e.Code == toolscript.Cancelled {
		completed := r.completed.Load()
		e.Metadata = map[string]any{
			"elapsedMs":      float64(time.Since(r.begun)) / float64(time.Millisecond),
			"completedTools": completed, "pendingTools": r.made.Load() - completed,
		}
	}
	return runner.Outcome{Err: e, ExitCode: 1}
}

// The last words of a process that ended by itself.
const (
	saidNothingLeft = "Top-level await promise never resolved"
	saidOutOfMemory = "out of memory"
)

// gone is the end of a run whose process is gone, or is not understood.
func (r *run) gone(err error) runner.Outcome {
	var long *tooLong
	if errors.As(err, &long) && long.kind == frameValue {
		return r.failed(report.ValueTooLarge(long.size, r.job.Limits.ValueBytes))
	}
	if errors.Is(err, guard.ErrPanic) {
		return r.failed(toolscript.Fail(toolscript.Internal, err.Error()))
	}
	if errors.Is(err, errNotUnderstood) || long != nil {
		r.process.Kill()
	}
	r.process.end()
	said := r.process.stderr.String()
	switch {
	case strings.Contains(said, saidNothingLeft):
		return r.failed(report.NeverSettled())
	case strings.Contains(said, saidOutOfMemory):
		return r.failed(report.OutOfMemory(r.heap))
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("it ended before its script")
	}
	text := fmt.Sprintf("Deno failed: %v%s", err, r.process.redact(r.process.lastWords()))
	return r.failed(toolscript.Fail(toolscript.Internal, text))
}

// finish ends the process and lets nothing more through.
func (r *run) finish() {
	r.process.engine.door.forget(r.process.capability)
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.cancel()
	r.memory = max(r.memory, proc.RSS(r.process.PID())-r.process.memory)
	r.process.Kill()
	<-r.process.done
	_ = r.process.stdout.Close()
	grace.Wait(&r.pending)
}

func (r *run) metrics() runner.Metrics {
	m := runner.Metrics{RunMs: float64(time.Since(r.begun)) / float64(time.Millisecond), MemoryBytes: max(0, r.memory)}
	if state := r.process.cmd.ProcessState; state != nil {
		m.CPUMs = max(0, float64(state.UserTime()+state.SystemTime()-r.cpu)/float64(time.Millisecond))
	}
	return m
}
