package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/fleet/history"
)

const second = int64(time.Second)

// one returns a history of one call, from second 10 to second 12, that is executed from begin to end,
// also in seconds. If these are 0, it is not executed.
func one(outcome history.Outcome, begin, end int64) history.History {
	h := history.History{Calls: []history.Call{{ID: "a", Server: "s", Gateway: "g", Begin: 10 * second, End: 12 * second, Limit: second, Outcome: outcome}}}
	if outcome == history.Answered {
		h.Calls[0].Answer = "a"
	}
	if begin > 0 {
		h.Executions = []history.Execution{{ID: "a", Server: "s", Begin: begin * second, End: end * second}}
	}
	return h
}

// termed returns the history of a call that hub a carries out from second 10 to 12, with two terms of its server.
func termed(token uint64, hub string, begin int64, nextToken uint64, nextHub string, nextBegin int64) history.History {
	h := one(history.Answered, 10, 12)
	h.Executions[0].Hub = "a"
	h.Terms = []history.Term{{Server: "s", Token: nextToken, Hub: nextHub, Begin: nextBegin * second}, {Server: "s", Token: token, Hub: hub, Begin: begin * second}}
	return h
}

// TestFigures: each violation is counted once, in the right figure.
func TestFigures(t *testing.T) {
	twice := one(history.Answered, 10, 11)
	twice.Executions = append(twice.Executions, twice.Executions[0])
	tempting := one(history.Unknown, 10, 11)
	tempting.Calls[0].Retry = true
	retryable := one(history.Refused, 0, 0)
	retryable.Calls[0].Retry = true
	anothers := one(history.Answered, 10, 11)
	anothers.Calls[0].Answer = "b"
	unclaimed := one(history.Answered, 10, 11)
	unclaimed.Executions = append(unclaimed.Executions, history.Execution{ID: "b"})
	reports := one(history.Answered, 10, 11)
	reports.Calls = append(reports.Calls, reports.Calls[0])
	process := one(history.Answered, 10, 11)
	process.Calls[0].Process = "x"
	for _, tt := range []struct {
		name string
		h    history.History
		want history.Figures // expected figures, except Problems and Latest
	}{
		{"nothing", history.History{}, history.Figures{}},
		{"answered", one(history.Answered, 10, 11), history.Figures{Calls: 1, Answered: 1}},
		{"answered and doubled", twice, history.Figures{Calls: 1, Answered: 1, Doubled: 1}},
		{"answered without an effect", one(history.Answered, 0, 0), history.Figures{Calls: 1, Answered: 1, Invented: 1}},
		{"answered before its end", one(history.Answered, 10, 0), history.Figures{Calls: 1, Answered: 1, Invented: 1}},
		{"answered with that of another call", anothers, history.Figures{Calls: 1, Answered: 1, Invented: 1}},
		{"not sent", one(history.Refused, 0, 0), history.Figures{Calls: 1, NotSent: 1, Overtime: time.Second}},
		{"not sent, try again", retryable, history.Figures{Calls: 1, NotSent: 1, Overtime: time.Second}},
		{"not sent, with an effect", one(history.Refused, 10, 11), history.Figures{Calls: 1, NotSent: 1, Denied: 1, Overtime: time.Second}},
		{"unknown without an effect", one(history.Unknown, 0, 0), history.Figures{Calls: 1, Unknown: 1, Overtime: time.Second}},
		{"unknown with an effect", one(history.Unknown, 11, 0), history.Figures{Calls: 1, Unknown: 1, Overtime: time.Second}},
		{"unknown, and carried out after that", one(history.Unknown, 13, 14), history.Figures{Calls: 1, Unknown: 1, Late: 1, Overtime: time.Second}},
		{"cancelled, and carried out after that", one(history.Cancelled, 13, 14), history.Figures{Calls: 1, Other: 1, Late: 1, Overtime: time.Second}},
		{"unknown, try again", tempting, history.Figures{Calls: 1, Unknown: 1, Tempting: 1, Overtime: time.Second}},
		{"the server has failed", one(history.Failed, 10, 11), history.Figures{Calls: 1, Other: 1, Overtime: time.Second}},
		{"the gateway has ended", one(history.Cut, 13, 14), history.Figures{Calls: 1, Other: 1, Overtime: time.Second}},
		{"an error that does not say it", one(history.Untold, 0, 0), history.Figures{Calls: 1, Silent: 1, Overtime: time.Second}},
		{"no outcome", one(history.Lost, 0, 0), history.Figures{Calls: 1, Lost: 1, Overtime: time.Second}},
		{"a call that nobody made", unclaimed, history.Figures{Calls: 1, Answered: 1, Unclaimed: 1}},
		{"two reports", reports, history.Figures{Calls: 2, Answered: 1, Doubled: 1}},
		{"of another process", process, history.Figures{Calls: 1, Answered: 1, Invented: 1}},
		{"executed before it began", one(history.Answered, 9, 11), history.Figures{Calls: 1, Answered: 1, Invented: 1}},
		{"in a term of its hub", termed(5, "a", 1, 9, "b", 13), history.Figures{Calls: 1, Answered: 1}},
		{"in the last term", termed(5, "b", 1, 9, "a", 9), history.Figures{Calls: 1, Answered: 1}},
		{"in the term of another hub", termed(5, "a", 1, 9, "b", 9), history.Figures{Calls: 1, Answered: 1, Foreign: 1}},
		{"ends in the next term", termed(5, "a", 1, 9, "b", 11), history.Figures{Calls: 1, Answered: 1, Foreign: 1}},
		{"before the first term", termed(5, "a", 11, 9, "b", 13), history.Figures{Calls: 1, Answered: 1, Foreign: 1}},
		{"two owners in one term", termed(5, "a", 1, 5, "b", 13), history.Figures{Calls: 1, Answered: 1, Foreign: 1}},
		{"tokens that do not grow", termed(5, "a", 1, 4, "b", 13), history.Figures{Calls: 1, Answered: 1, Foreign: 1}},
	} {
		got := tt.h.Figures(nil)
		if len(got.Problems) != got.Violations() {
			t.Errorf("%s: problems %q, want %d", tt.name, got.Problems, got.Violations())
		}
		got.Problems, got.Latest = nil, 0
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if f := one(history.Unknown, 0, 0).Figures(func(c history.Call) bool { return c.Gateway == "g" }); f.Overtime != 0 {
		t.Errorf("the call of a stopped gateway is %s over its time-out", f.Overtime)
	}
	if f := one(history.Unknown, 13, 14).Figures(nil); f.Latest != time.Second {
		t.Errorf("the effect is %s after the error, want a second", f.Latest)
	}
}

// FuzzFigures makes calls of a server with two terms. A model of what hubs may do determines whether the
// history has a violation.
func FuzzFigures(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0})
	f.Add([]byte{200, 1, 0, 10, 2, 1, 99, 0, 30, 3, 2, 0})
	f.Fuzz(func(t *testing.T, steps []byte) {
		h, wrong := history.History{Terms: []history.Term{{Server: "s", Token: 5, Hub: "a", Begin: 100}, {Server: "s", Token: 9, Hub: "b", Begin: 1000}}}, ""
		for n := 0; len(steps) >= 3; steps, n = steps[3:], n+1 {
			begin, length := 100+int64(steps[0])*8, int64(steps[1]%64)+1
			outcome := []history.Outcome{history.Answered, history.Unknown, history.Refused}[steps[2]%3]
			hub, runs, id := "ab"[steps[2]>>2&1:][:1], int(steps[2]>>4&3), fmt.Sprint(n)
			call := history.Call{ID: id, Server: "s", Begin: begin, End: begin + length, Outcome: outcome}
			if outcome == history.Answered {
				call.Answer, call.Process = id, hub
			}
			h.Calls = append(h.Calls, call)
			for range runs {
				h.Executions = append(h.Executions, history.Execution{ID: id, Server: "s", Hub: hub, Process: hub, Begin: begin, End: begin + length})
			}
			within := hub == "a" && begin+length <= 1000 || hub == "b" && begin >= 1000
			switch {
			case runs > 1, outcome == history.Refused && runs > 0, outcome == history.Answered && (runs == 0 || !within):
				wrong = fmt.Sprintf("%+v, carried out %d times by %s", call, runs, hub)
			}
		}
		if got := h.Figures(nil); (got.Violations() > 0) != (wrong != "") {
			t.Errorf("problems %q; wrong: %s", got.Problems, wrong)
		}
	})
}

