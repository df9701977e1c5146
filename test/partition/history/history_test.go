package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/partition/history"
)

// good returns a history without problems: two terms of a server with one owner, and calls with each outcome.
func good() history.History {
	h := history.History{Terms: []history.Term{
		{Server: "one", Token: 5, Hub: "a", Begin: 100}, {Server: "one", Token: 9, Hub: "b", Begin: 1000},
	}}
	add := func(id, server, hub string, at int64, outcome history.Outcome, ends bool) {
		call := history.Call{ID: id, Server: server, Gateway: "g", Begin: at, End: at + 50, Outcome: outcome}
		if outcome == history.Answered {
			call.Answer, call.Process = id, "process of "+hub
		}
		h.Calls = append(h.Calls, call)
		if hub == "" {
			return
		}
		e := history.Execution{ID: id, Server: server, Hub: hub, Process: "process of " + hub, Begin: at + 10}
		if ends {
			e.End = at + 40
		}
		h.Executions = append(h.Executions, e)
	}
	add("1", "one", "a", 200, history.Answered, true)
	add("2", "one", "", 300, history.Refused, false)
	add("3", "one", "a", 970, history.Unknown, true) // ends during the term of b
	add("4", "one", "a", 980, history.Unknown, false)
	add("5", "one", "", 990, history.Unknown, false)
	add("6", "one", "b", 1100, history.Answered, true)
	add("7", "many", "a", 1200, history.Answered, true)
	add("8", "many", "b", 1200, history.Answered, true)
	return h
}

func TestGood(t *testing.T) {
	for _, h := range []history.History{{}, good()} {
		if problems := h.Check(); len(problems) > 0 {
			t.Errorf("problems of a history without one: %q", problems)
		}
	}
}

// faults are changes of a history after which Check must report a problem.
var faults = []struct {
	name   string
	change func(*history.History)
	want   string
}{
	{"doubled answer", func(h *history.History) { h.Calls[5].Answer = "1" }, "has the answer of call 1"},
	{"two reports", func(h *history.History) { h.Calls = append(h.Calls, h.Calls[0]) }, "two reports"},
	{"doubled execution", func(h *history.History) { h.Executions = append(h.Executions, h.Executions[0]) }, "carried out 2 times"},
	{"doubled execution of an unknown call", func(h *history.History) {
		again := h.Executions[2]
		again.Hub, again.Process, again.Begin, again.End = "b", "process of b", 1005, 1010
		h.Executions = append(h.Executions, again)
	}, "carried out 2 times"},
	{"lost answer", func(h *history.History) { h.Calls[2].Outcome = history.Lost }, `the outcome "lost"`},
	{"no outcome", func(h *history.History) { h.Calls[2].Outcome = "" }, `the outcome ""`},
	{"answer without execution", func(h *history.History) { h.Executions = h.Executions[1:] }, "was not carried out"},
	{"answer before the execution has ended", func(h *history.History) { h.Executions[0].End = 0 }, "between its begin and its end"},
	{"execution without report", func(h *history.History) { h.Calls = h.Calls[1:] }, "no gateway has reported it"},
	{"execution of a refused call", func(h *history.History) { h.Calls[3].Outcome = history.Refused }, "its error does not say so"},
	{"answer of an owner whose term is over", func(h *history.History) {
		h.Executions[3].Hub, h.Executions[3].Process, h.Calls[5].Process = "a", "process of a", "process of a"
	}, "answered by a in term 9 of b"},
	{"answer that ends in the next term", func(h *history.History) {
		h.Calls[2].Outcome, h.Calls[2].Answer, h.Calls[2].Process = history.Answered, "3", "process of a"
	}, "after term 9 of b had begun"},
	{"answer before the first term", func(h *history.History) { h.Terms = h.Terms[1:] }, "before the first term"},
	{"two owners in one lease", func(h *history.History) { h.Terms[1].Token = 5 }, "term 5 of b begins after term 5 of a"},
	{"tokens that do not grow", func(h *history.History) { h.Terms[1].Token = 4 }, "term 4 of b begins after term 5 of a"},
	{"another process", func(h *history.History) { h.Calls[0].Process = "x" }, "the answer is from process x"},
}

func TestFaults(t *testing.T) {
	for _, tt := range faults {
		h := good()
		tt.change(&h)
		if problems := strings.Join(h.Check(), "\n"); !strings.Contains(problems, tt.want) {
			t.Errorf("%s: problems %q do not have %q", tt.name, problems, tt.want)
		}
	}
}

// FuzzCheck adds calls to a history with two terms. A model of what hubs may do determines whether
// Check must accept the history.
func FuzzCheck(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0})
	f.Add([]byte{200, 1, 0, 10, 2, 1, 99, 0, 30, 3, 2, 0})
	f.Fuzz(func(t *testing.T, steps []byte) {
		h, wrong := good(), ""
		for n := 0; len(steps) >= 3; steps, n = steps[3:], n+1 {
			begin, length := 100+int64(steps[0])*8, int64(steps[1]%64)+1
			outcome := []history.Outcome{history.Answered, history.Unknown, history.Refused}[steps[2]%3]
			hub, runs := "ab"[steps[2]>>2&1:][:1], int(steps[2]>>4&3)
			id := fmt.Sprint("added ", n)
			call := history.Call{ID: id, Server: "one", Begin: begin, End: begin + length, Outcome: outcome}
			if outcome == history.Answered {
				call.Answer, call.Process = id, hub
			}
			h.Calls = append(h.Calls, call)
			for range runs {
				h.Executions = append(h.Executions, history.Execution{ID: id, Server: "one", Hub: hub, Process: hub, Begin: begin, End: begin + length})
			}
			within := hub == "a" && begin+length <= 1000 || hub == "b" && begin >= 1000
			switch {
			case runs > 1, outcome == history.Refused && runs > 0, outcome == history.Answered && (runs == 0 || !within):
				wrong = fmt.Sprintf("%+v, carried out %d times by %s", call, runs, hub)
			}
		}
		if problems := h.Check(); (len(problems) > 0) != (wrong != "") {
			t.Errorf("problems %q; wrong: %s", problems, wrong)
		}
	})
}
