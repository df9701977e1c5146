package kept

import (
	"os"

	"github.com/toolscript/toolscript"
)

// EventLog writes the events of a running run. Only one goroutine may use it at a time.
type EventLog struct {
	store Events
	id    string
	to    *os.File
	live  func() // releases the lock that shows that the run has not ended
	size  int64
	full  bool
}

// eventsNotKept replaces the output beyond MostRunEvents.
const eventsNotKept = "\n[the rest of the output is not stored: the limit of a detached run is 32 MB]\n"

// Add adds an event. Beyond MostRunEvents it drops all events except the last one, without an
// error; the output then has a note.
func (l *EventLog) Add(e toolscript.Event) error {
	if e.Type == toolscript.EventEnd {
		return l.write(e)
	}
	if l.full {
		return nil
	}
	if l.size+int64(len(e.Data)+len(e.Message)+len(e.Result)) > MostRunEvents {
		l.full = true
		e = toolscript.Event{Type: toolscript.EventStderr, Data: eventsNotKept}
	}
	return l.write(e)
}

func (l *EventLog) write(e toolscript.Event) error {
	text, err := toolscript.PlainJSON(e)
	if err != nil {
		return err
	}
	n, err := l.to.Write(append(text, '\n'))
	l.size += int64(n)
	return err
}

// Close ends the log. If the last event was not added, Follow adds one with an error.
func (l *EventLog) Close() error {
	err := l.to.Close()
	l.live()
	_ = os.Remove(l.store.lock(l.id)) // if another process has it open, it may stay, unlocked
	return err
}
