// Package faults_test runs gateways under load while their processes are killed, and checks the
// outcome of each call.
package faults_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// outcome is what the caller of one call knows about it. The zero outcome means that the call had no
// answer in time.
type outcome struct {
	id     string
	text   string // text of the answer
	kind   string // kind of the error
	sent   string // whether the server received the call, according to the error
	err    string // text of the error
	silent bool   // the script succeeded but did not print this outcome
	cut    bool   // the script or the request ended with an error before the outcome was known
}

// report counts the outcomes of calls. faults describes the rules that were broken.
type report struct {
	answered int
	refused  int // errors that say or imply that the call was not executed
	unknown  int // errors that say that it is unknown whether the call was executed
	cut      int // calls whose gateway or sandbox was killed
	kinds    map[string]int

	lost, hung, doubled, untold, unclear int
	twoServers                           int
	faults                               []string
}

func (r *report) fault(count *int, format string, args ...any) {
	*count++
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// examine compares the outcomes of all calls with the lines that the servers have written.
func examine(outcomes []outcome, written string) *report {
	r := &report{kinds: map[string]int{}}
	begun, ended := map[string]int{}, map[string]int{}
	for line := range strings.Lines(written) {
		switch verb, id, _ := strings.Cut(strings.TrimSpace(line), " "); verb {
		case "begin":
			begun[id]++
		case "end":
			ended[id]++
		case "doubled":
			r.fault(&r.twoServers, "two processes of one shared server ran at once")
		default:
			r.fault(&r.lost, "the servers have written %q", line)
		}
	}
	for _, o := range outcomes {
		r.examine(o, begun[o.id], ended[o.id])
		delete(begun, o.id)
	}
	for _, id := range slices.Sorted(maps.Keys(begun)) {
		r.fault(&r.lost, "call %s was carried out, and nobody has made it", id)
	}
	return r
}

func (r *report) examine(o outcome, begun, ended int) {
	if begun > 1 {
		r.fault(&r.doubled, "call %s was carried out %d times: %+v", o.id, begun, o)
	}
	if o.kind != "" {
		r.kinds[o.kind]++
	}
	switch {
	case o.silent:
		r.fault(&r.lost, "the script of call %s ended without its outcome", o.id)
	case o.kind == "" && o.text == "":
		r.fault(&r.hung, "call %s has no outcome", o.id)
	case o.kind == "":
		r.answered++
		if o.text != o.id || begun == 0 || ended == 0 {
			r.fault(&r.lost, "call %s was answered with %q; it began %d times and ended %d times", o.id, o.text, begun, ended)
		}
	case o.err == "" || o.kind == "internal" && !o.cut:
		r.fault(&r.unclear, "call %s failed with kind %s: %q", o.id, o.kind, o.err)
	case o.cut:
		r.cut++
	case saysUnknown(o):
		r.unknown++
	default:
		r.refused++
		if begun > 0 {
			r.fault(&r.untold, "call %s was carried out, and its error does not say that this is possible: %s: %s", o.id, o.kind, o.err)
		}
	}
}

// saysUnknown reports whether an error says that the call may have been executed. The error of a run
// that was cancelled, or has reached its time limit, counts as such for each of its calls.
func saysUnknown(o outcome) bool {
	if o.sent == "" {
		return slices.Contains([]string{"cancelled", "limit_time"}, o.kind)
	}
	return o.sent != "no"
}

// TestExamine checks that examine finds the defect in each history.
func TestExamine(t *testing.T) {
	good := outcome{id: "a", text: "a"}
	lost := outcome{id: "a", kind: "unavailable", sent: "unknown", err: "the connection was lost; whether the call was carried out is not known"}
	notSent := outcome{id: "a", kind: "unavailable", sent: "no", err: "the call was not sent"}
	killed := outcome{id: "a", kind: "internal", err: "the sandbox ended", cut: true}
	const once = "begin a\nend a\n"
	for name, c := range map[string]struct {
		outcome outcome
		written string
		want    report
	}{
		"answered":                      {good, once, report{answered: 1}},
		"unknown and not carried out":   {lost, "", report{unknown: 1}},
		"unknown and carried out":       {lost, "begin a\n", report{unknown: 1}},
		"not sent":                      {notSent, "", report{refused: 1}},
		"killed sandbox":                {killed, "begin a\n", report{cut: 1}},
		"answered twice carried out":    {good, once + once, report{answered: 1, doubled: 1}},
		"unknown and twice carried out": {lost, "begin a\nbegin a\nend a\n", report{unknown: 1, doubled: 1}},
		"killed and twice carried out":  {killed, once + once, report{cut: 1, doubled: 1}},
		"answered and not carried out":  {good, "", report{answered: 1, lost: 1}},
		"answered before its end":       {good, "begin a\n", report{answered: 1, lost: 1}},
		"answered with another's":       {outcome{id: "a", text: "b"}, once, report{answered: 1, lost: 1}},
		"after the limit":               {outcome{id: "a", kind: "limit_time", err: "x"}, once, report{unknown: 1}},
		"not sent and carried out":      {notSent, "begin a\n", report{refused: 1, untold: 1}},
		"no outcome":                    {outcome{id: "a"}, once, report{hung: 1}},
		"the script did not say":        {outcome{id: "a", silent: true}, once, report{lost: 1}},
		"an error without text":         {outcome{id: "a", kind: "unavailable"}, "", report{unclear: 1}},
		"an internal error":             {outcome{id: "a", kind: "internal", err: "x"}, "", report{unclear: 1}},
		"a call of nobody":              {good, once + "begin b\n", report{answered: 1, lost: 1}},
		"two servers":                   {good, once + "doubled\n", report{answered: 1, twoServers: 1}},
	} {
		got := examine([]outcome{c.outcome}, c.written)
		bad := c.want.lost + c.want.hung + c.want.doubled + c.want.untold + c.want.unclear + c.want.twoServers
		if len(got.faults) != bad {
			t.Errorf("%s: faults %q, want %d", name, got.faults, bad)
		}
		got.faults, got.kinds = nil, nil
		if fmt.Sprint(*got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v, want %+v", name, *got, c.want)
		}
	}
}
