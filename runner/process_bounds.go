package runner

import (
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
)

// Bounds limit the memory and the time that a process may use for one piece of work.
type Bounds struct {
	Memory int64 // bytes; ignored if the system does not report memory
	Most   Usage // work and wall time, as a WorkClock measures them
	Spent  Usage // part of Most that was used before the watch started
}

// watchPoll is the interval of the checks. A compiler allocates at most a gigabyte per
// second.
const watchPoll = 20 * time.Millisecond

// A Watch ends a process that exceeds its bounds.
type Watch struct {
	WorkClock
	bounds Bounds
	end    chan struct{}
	result chan *toolscript.Error
}

// StartWatch calls kill with the reason, once, when the process exceeds its bounds.
func StartWatch(pid int, b Bounds, kill func(why error)) Watch {
	w := Watch{StartWorkClock(pid), b, make(chan struct{}), make(chan *toolscript.Error, 1)}
	go func() {
		over := w.wait()
		if over != nil {
			kill(over)
		}
		w.result <- over
	}()
	return w
}

// Stop ends the watch, and must be called once. It returns why the process was killed,
// as an error of kind LimitMemory or LimitTime, or nil.
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
	total := w.bounds.Spent.Plus(w.Usage())
	switch most := w.bounds.Most; {
	case RSS(w.pid) > w.bounds.Memory:
		return &toolscript.Error{Kind: toolscript.LimitMemory, Err: fmt.Errorf("it needed more than %d MB of memory", w.bounds.Memory>>20)}
	case total.Work > most.Work:
		return tooLong(most.Work)
	case total.Wall > most.Wall:
		return tooLong(most.Wall)
	}
	return nil
}

func tooLong(bound time.Duration) *toolscript.Error {
	return &toolscript.Error{Kind: toolscript.LimitTime, Err: fmt.Errorf("it took longer than %s", bound.Round(time.Millisecond))}
}
