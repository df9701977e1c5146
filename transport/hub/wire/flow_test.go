package wire_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/transport/hub/wire"
)

// away returns how many pieces a Flow allows on their way at the same time.
func away(f *wire.Flow) int {
	var granted []*wire.Slot
	over := false
	for before := -1; before != len(granted); {
		before = len(granted)
		f.Ask(func(s *wire.Slot) {
			if over { // the last one was waiting
				s.Release()
				return
			}
			granted = append(granted, s)
		})
	}
	over = true
	for _, s := range granted {
		s.Release()
	}
	return len(granted)
}

// TestFlowAdapts checks that one piece at a time is on its way over a slow connection, and many over a fast one.
func TestFlowAdapts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f wire.Flow
		pass := func(took time.Duration) {
			f.Ask(func(s *wire.Slot) {
				time.Sleep(took)
				s.Arrived()
			})
		}
		for range 10 {
			pass(2 * time.Second)
		}
		if n := away(&f); n != 1 {
			t.Errorf("%d pieces at once on a slow connection", n)
		}
		for range 100 {
			pass(time.Millisecond)
		}
		if n := away(&f); n != wire.MostRoom {
			t.Errorf("%d pieces at once on a fast connection, want %d", n, wire.MostRoom)
		}
	})
}

// TestPayloadsTakeTurns checks that a small payload does not wait for the end of a large one, and
// that an abandoned payload gives its room to others.
func TestPayloadsTakeTurns(t *testing.T) {
	var f wire.Flow
	var order []string
	begin := func(name string, pieces int) *wire.Incoming {
		in := wire.NewIncoming(pieces*wire.PieceSize, &f, func() { order = append(order, name) })
		in.Start()
		return in
	}
	large, small := begin("large", 100), begin("small", 2)
	if len(order) == 0 || len(order) >= 100 {
		t.Fatalf("the sender has room for %d of 100 pieces", len(order))
	}
	piece := make([]byte, wire.PieceSize)
	for n := 0; ; n++ {
		if n > 10 {
			t.Fatalf("after %d pieces of the large payload, the small one has no room: %v", n, order)
		}
		if _, err := large.Add(piece); err != nil {
			t.Fatal(err)
		}
		if order[len(order)-1] == "small" {
			break
		}
	}
	large.Stop()
	if _, err := large.Add(piece); !errors.Is(err, wire.ErrPieces) {
		t.Errorf("a piece after the end: %v", err)
	}
	for i, complete := 0, false; !complete; i++ {
		var err error
		if complete, err = small.Add(piece); err != nil || i > 2 {
			t.Fatalf("piece %d of the small payload: %v", i, err)
		}
	}
	before := len(order)
	begin("next", 3)
	if len(order) != before+3 {
		t.Errorf("a payload has room for %d pieces while no other is on its way", len(order)-before)
	}
}
