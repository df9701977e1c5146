package server

import (
	"errors"
	"time"

	"github.com/toolscript/toolscript"
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
	m.Task, m.Wait = id, max(m.Wait, taskWait)
	return true
}

// again lets the actor make the call on its next connection, or follow the task of the call there.
func (c *pendingCall) again(unreachable error) {
	m := *c.call
	if c.actor {
		_, over := c.settle()
		for _, f := range over {
			f()
		}
	} else {
		parked, ok := c.park()
		if !ok {
			c.replied(nil, endedWith(c.about))
			return
		}
		m = parked
	}
	m.follows(unreachable)
	c.on.post(notSent{c.on.generation, m, unreachable})
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
func (c *pendingCall) beganTask(id string) {
	if c.call.Began != nil {
		c.call.Began(id)
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.task = true
}

func (c *pendingCall) worksOnTask() bool {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	return c.task
}