// TestBack: a server is back when calls succeed at all gateways and no later call fails.
func TestBack(t *testing.T) {
	h := history.History{}
	call := func(gateway string, begin, end int64, outcome history.Outcome) {
		h.Calls = append(h.Calls, history.Call{Server: "s", Gateway: gateway, Begin: begin * second, End: end * second, Outcome: outcome})
	}
	want := func(ok bool, after time.Duration) {
		t.Helper()
		if back, is := h.Back("s", 100*second); back != after || is != ok {
			t.Errorf("back after %s, %t; want %s, %t", back, is, after, ok)
		}
	}
	want(false, 0)
	call("a", 90, 95, history.Unknown) // before since
	call("a", 90, 105, history.Answered)
	call("a", 101, 102, history.Answered)
	want(true, 2*time.Second)
	call("b", 101, 104, history.Unknown)
	want(false, 2*time.Second*0)
	call("b", 105, 106, history.Answered)
	call("b", 106, 107, history.Answered)
	want(true, 6*time.Second)
	call("a", 107, 107, history.Refused) // the first answer does not count, because a later call fails
	call("a", 108, 109, history.Answered)
	want(true, 9*time.Second)
	h.Calls = append(h.Calls, history.Call{Server: "other", Gateway: "a", Begin: 200 * second, Outcome: history.Unknown})
	want(true, 9*time.Second)
}

func TestExecutions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "counts")
	if all, err := history.Executions(file, "s", "h"); err != nil || all != nil {
		t.Errorf("no file: %v, %v", all, err)
	}
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("begin a 1 10\nbegin b 1 11\nend a 1 12\nbegin a 2 13\nbegin c")
	want := []history.Execution{
		{ID: "a", Server: "s", Hub: "h", Process: "1", Begin: 10, End: 12}, {ID: "b", Server: "s", Hub: "h", Process: "1", Begin: 11}, {ID: "a", Server: "s", Hub: "h", Process: "2", Begin: 13},
	}
	if all, err := history.Executions(file, "s", "h"); err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("%+v, %v; want %+v", all, err, want)
	}
	for _, bad := range []string{"begin a 1\n", "begin a 1 x\n"} {
		write(bad)
		if _, err := history.Executions(file, "s", "h"); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
