package actors

import (
	"context"
	"slices"
	"time"

	"github.com/toolscript/toolscript/actors/server"
)

// replyTime is how long the caller of a tool waits for the reply after the end of the call. The
// actor of the server knows whether the call was sent.
const replyTime = 500 * time.Millisecond

// lingering returns the context in which the caller of a tool of a server waits for its reply,
// which arrives just after the end of ctx. A tool that runs in this process may need some time
// to end after the call was cancelled, and the reply says when it has.
func (s *System) lingering(ctx context.Context, of string) (context.Context, context.CancelFunc) {
	longest := replyTime
	if slices.Contains(s.Builtins(), of) {
		longest = server.CancelTime + time.Second
	}
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	release := func() {}
	if deadline, bounded := ctx.Deadline(); bounded {
		longer, release = context.WithDeadline(longer, deadline.Add(longest))
	}
	unwatch := context.AfterFunc(ctx, func() { time.AfterFunc(longest, func() { cancel(context.Cause(ctx)) }) })
	return longer, func() {
		unwatch()
		release()
		cancel(nil)
	}
}
