package host_test

import (
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// answerAll answers each call with the name of its hub.
func answerAll(t *testing.T, name string, begun <-chan wire.ServerCall) {
	t.Helper()
	go func() {
		for {
			select {
			case c := <-begun:
				c.Done(answerWith(name), nil)
			case <-t.Context().Done():
				return
			}
		}
	}()
}

// TestFleetAvoids: after the first failed call of a hub that does not answer, the other hub gets all
// calls until the first one answers again.
func TestFleetAvoids(t *testing.T) {
	t.Parallel()
	at, cfg := startNATS(t), config(t, "")
	slow, v := stoppable(t, at)
	_, one := joinHeld(t, slow, "one", cfg, true, 10)
	_, two := joinHeld(t, at, "two", cfg, true, 10)
	answerAll(t, "one", one)
	answerAll(t, "two", two)
	c := dialFleet(t, at)
	by := func() (string, error) {
		_, over := startCall(t, c, "x")
		o := kit.Receive(t, over)
		if o.err != nil {
			return "", o.err
		}
		return text(t, o.result, o.err), nil
	}
	until := func(what, want string) {
		t.Helper()
		kit.Eventually(t, what, func() bool {
			name, err := by()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return name == want
		})
	}
	until("the first hub answers", "one")
	v.close()
	kit.Eventually(t, "a call fails", func() bool {
		_, err := by()
		if err != nil && toolscript.KindOf(err) != toolscript.Unavailable {
			t.Fatal(err)
		}
		return err != nil
	})
	for range 50 {
		if name, err := by(); err != nil || name != "two" {
			t.Fatalf("a call after the first failed one: %q, %v", name, err)
		}
	}
	v.reopen()
	until("the first hub answers again", "one")
}

// TestFleetElsewhere: if the gateway chooses the hub of each call, the end of a hub fails no call.
func TestFleetElsewhere(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes eight seconds")
	}
	at, cfg := startNATS(t), config(t, "")
	slow, v := stoppable(t, at)
	joinHeld(t, slow, "stopped", cfg, true, 10)
	first, one := joinHeld(t, at, "one", cfg, true, 10)
	_, two := joinHeld(t, at, "two", cfg, true, 10)
	answerAll(t, "one", one)
	answerAll(t, "two", two)
	c := dialFleet(t, at)
	v.close()
	kit.Eventually(t, "a call fails", func() bool {
		_, over := startCall(t, c, "x")
		return kit.Receive(t, over).err != nil
	})
	closed := closing(first)
	for ended := false; !ended; {
		select {
		case <-closed:
			ended = true
		default:
		}
		_, over := startCall(t, c, "x")
		if o := kit.Receive(t, over); o.err != nil {
			t.Errorf("a call while a hub leaves: %v", o.err)
		}
	}
}
