package tool

import "context"

type runKey struct{}

// WithRun returns the context of a call that a run makes. An empty id means a call outside
// of runs.
func WithRun(ctx context.Context, run string) context.Context {
	if run == "" {
		return ctx
	}
	return context.WithValue(ctx, runKey{}, run)
}

// RunOf returns the id of the run that makes a call, or "" outside of runs.
func RunOf(ctx context.Context) string {
	run, _ := ctx.Value(runKey{}).(string)
	return run
}
