package approval_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// asking is a call that may wait for its request.
type asking struct {
	ticket approval.Ticket
	err    error
	stop   context.CancelFunc

	done atomic.Bool // the fields above are set
}

// shown reports whether the call has its request, or was allowed without one.
func (a *asking) shown() bool { return a.done.Load() && a.err == nil }

// start makes calls without waiting for their requests.
func (r *rig) start(n int, run func(int) string, pin bool) []*asking {
	r.t.Helper()
	all := make([]*asking, n)
	for i := range all {
		ctx, cancel := context.WithTimeout(r.t.Context(), 100*time.Hour)
		call := &asking{stop: cancel}
		r.calls = append(r.calls, call)
		all[i] = call
		go func() {
			call.ticket, call.err = mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[approval.Ticket]) any {
				return approval.Ask{Ctx: ctx, Once: pin, Pin: testPin(pin), Reply: reply, Approval: toolscript.Approval{Run: run(i), Tool: "files__write", Args: "{}", Pin: pin}}
			})
			if call.ticket.Queued != nil {
				call.ticket, call.err = call.ticket.Queued.Receive(ctx, r.at)
			}
			call.done.Store(true)
		}()
	}
	synctest.Wait()
	return all
}

func testPin(none bool) approval.Pin {
	if none {
		return approval.Pin{}
	}
	return pin
}

func shown(all []*asking) (n int) {
	for _, call := range all {
		if call.shown() {
			n++
		}
	}
	return n
}

func oneRun(int) string     { return "run_1" }
func manyRuns(i int) string { return fmt.Sprintf("run_%d", i) }
func outside(int) string    { return "" }

// TestFewRequestsAreOpen: of many calls at once, a handful are shown, for each run and for the
// gateway. Calls from outside any run count as one run.
func TestFewRequestsAreOpen(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(int) string
		want int
	}{
		{"one run", oneRun, 5},
		{"many runs", manyRuns, 10},
		{"outside any run", outside, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			run(t, nil, func(r *rig) {
				all := r.start(40, test.run, false)
				if ids := r.list(); len(ids) != test.want || shown(all) != test.want || len(r.codes) != test.want {
					t.Errorf("%d requests, %d calls have one, %d were shown; want %d", len(ids), shown(all), len(r.codes), test.want)
				}
			})
		})
	}
}

// TestFewPinsAreOpen: a request to accept a tool does not wait for its turn, because its
// sender does not.
func TestFewPinsAreOpen(t *testing.T) {
	run(t, nil, func(r *rig) {
		all := r.start(8, outside, true)
		busy := 0
		for _, call := range all {
			if call.done.Load() && toolscript.KindOf(call.err) == toolscript.Busy {
				busy++
			}
		}
		if shown(all) != 5 || busy != 3 {
			t.Errorf("%d are shown and %d refused, want 5 and 3", shown(all), busy)
		}
	})
}

// TestOtherRunsGoOn: the calls that wait in one run do not keep another run from asking.
func TestOtherRunsGoOn(t *testing.T) {
	run(t, nil, func(r *rig) {
		r.start(40, oneRun, false)
		if other := r.start(1, func(int) string { return "run_2" }, false); shown(other) != 1 {
			t.Error("the other run is not asked about")
		}
	})
}

// TestNextIsShown: an answer makes room for the next call. An answer for the run decides the waiting calls of the
// run.
func TestNextIsShown(t *testing.T) {
	run(t, nil, func(r *rig) {
		all := r.start(30, oneRun, false)
		for n := range 10 {
			id := r.list()[0]
			r.wantKind("allow", r.allow(id, "", r.code(id)), "")
			synctest.Wait()
			if got := shown(all); got != 6+n {
				t.Fatalf("%d calls were shown after %d answers", got, n+1)
			}
		}
		id := r.list()[0]
		r.wantKind("allow", r.allow(id, toolscript.ScopeRun, r.code(id)), "")
		synctest.Wait()
		for i, call := range all {
			if !call.shown() {
				t.Errorf("call %d still waits: %v", i, call.err)
			} else if call.ticket.Decided != nil {
				r.wantKind("a call", <-call.ticket.Decided, "")
			}
		}
		if len(r.list()) != 0 || len(r.codes) != 15 {
			t.Errorf("requests %v, %d were shown, want 15", r.list(), len(r.codes))
		}
	})
}

