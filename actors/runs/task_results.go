package runs

import (
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/runner"
)

// maxTaskTime bounds a task of the script of an answer, from the end of the script.
const maxTaskTime = time.Hour

var errTaskTime = &toolscript.Error{
	Kind: toolscript.LimitTime, Err: errors.New("the task was stopped an hour after the end of its script"),
}

// keepResult stores the result of a task that has outlived the script of an answer, so that it
// can be read later. It may wait for the disk, because such tasks run in their own goroutines.
func (s *calls) keepResult(c *runCall, a runner.Answer) {
	s.mu.Lock()
	stored, late := c.kept, c.late
	s.mu.Unlock()
	if !stored {
		return
	}
	if late != nil {
		late.Stop()
	}
	text, err := toolscript.PlainJSON(toolscript.TaskResult{CallID: c.CallID, Tool: c.ID, OK: a.Failure == nil, Result: a.Value, Error: a.Failure})
	if err == nil {
		err = s.deps.Kept.Put(s.id, kept.Task(c.CallID), text)
	}
	_ = err // the record of the run says how the task ended
}

// limitTask bounds a task that outlives the script of an answer. The caller holds mu.
func (s *calls) limitTask(c *runCall) {
	if !s.detailed() {
		return
	}
	c.late = time.AfterFunc(maxTaskTime, func() {
		s.mu.Lock()
		then := func() {}
		if s.inFlight[c.CallID] == c {
			then = s.cancel(c, errTaskTime)
		}
		s.mu.Unlock()
		then()
	})
}
