package server

import (
	"errors"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// stop ends a call for its caller, and asks the connection to end it. A cause without a
// kind gets the kind Cancelled. A caller that cancels the call of a tool in this process
// gets its reply when the tool has ended, see reportsEnd. A call that is made again gets the reply of
// its actor, which knows whether the call was sent. stop does not block.
func (c *pendingCall) stop(cause error) {
	if known := (*toolscript.Error)(nil); !errors.As(cause, &known) {
		cause = &toolscript.Error{Kind: toolscript.Cancelled, Err: cause}
	}
	f := c.of
	f.mu.Lock()
	if c.answered || c.cause != nil {
		f.mu.Unlock()
		return
	}
	c.cause = cause
	started, leave := c.started, c.leave
	f.mu.Unlock()
	if leave != nil {
		leave(cause)
		c.replyLate(cause)
		return
	}
	if p, is := started.(mcpclient.Printer); is {
		if text, failure := p.Printed(); failure {
			c.call.Origin.SetPrinted(strings.TrimPrefix(text, "; "))
		}
	}
	if started != nil {
		c.cancel(started, cause)
	}
	if c.reports && toolscript.KindOf(cause) == toolscript.Cancelled {
		c.replyLate(cause)
		return
	}
	c.replied(nil, c.unanswered(cause)) // even if the connection ignores it
}

// replyLate ends a stopped call if it has no reply after CancelTime.
func (c *pendingCall) replyLate(cause error) {
	late := time.AfterFunc(CancelTime, func() { c.replied(nil, c.unanswered(cause)) })
	c.whenOver(func() { late.Stop() })
}

// unanswered returns the error of a call that was stopped after it was handed to the connection.
func (c *pendingCall) unanswered(cause error) error {
	return withSent(named(cause, c.about), toolscript.SentUnknown)
}

// reportsEnd is a connection to tools that run in this process. Such a connection reports when
// a cancelled call has ended; MCP has no answer to a cancellation.
type reportsEnd interface{ ReportsEnd() }

// CancelTime is how long the caller of a tool in this process waits for its end after a
// cancellation. It is longer than the grace of a run, so a run knows which calls have not ended.
const CancelTime = time.Second

func (c *pendingCall) cancel(started upstream.Started, cause error) {
	started.Cancel(string(toolscript.KindOf(cause)), c.unanswered(cause))
}

// failed completes the error of a connection. If the call was stopped, its cause replaces the
// error, unless the connection knows that the call was not sent. The caller holds mu.
func (c *pendingCall) failed(err error) error {
	if ended := c.Err(); ended != nil && toolscript.KindOf(err) == toolscript.Internal && errors.Is(err, ended) {
		err = named(mailbox.ContextError(c.Context), c.about)
	}
	sent := toolscript.SentOf(err)
	if errors.Is(err, upstream.ErrUnreachable) {
		sent = toolscript.SentNo
	}
	switch {
	case c.cause != nil && sent != toolscript.SentNo:
		err = named(c.cause, c.about)
	case c.cause != nil, c.call.Own != "":
		err = named(err, c.about)
	}
	return withSent(err, sent)
}