// TestFloodIsShownSlowly: after a number of requests that ended without an answer of the person, because their
// program withdrew or denied them, the next ones are shown slowly.
func TestFloodIsShownSlowly(t *testing.T) {
	deny := toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny}
	for name, end := range map[string]func(r *rig, call *asking){
		"withdrawn": func(_ *rig, call *asking) { call.stop() },
		"denied":    func(r *rig, call *asking) { r.wantKind("deny", r.answer(call.ticket.Approval.ID, deny, false), "") },
		"both": func(r *rig, call *asking) {
			if call.stop(); len(r.codes)%2 == 0 {
				_ = r.answer(call.ticket.Approval.ID, deny, false) // it may be withdrawn already
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, nil, func(r *rig) {
				for begin := time.Now(); time.Since(begin) < 10*time.Minute; {
					call := r.start(1, oneRun, false)[0]
					if !call.shown() {
						time.Sleep(time.Second)
						synctest.Wait()
					}
					if !call.shown() {
						call.stop()
						continue
					}
					end(r, call)
					synctest.Wait()
				}
				if n := len(r.codes); n < 60 || n > 20+10*60/6+1 {
					t.Errorf("%d requests were shown in ten minutes", n)
				}
			})
		})
	}
}

// TestAnswersAreNoFlood: a person who answers quickly is asked quickly.
func TestAnswersAreNoFlood(t *testing.T) {
	run(t, nil, func(r *rig) {
		begin := time.Now()
		for n := range 300 {
			ticket := r.asked("run_1", "files__write")
			if n%2 == 0 {
				r.wantKind("allow", r.allow(ticket.Approval.ID, "", r.code(ticket.Approval.ID)), "")
			} else {
				r.wantKind("deny", r.answer(ticket.Approval.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny}, true), "")
			}
		}
		if took := time.Since(begin); took > 0 {
			t.Errorf("300 requests took %s", took)
		}
	})
}

// TestTooManyCallsWait: the number of calls that wait is bounded, and those that have ended
// are forgotten.
func TestTooManyCallsWait(t *testing.T) {
	run(t, nil, func(r *rig) {
		all := r.start(1010, oneRun, false)
		denied := 0
		for _, call := range all {
			if call.done.Load() && toolscript.KindOf(call.err) == toolscript.ApprovalDenied {
				denied++
			}
		}
		if denied != 5 || shown(all) != 5 {
			t.Fatalf("%d calls are denied and %d shown, want 5 and 5", denied, shown(all))
		}
		for _, call := range all {
			call.stop()
		}
		synctest.Wait()
		if ids := r.list(); len(ids) != 0 {
			t.Errorf("requests %v after the end of the calls", ids)
		}
		time.Sleep(10 * time.Minute) // some of them were shown
		if later := r.start(1005, oneRun, false); shown(later) != 5 {
			t.Errorf("%d calls are shown later", shown(later))
		}
	})
}

// TestEndWithCallsThatWait: the end of the gateway denies the calls without a request, too.
func TestEndWithCallsThatWait(t *testing.T) {
	run(t, nil, func(r *rig) {
		all := r.start(30, oneRun, false)
		r.stop()
		synctest.Wait()
		for i, call := range all {
			if !call.done.Load() {
				t.Errorf("call %d has no answer", i)
			}
		}
	})
}

// TestGet: Get returns a request with all of its arguments, which the ticket has cut.
func TestGet(t *testing.T) {
	run(t, nil, func(r *rig) {
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Hour)
		defer cancel()
		ticket, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[approval.Ticket]) any {
			return approval.Ask{Ctx: ctx, Approval: toolscript.Approval{Tool: "files__write", Args: "a…c", Cut: 1}, Args: "abc", Pin: pin, Reply: reply}
		})
		if err != nil || ticket.Approval.Args != "a…c" {
			t.Fatalf("%+v, %v", ticket, err)
		}
		get := func(id string) (toolscript.Approval, error) {
			return mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[toolscript.Approval]) any { return approval.Get{ID: id, Reply: reply} })
		}
		if whole, err := get(ticket.Approval.ID); err != nil || whole.Args != "abc" || whole.Cut != 0 || whole.ID != ticket.Approval.ID {
			t.Errorf("%+v, %v", whole, err)
		}
		_, err = get("apr_other")
		r.wantKind("another request", err, toolscript.NotFound)
	})
}
