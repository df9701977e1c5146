package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// Bounds of runArgs.Wait.
const (
	defaultWait = 30 * time.Second
	maxWait     = time.Hour
)

// patience is how long a request waits for a run without progress, because several clients
// give up after a minute.
const patience = 50 * time.Second

// patienceOf returns the patience for a request: 0, for no limit, if the client receives progress.
func patienceOf(ctx context.Context, meta *mcp.Meta) time.Duration {
	if meta != nil && meta.ProgressToken != nil && notifierIn(ctx) != nil {
		return 0
	}
	return patience
}

// wait answers a run_script that has a bound for the wait. The result is that of the script if it ends within
// the bound. Otherwise it is the id of the run, with which another request can wait again or end the run.
func (e *entrance) wait(ctx context.Context, args runArgs, meta *mcp.Meta) (*mcp.CallToolResult, error) {
	bound, err := waitOf(args)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	if left, ok := e.paused.take(args.Run, false); ok {
		return left.goOn(ctx, args, meta, bound)
	}
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	defer release()
	s := &script{entrance: e, gateway: g, runID: args.Run, tokens: args.MaxTokens, ctx: ctx, cancel: func() {}, notes: args.notes}
	defer s.notifying(ctx, meta)()
	switch {
	case args.Run == "":
		s.runID, err = g.Detach(ctx, e.execRequest(ctx, args))
	case args.Abort:
		err = g.AbortRun(ctx, args.Run)
	}
	if err != nil && toolscript.KindOf(err) != toolscript.Conflict { // a Conflict means that the run has already ended
		return mcp.NewToolResultError(err.Error()), nil
	}
	waiting, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	s.failed = g.RunEvents(waiting, s.runID, true, s.event)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case s.end == nil && waiting.Err() != nil:
		return s.unfinished(), nil
	case args.Run != "" && toolscript.KindOf(s.failed) == toolscript.NotFound: // it has ended, and may have a large value
		if kept, err := e.rest(ctx, args); err != nil || !kept.IsError {
			return kept, err
		}
	}
	return s.close(), nil
}

// goOn waits for a run that leave has kept, like await, but no longer than bound.
func (w waiting) goOn(ctx context.Context, args runArgs, meta *mcp.Meta, bound time.Duration) (*mcp.CallToolResult, error) {
	w.tokens = args.MaxTokens
	for _, n := range args.notes {
		w.note(n)
	}
	if args.Abort && w.gateway.AbortRun(ctx, args.Run) != nil {
		w.cancel() // ignored if it has ended
	}
	return w.await(ctx, meta, bound)
}

// waitOf returns how long a request waits.
func waitOf(args runArgs) (time.Duration, error) {
	bound, err := defaultWait, error(nil)
	if args.Wait != "" {
		bound, err = time.ParseDuration(args.Wait)
		if seconds, wrong := strconv.ParseFloat(args.Wait, 64); err != nil && wrong == nil && seconds >= 0 {
			bound, err = time.Duration(min(seconds, maxWait.Seconds())*float64(time.Second)), nil
		}
		bound = min(bound, maxWait)
	}
	switch {
	case err != nil || bound < 0:
		return 0, fmt.Errorf("wait is %.40q; it must be a time such as 10s, at most 1h", args.Wait)
	case args.Run != "" && args.Code != "":
		return 0, fmt.Errorf("code and run are both given: leave out code to wait for %.40q", args.Run)
	case args.Abort && args.Run == "":
		return 0, fmt.Errorf("abort needs run, the id of the run to end")
	}
	return bound, nil
}

// leave returns a result before the run has ended, and keeps the run for the next request.
// It returns nil if the run has not begun, or if a person is answering a question.
func (s *script) leave() *mcp.CallToolResult {
	s.mu.Lock()
	runID := s.runID
	s.mu.Unlock()
	if runID == "" || s.asking.Load() > 0 {
		return nil
	}
	s.paused.keep(runID, s, nil, maxWait)
	return s.unfinished()
}

// unfinished returns the result for a run that is in progress.
func (s *script) unfinished() *mcp.CallToolResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := runResult{OK: true, Running: true, Run: s.runID}
	r.Output, r.Notices = s.console()
	r.Notices = append(r.Notices, s.notes...)
	r.Notices = append(r.Notices, fmt.Sprintf(`the script has not ended. Wait on with {"run": %q, "wait": "30s"}, or end it with {"run": %[1]q, "abort": true}`, s.runID))
	return &mcp.CallToolResult{StructuredContent: r}
}

// maxPaused is the maximum number of kept runs: clients may never return.
const maxPaused = 200

// paused holds the runs that wait for another request of their client.
type paused struct {
	mu   sync.Mutex
	runs map[string]waiting // by run id
}

type waiting struct {
	*script
	question *question // question that the client answers; nil: the client only waits
	since    time.Time
	expire   *time.Timer
}

// keep keeps a run. It is cancelled if its client does not return within limit. If too many
// runs are kept, the one that has waited longest is cancelled.
func (p *paused) keep(runID string, s *script, q *question, limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs == nil {
		p.runs = map[string]waiting{}
	}
	if len(p.runs) >= maxPaused {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(p.runs)), func(a, b string) int { return p.runs[a].since.Compare(p.runs[b].since) })
		p.runs[oldest].expire.Stop()
		p.runs[oldest].cancel()
		delete(p.runs, oldest)
	}
	p.runs[runID] = waiting{s, q, time.Now(), time.AfterFunc(limit, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.runs[runID].script == s {
			delete(p.runs, runID)
			s.cancel()
		}
	})}
}

// take removes and returns a kept run. asks says whether the run must have a question.
func (p *paused) take(runID string, asks bool) (waiting, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w, ok := p.runs[runID]
	if !ok || (w.question != nil) != asks {
		return waiting{}, false
	}
	delete(p.runs, runID)
	w.expire.Stop()
	return w, true
}
