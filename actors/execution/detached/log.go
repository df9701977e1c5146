package detached

import (
	"os"

	"github.com/toolscript/toolscript"
)

// Log are the events of a run that goes on. One goroutine uses it at a time.
type Log struct {
	store Store
	id    string
	to    *os.File
	live  func() // releases the lock that says that the run goes on
	size  int64
	full  bool
}

// notKept is printed in the place of output beyond MostBytes.
const notKept = "\n[the rest of the output is not stored: the limit of a detached run is 32 MB]\n"

// Add adds an event. Events beyond MostBytes are dropped without an error, but for the
// last one; the output then says so.
func (l *Log) Add(e toolscript.Event) error {
	if e.Type == toolscript.EventEnd {
		return l.write(e)
	}
	if l.full {
		return nil
	}
	if l.size+int64(len(e.Data)+len(e.Message)+len(e.Result)) > MostBytes {
		l.full = true
		e = toolscript.Event{Type: toolscript.EventStderr, Data: notKept}
	}
	return l.write(e)
}

func (l *Log) write(e toolscript.Event) error {
	text, err := toolscript.PlainJSON(e)
	if err != nil {
		return err
	}
	n, err := l.to.Write(append(text, '\n'))
	l.size += int64(n)
	return err
}

// Close ends the log. A run without its last event has ended with its gateway.
func (l *Log) Close() error {
	err := l.to.Close()
	l.live()
	_ = os.Remove(l.store.lock(l.id)) // another process may look at it; then it stays without a lock
	return err
}
