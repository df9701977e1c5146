package runs

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/toolscript/toolscript"
)

// scriptEnded notes the end of the script and returns the calls still in flight: tasks, which
// continue if the script ended normally and there is memory for them, and calls that have not
// ended although they were cancelled.
func (s *calls) scriptEnded(normally bool) []toolscript.DetachedCall {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	var detached []toolscript.DetachedCall
	s.cancelSome(func(c *runCall) error {
		switch {
		case !c.Task && !c.started:
			return errAborted
		case c.Task && !normally:
			s.leave(c)
			return errAborted
		case c.Task && !s.shared.tasks.take(len(c.Args)):
			s.leave(c)
			return errTaskMemory
		case c.Task:
			c.kept = true
			s.limitTask(c)
		}
		s.note(c).Detached = true
		detached = append(detached, toolscript.DetachedCall{CallID: c.CallID, Tool: c.ID, Task: c.Task})
		return nil
	})
	return detached
}

// idsInOrder returns the ids of calls in the order in which the script made them.
func idsInOrder(calls map[string]*runCall) []string {
	return slices.SortedFunc(maps.Keys(calls), inCallOrder)
}

func inCallOrder(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// stopTasks cancels the calls that outlived the script, and reports whether it cancelled any.
func (s *calls) stopTasks() bool {
	return s.cancelSome(func(*runCall) error { return errStopped }) > 0
}

const (
	// maxTaskMemory bounds the memory of the tasks that outlived their scripts, for
	// all runs of a gateway together.
	maxTaskMemory = 64 << 20
	// taskCost is the memory of a task besides its arguments: goroutines, and the
	// state that waits for its answer.
	taskCost = 16 << 10
)

var errTaskMemory = &toolscript.Error{
	Kind: toolscript.Cancelled, Err: errors.New("the tasks of scripts that have ended have reached their limit"),
}

// taskMemory counts the memory of tasks that outlived their scripts. It is safe for concurrent use.
type taskMemory struct{ bytes atomic.Int64 }

// take reserves memory for a task with arguments of this many bytes. It returns false if there
// is not enough.
func (m *taskMemory) take(arguments int) bool {
	cost := int64(arguments) + taskCost
	if m.bytes.Add(cost) > maxTaskMemory {
		m.bytes.Add(-cost)
		return false
	}
	return true
}

// release gives back the memory that take reserved.
func (m *taskMemory) release(arguments int) { m.bytes.Add(-int64(arguments) - taskCost) }
