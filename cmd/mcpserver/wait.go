package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

// Bounds of runArgs.Wait.
const (
	defaultWait = 30 * time.Second
	maxWait     = time.Hour
)

// wait answers run_script with a bound for the wait: the result of a script that has ended
// within it, else the id of the run, with which another request waits on, or ends it.
func (e *entrance) wait(ctx context.Context, args runArgs, meta *mcp.Meta) (*mcp.CallToolResult, error) {
	bound, err := waitOf(args)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	defer release()
	s := &script{entrance: e, gateway: g, runID: args.Run, tokens: args.MaxTokens, ctx: ctx, cancel: func() {}}
	if meta != nil {
		s.token = meta.ProgressToken
	}
	switch {
	case args.Run == "":
		s.runID, err = g.Detach(ctx, e.execRequest(ctx, args))
	case args.Abort:
		err = g.AbortRun(ctx, args.Run)
	}
	if err != nil && toolscript.KindOf(err) != toolscript.Conflict { // aborted after its end
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
	}
	return s.close(), nil
}

// waitOf is how long a request waits.
func waitOf(args runArgs) (time.Duration, error) {
	bound, err := defaultWait, error(nil)
	if args.Wait != "" {
		bound, err = time.ParseDuration(args.Wait)
	}
	switch {
	case err != nil || bound < 0 || bound > maxWait:
		return 0, fmt.Errorf("wait is %.40q; it must be a time such as 10s, at most 1h", args.Wait)
	case args.Run != "" && args.Code != "":
		return 0, fmt.Errorf("code and run are both given: leave out code to wait for %.40q", args.Run)
	case args.Abort && args.Run == "":
		return 0, fmt.Errorf("abort needs run, the id of the run to end")
	}
	return bound, nil
}

// unfinished is the result of a run that goes on.
func (s *script) unfinished() *mcp.CallToolResult {
	r := runResult{OK: true, Running: true, Run: s.runID}
	r.Output, r.Notices = s.console()
	r.Notices = append(r.Notices, fmt.Sprintf(`the script has not ended. Wait on with {"run": %q, "wait": "30s"}, or end it with {"run": %[1]q, "abort": true}`, s.runID))
	return mcp.NewToolResultStructuredOnly(r)
}
