package actors

import (
	"context"
	"slices"
	"time"

	"github.com/toolscript/toolscript/actors/server"
)

// before is the time at which left is over; zero if there is none.
func before(left func() time.Duration) time.Time {
	if left == nil {
		return time.Time{}
	}
	return time.Now().Add(left())
}

// lingering returns the context in which the caller of a tool of a server waits for its reply. A tool
// that runs in this process may need some time to end after the call was cancelled, and
// the reply says when it has. All other calls end with ctx.
func (s *System) lingering(ctx context.Context, of string) (context.Context, context.CancelFunc) {
	deadline, bounded := ctx.Deadline()
	if !bounded || !slices.Contains(s.Builtins(), of) {
		return context.WithCancel(ctx)
	}
	longer, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	unwatch := context.AfterFunc(ctx, func() { time.AfterFunc(server.CancelTime+time.Second, cancel) })
	return longer, func() {
		unwatch()
		cancel()
	}
}
