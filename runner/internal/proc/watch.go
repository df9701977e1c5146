package proc

import (
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Bounds are what a process may use for one piece of work.
type Bounds struct {
	Memory int64         // bytes that it holds; no bound where the system does not tell
	Most   runner.Effort // as a Clock counts it; of wall time, since a process that hangs does no work
	Spent  runner.Effort // of Most, before the watch began
}

// watchPoll is how often a process is looked at. A compiler fills a gigabyte a
// second at most.
const watchPoll = 20 * time.Millisecond

// A Watch ends a process that goes beyond its bounds.
type Watch struct {
	Clock
	bounds Bounds
	end    chan struct{}
	result chan *toolscript.Error
}

// StartWatch calls kill with the reason, once, when the process goes beyond its
// bounds.
func StartWatch(pid int, b Bounds, kill func(why error)) Watch {
	w := Watch{StartClock(pid), b, make(chan struct{}), make(chan *toolscript.Error, 1)}
	go func() {
		over := w.wait()
		if over != nil {
			kill(over)
		}
		w.result <- over
	}()
	return w
}

// Stop ends the watch, and must be called once. It says what the process was killed
// for, as an error of kind LimitMemory or LimitTime; nil when it was not.
func (w Watch) Stop() *toolscript.Error {
	close(w.end)
	return <-w.result
}

func (w Watch) wait() *toolscript.Error {
	poll := time.NewTicker(watchPoll)
	defer poll.Stop()
	for {
		select {
		case <-w.end:
			return nil
		case <-poll.C:
		}
		if over := w.over(); over != nil {
			return over
		}
	}
}

func (w Watch) over() *toolscript.Error {
	total := w.bounds.Spent.Plus(w.Effort())
	switch most := w.bounds.Most; {
	case RSS(w.pid) > w.bounds.Memory:
		return &toolscript.Error{Kind: toolscript.LimitMemory, Err: fmt.Errorf("that took more than %d MB of memory", w.bounds.Memory>>20)}
	case total.Work > most.Work:
		return tooLong(most.Work)
	case total.Wall > most.Wall:
		return tooLong(most.Wall)
	}
	return nil
}

func tooLong(bound time.Duration) *toolscript.Error {
	return &toolscript.Error{Kind: toolscript.LimitTime, Err: fmt.Errorf("that took longer than %s", bound.Round(time.Millisecond))}
}
