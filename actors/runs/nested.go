package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

const (
	// maxDepth is how deep saved scripts may call each other. The script of a client has
	// depth 0.
	maxDepth = 4
	// maxAtDepth is how many nested runs of one depth use a sandbox at once; more wait.
	// A bound for each depth prevents a deadlock between a run and its nested runs.
	maxAtDepth = 6
	// MaxNested is how many nested runs use a sandbox at once. A pool reserves this number for
	// them: otherwise the runs of clients could hold all sandboxes and wait for nested runs.
	MaxNested = maxDepth * maxAtDepth
)

type nestedKey struct{}

// Nested reports whether ctx, a context of Deps.Sandbox or Deps.Deno, belongs to a nested run.
func Nested(ctx context.Context) bool { return ctx.Value(nestedKey{}) != nil }

// levels bound the sandboxes of nested runs.
type levels [maxDepth]chan struct{}

func newLevels() (l levels) {
	for i := range l {
		l[i] = make(chan struct{}, maxAtDepth) //nolint:gosec // G602: i is in the range of l
	}
	return l
}

var errNoParent = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the run that called the script has ended")}

// nest completes the request of a nested run with the rules of the run that it belongs to.
func (p *parts) nest(q *toolscript.ExecRequest) error {
	if p.depth >= maxDepth {
		return &toolscript.Error{
			Kind: toolscript.LimitCalls, Err: fmt.Errorf("saved scripts call each other at most %d deep, and %s would be at depth %d", maxDepth, q.File, p.depth+1),
		}
	}
	trace := cmp.Or(q.Trace, p.request.Trace)
	q.Rules, q.Trace, q.Stdin, q.Record = p.request.Rules, trace, false, false
	q.Limits = p.limits
	q.Limits.CPUMs -= p.cpu.Load()
	if q.Limits.CPUMs <= 0 {
		return &toolscript.Error{
			Kind: toolscript.LimitTime, Err: fmt.Errorf("saved scripts have used the CPU time of the run, %d ms; allow more with --cpu", p.limits.CPUMs),
		}
	}
	return nil
}

// nest completes the request of a nested run, and does nothing for the run of a client. It
// returns false if it has answered the request with an error.
func (r *Runs) nest(m *Begin) bool {
	if m.Request.Parent == "" {
		return true
	}
	p := r.live[m.Request.Parent].parts
	err := error(errNoParent)
	if p != nil {
		err = p.nest(&m.Request)
	}
	if err != nil {
		m.Reply.Send(Handle{}, err)
		return false
	}
	m.within, m.Emit = p, p.pass(m.Emit)
	return true
}

// pass passes the output, approvals, progress and warnings of a nested run to the run that it
// belongs to, and all events to emit.
func (p *parts) pass(emit Emit) Emit {
	return func(e toolscript.Event) error {
		switch e.Type {
		case toolscript.EventStdout:
			p.console.Write(runner.Stdout, e.Data)
		case toolscript.EventStderr:
			p.console.Write(runner.Stderr, e.Data)
		case toolscript.EventApproval, toolscript.EventProgress, toolscript.EventDiagnostic:
			p.events.emit(e)
		case toolscript.EventEnd:
			if m := e.Metrics; m != nil {
				p.cpu.Add(int64(m.CPUMs))
			}
			p.calls.nested(e.RunID, e.Unfinished)
		default:
		}
		return emit(e)
	}
}

// share makes a nested run use the questions, clock and call budget of the run that it belongs to.
func (r *run) share() {
	r.questions = r.within.questions
	deps := *r.deps
	level := r.shared.levels[r.within.depth]
	deps.Sandbox, deps.Deno, deps.Remote = r.inTurn(level, deps.Sandbox), r.inTurn(level, deps.Deno), nil
	r.deps = &deps
}

// inTurn lends sandboxes to at most maxAtDepth nested runs of one depth.
func (r *run) inTurn(level chan struct{}, lend func(context.Context) (runner.Runner, GiveBack, error)) func(context.Context) (runner.Runner, GiveBack, error) {
	return func(context.Context) (runner.Runner, GiveBack, error) {
		select {
		case level <- struct{}{}:
		case <-r.ctx.Done():
			return nil, nil, context.Cause(r.ctx)
		}
		ctx, cancel := context.WithTimeoutCause(context.WithValue(r.ctx, nestedKey{}, true), borrowTime, allBusy("sandbox"))
		defer cancel()
		sandbox, giveBack, err := lend(ctx)
		if err != nil {
			<-level
			return nil, nil, err
		}
		return sandbox, func(broken bool) {
			giveBack(broken)
			<-level
		}, nil
	}
}

// take counts a call of a nested run against the budget of this run, and of the runs that
// this run belongs to. The last event of an agent's script has the number of its calls, so a
// nested run that outlives the script may make no more calls.
func (p *parts) take() error {
	p.calls.mu.Lock()
	defer p.calls.mu.Unlock()
	if p.calls.over && p.request.Agent != "" {
		return errNoParent
	}
	return p.calls.count()
}

// count counts a call against the budget, or returns the error LimitCalls. The caller holds mu.
// A nested run locks its own mu first, and then that of the run that it belongs to.
func (s *calls) count() error {
	if s.admitted >= s.limits.ToolCalls {
		return &toolscript.Error{
			Kind: toolscript.LimitCalls, Err: fmt.Errorf("the run has reached its limit of %d tool calls; %s", s.limits.ToolCalls, s.moreCalls()),
		}
	}
	if s.within != nil {
		if err := s.within.take(); err != nil {
			return err
		}
	}
	s.admitted++
	return nil
}
