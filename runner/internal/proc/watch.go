package proc

import (
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
)

// Bounds are what a process may use for one piece of work.
type Bounds struct {
	Memory int64         // bytes that it holds; no bound where the system does not tell
	Work   time.Duration // as a Clock counts it
	Spent  time.Duration // of Work, before the watch began
	Wall   time.Duration // that may pass in any case: a process that hangs does no work
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
	switch {
	case RSS(w.pid) > w.bounds.Memory:
		return &toolscript.Error{Kind: toolscript.LimitMemory, Err: fmt.Errorf("that took more than %d MB of memory", w.bounds.Memory>>20)}
	case w.bounds.Spent+w.Worked() > w.bounds.Work:
		return tooLong(w.bounds.Work)
	case w.Passed() > w.bounds.Wall:
		return tooLong(w.bounds.Wall)
	}
	return nil
}

func tooLong(bound time.Duration) *toolscript.Error {
	return &toolscript.Error{Kind: toolscript.LimitTime, Err: fmt.Errorf("that took longer than %s", bound.Round(time.Millisecond))}
}
