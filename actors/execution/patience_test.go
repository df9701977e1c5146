package execution

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
)

// What is told of calls comes when it is due also after the client was hurried while
// nothing waited for it, as a run that is cancelled does, and a timer that comes late.
func TestNewsAfterAHurryForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []toolscript.EventType
		e := newEmitter("run", t.TempDir(), func(event toolscript.Event) error {
			got = append(got, event.Type)
			return nil
		}, func(error) {})
		e.release()
		synctest.Wait()
		e.emit(toolscript.Event{Type: toolscript.EventCall})
		time.Sleep(lateness)
		synctest.Wait()
		if len(got) != 1 || got[0] != toolscript.EventCall {
			t.Errorf("after %s the client has %q, want the call", lateness, got)
		}
		e.end(toolscript.End{})
		<-e.done
	})
}

// The patience of a run is that of all who wait in it: that one of them has found room
// leaves the others no longer to wait.
func TestPatienceOfAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := make(chan struct{})
		e := newEmitter("run", t.TempDir(), func(toolscript.Event) error {
			<-reads
			return nil
		}, func(error) {})
		news, output := toolscript.Event{Type: toolscript.EventCall}, toolscript.Event{Type: toolscript.EventStdout}
		e.emit(output)
		synctest.Wait() // the client has it in hand
		for range newsAhead - eventsAhead {
			e.emit(news)
		}
		for range eventsAhead {
			e.emit(output)
		}
		done := make(chan toolscript.EventType, 2)
		for _, event := range []toolscript.Event{output, news} {
			go func() {
				e.emit(event)
				done <- event.Type
			}()
			synctest.Wait()
		}
		reads <- struct{}{} // room for the news, and none for output
		for range cap(done) {
			select {
			case <-done:
			case <-time.After(2 * patience):
				t.Error("one who waits is forgotten")
			}
		}
		close(reads)
		e.end(toolscript.End{})
		<-e.done
	})
}
