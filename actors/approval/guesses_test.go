package approval_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
)

// notices collects the lines for the person.
type notices struct {
	mu  sync.Mutex
	all []string
}

func (n *notices) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, text)
}

func (n *notices) take() []string {
	synctest.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.all
	n.all = nil
	return all
}

func withNotices(n *notices) func(*approval.Options) {
	return func(o *approval.Options) {
		o.Notice, o.Timeout = n.add, func() time.Duration { return time.Hour }
	}
}

// guess tries wrong codes for new requests of new runs for a time, as fast as it can, and
// returns the number of those that were compared.
func (r *rig) guess(how func(n int) string, within time.Duration) (compared int) {
	r.t.Helper()
	id := ""
	for n, begin := 0, time.Now(); time.Since(begin) < within; n++ {
		if len(r.list()) == 0 || id == "" {
			id = r.asked(fmt.Sprintf("run_%d", n), "files__write").Approval.ID
		}
		switch err := r.allow(id, "", how(n)); toolscript.KindOf(err) {
		case toolscript.Forbidden:
			compared++
			if strings.Contains(err.Error(), "too many wrong codes") {
				id = ""
			}
		case toolscript.Busy:
			time.Sleep(20 * time.Millisecond) // an attacker that never rests
		default:
			r.t.Fatalf("a guess: %v", err)
		}
	}
	return compared
}

// TestGuessesOverRequests: new requests buy no more guesses. The pause grows, the person
// gets one line for each pause, and in a pause not even the right code is compared.
func TestGuessesOverRequests(t *testing.T) {
	seen := &notices{}
	run(t, withNotices(seen), func(r *rig) {
		if compared := r.guess(func(int) string { return "AAAAAA" }, time.Minute); compared > 10 {
			t.Errorf("%d guesses were compared in the first minute, want at most 10", compared)
		}
		if told := seen.take(); len(told) < 2 || len(told) > 6 || !strings.Contains(told[0], "no codes are accepted for 2s") || strings.Contains(told[0], "\n") {
			t.Errorf("notices %q", told)
		}
		ticket := r.asked("another", "files__write")
		err := r.allow(ticket.Approval.ID, "", r.code(ticket.Approval.ID))
		r.wantKind("the right code in a pause", err, toolscript.Busy)
		r.wantKind("deny in a pause", r.answer(ticket.Approval.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny}, false), "")
		other := r.asked("another", "files__write")
		r.wantKind("an approver in a pause", r.answer(other.Approval.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow}, true), "")
	})
}

// TestGuessesOverADay: an attacker that never rests has a few hundred guesses a day, of a
// thousand million codes.
func TestGuessesOverADay(t *testing.T) {
	run(t, nil, func(r *rig) {
		compared := 0
		for begin := time.Now(); time.Since(begin) < 24*time.Hour; {
			ticket := r.asked("run", "files__write")
			for time.Now().Before(ticket.Approval.Expires.Add(-time.Second)) {
				err := r.allow(ticket.Approval.ID, "", "AAAAAA")
				if toolscript.KindOf(err) == toolscript.Forbidden {
					compared++
				}
				time.Sleep(5 * time.Second)
			}
			<-ticket.Decided
		}
		if compared < 10 || compared > 200 {
			t.Errorf("%d guesses were compared in a day", compared)
		}
	})
}

// TestGuessesAfterARightCode: a harmless request that the person allows buys no more guesses.
func TestGuessesAfterARightCode(t *testing.T) {
	run(t, nil, func(r *rig) {
		compared := 0
		for n := range 50 {
			ticket := r.asked(fmt.Sprintf("run_%d", n), "files__read")
			if r.allow(ticket.Approval.ID, "", r.code(ticket.Approval.ID)) != nil {
				r.wantKind("deny", r.answer(ticket.Approval.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny}, true), "")
			}
			bad := r.asked(fmt.Sprintf("run_%d", n), "files__write")
			if toolscript.KindOf(r.allow(bad.Approval.ID, "", "AAAAAA")) == toolscript.Forbidden {
				compared++
			}
			r.wantKind("deny", r.answer(bad.Approval.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny}, true), "")
		}
		if compared > 5 {
			t.Errorf("%d wrong codes were compared at once, want at most 5", compared)
		}
	})
}

// TestGuessesFromManySides: several senders together have no more guesses than one.
func TestGuessesFromManySides(t *testing.T) {
	run(t, nil, func(r *rig) {
		var ids []string
		for n := range 10 {
			ids = append(ids, r.asked(fmt.Sprintf("run_%d", n), "files__write").Approval.ID)
		}
		var senders sync.WaitGroup
		var mu sync.Mutex
		compared := 0
		for _, id := range ids {
			senders.Go(func() {
				for range 4 {
					if toolscript.KindOf(r.allow(id, "", "AAAAAA")) == toolscript.Forbidden {
						mu.Lock()
						compared++
						mu.Unlock()
					}
				}
			})
		}
		senders.Wait()
		if compared != 5 {
			t.Errorf("%d guesses were compared, want 5", compared)
		}
	})
}

// TestMistypedCodes: a person who mistypes a code can go on, and wrong codes are forgotten.
// A missing code is no guess.
func TestMistypedCodes(t *testing.T) {
	seen := &notices{}
	run(t, withNotices(seen), func(r *rig) {
		for range 9 {
			ticket := r.asked("run_1", "files__write")
			for _, code := range []string{"ABCDEF", "", "ABCDE7", " "} {
				r.wantKind("a mistake", r.allow(ticket.Approval.ID, "", code), toolscript.Forbidden)
			}
			r.wantKind("the code", r.allow(ticket.Approval.ID, "", r.code(ticket.Approval.ID)), "")
			time.Sleep(2 * time.Hour)
		}
		if told := seen.take(); len(told) > 0 {
			t.Errorf("notices %q", told)
		}
	})
}
