package execution

import (
	"errors"
	"sync/atomic"

	"github.com/toolscript/toolscript"
)

const (
	// mostLeft bounds what tasks keep in memory that have outlived their scripts, of
	// all runs of a gateway together: the bound of a run ends with the run.
	mostLeft = 64 << 20
	// taskCost is what a task keeps beside its arguments: goroutines, and what waits
	// for its answer.
	taskCost = 16 << 10
)

// errTooMuchLeft is why a task ends with its script.
var errTooMuchLeft = &toolscript.Error{
	Kind: toolscript.Cancelled, Err: errors.New("the tasks that outlived their scripts are too many or too large for one more"),
}

// leftovers counts what such tasks keep. It is safe for concurrent use.
type leftovers struct{ bytes atomic.Int64 }

// take makes room for a task with arguments of so many bytes, if there is any.
func (l *leftovers) take(arguments int) bool {
	cost := int64(arguments) + taskCost
	if l.bytes.Add(cost) > mostLeft {
		l.bytes.Add(-cost)
		return false
	}
	return true
}

// release gives back what take took.
func (l *leftovers) release(arguments int) { l.bytes.Add(-int64(arguments) - taskCost) }
