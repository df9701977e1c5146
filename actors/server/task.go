package server

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// taskWait is how long a call whose server works on a task waits for another connection.
const taskWait = time.Minute

// follows makes a call whose connection was lost follow its task on the next connection. It returns
// false if the server works on no task for the call.
func (m *Call) follows(err error) bool {
	id := mcpclient.TaskOf(err)
	if id == "" {
		return false
	}
	m.task, m.Wait = id, max(m.Wait, taskWait)
	return true
}

// follow lets the actor follow the task of a call that was made on the connection itself. The
// caller must not make the call again.
func (c *pendingCall) follow(m Call, why error) {
	ctx, cancel := context.WithCancel(m.Ctx)
	c.whenOver(cancel)
	reply := make(mailbox.Reply[json.RawMessage], 1)
	m.Ctx, m.Reply = ctx, reply
	c.post(notSent{c.generation, m, why})
	c.work.Go(func() { c.replied(reply.Receive(ctx, mailbox.Address{})) }, func(err error) { c.replied(nil, err) })
}

// leftTask returns the error of a call whose server works on a task that is not followed any more.
func leftTask(id string, err error) error {
	var known *toolscript.Error
	if !errors.As(err, &known) {
		return err
	}
	full := *known
	full.Sent, full.RetryAfter, full.Err = toolscript.SentUnknown, 0, &mcpclient.TaskError{ID: id, Err: known.Err}
	return &full
}

// beganTask records that the server works on a task for the call. Such a call ends by itself when
// the connection is lost, with the id of the task.
func (c *pendingCall) beganTask(string) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.task = true
}

func (c *pendingCall) worksOnTask() bool {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	return c.task
}
