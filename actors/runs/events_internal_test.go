package runs

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
)

// TestCallEventAfterAnEmptyFlush: an event of a call is delivered after maxDelay, even if the emitter was flushed
// while no event waited, as at the end of the context of a run.
func TestCallEventAfterAnEmptyFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []toolscript.EventType
		e := newEmitter("run", t.TempDir(), func(event toolscript.Event) error {
			got = append(got, event.Type)
			return nil
		}, func(error) {})
		e.release()
		synctest.Wait()
		e.emit(toolscript.Event{Type: toolscript.EventCall})
		time.Sleep(maxDelay)
		synctest.Wait()
		if len(got) != 1 || got[0] != toolscript.EventCall {
			t.Errorf("after %s the client has %q, want the call", maxDelay, got)
		}
		e.end(toolscript.End{})
		<-e.done
	})
}

// TestEventsOfCallsAreBounded: events of calls wait in memory for a client that does not read, but only up to a bound.
func TestEventsOfCallsAreBounded(t *testing.T) {
	large := toolscript.Event{Type: toolscript.EventCallEnd, Result: []byte("{}")}
	for event, most := range map[*toolscript.Event]int{{Type: toolscript.EventCall}: callEventsAhead, &large: detailsAhead} {
		synctest.Test(t, func(t *testing.T) {
			e, reads := unread(t)
			e.emit(toolscript.Event{Type: toolscript.EventStdout})
			synctest.Wait() // the client has taken it
			n := 0
			for n <= callEventsAhead && e.try(*event) {
				n++
			}
			if n != most {
				t.Errorf("%d events %s wait, want %d", n, event.Type, most)
			}
			close(reads)
			e.end(toolscript.End{})
			<-e.done
		})
	}
}

// TestEventsOfCallsDoNotOvertake: an event of a call does not get past output that waits for room.
func TestEventsOfCallsDoNotOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, reads := unread(t)
		for range eventsAhead + 2 { // the client takes the first, and the last one waits
			go e.emit(toolscript.Event{Type: toolscript.EventStdout})
			synctest.Wait()
		}
		if e.try(toolscript.Event{Type: toolscript.EventCall}) {
			t.Error("the event of a call was added before output that waits")
		}
		close(reads)
		e.end(toolscript.End{})
		<-e.done
	})
}

// All waiting calls of emit share maxWait: when one of them finds room, the others do not
// wait longer.
func TestWaitingCallsShareMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, reads := unread(t)
		callEvent, output := toolscript.Event{Type: toolscript.EventCall}, toolscript.Event{Type: toolscript.EventStdout}
		e.emit(output)
		synctest.Wait() // the client has taken it
		for range callEventsAhead - eventsAhead {
			e.emit(callEvent)
		}
		for range eventsAhead {
			e.emit(output)
		}
		done := make(chan toolscript.EventType, 2)
		for _, event := range []toolscript.Event{output, callEvent} {
			go func() {
				e.emit(event)
				done <- event.Type
			}()
			synctest.Wait()
		}
		reads <- struct{}{} // room for the event of a call, and none for output
		for range cap(done) {
			select {
			case <-done:
			case <-time.After(2 * maxWait):
				t.Error("one who waits is forgotten")
			}
		}
		close(reads)
		e.end(toolscript.End{})
		<-e.done
	})
}

// unread returns an emitter whose client takes one event for each value of reads, and all of them when reads is closed.
func unread(t *testing.T) (e *emitter, reads chan struct{}) {
	t.Helper()
	reads = make(chan struct{})
	return newEmitter("run", t.TempDir(), func(toolscript.Event) error {
		<-reads
		return nil
	}, func(error) {}), reads
}
