//go:build linux

package fleet

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/fleet/history"
	"github.com/toolscript/toolscript/test/harness"
)

var (
	all      = flag.Bool("all-faults", false, "all faults, with the bounds of their times; else a few")
	duration = flag.Duration("faults-for", 0, "how long faults are then tried in a random order")
	seed     = flag.Uint64("seed", 0, "of that order and of what a fault concerns; 0: a random one")
)

const (
	overtime = time.Second     // maximum time from the timeout of a failed call to its error
	backTime = 5 * time.Second // maximum time from the end of a fault until all gateways have answers
	settle   = 2 * time.Second // during which calls continue after each fault
	shown    = 5               // number of failed calls that are printed
)

// fault is a fault of the fleet, with the effects that callers may notice. In addition, no fault may
// make a call be executed twice, be answered without its effect, be reported as not sent although it
// was executed, be executed after its error, or fail later than a second after its timeout.
type fault struct {
	name  string
	does  string
	short bool // whether the test without -all-faults has it
	brief bool // whether the test with -short has it
	moves bool // whether the server with one owner gets another term
	soon  bool // whether all gateways have answers of all servers within backTime after it
	run   func(*trial)
	back  map[string]time.Duration        // by server: maximum time after the fault until its calls succeed again
	whole func(*trial, history.Call) bool // selects calls that must be answered
}

// trial is one fault while gateways make calls.
type trial struct {
	*fleet
	name    string
	from    time.Time       // when all gateways had answers of all servers
	at      time.Time       // time of the fault
	exempt  map[string]bool // gateways that the test has stopped or ended
	special []history.Call  // additional calls that must be answered
	n       int
}

// chosen returns the faults to try: those of this form of the test, and then random ones for a time.
func chosen(random *rand.Rand) iter.Seq[fault] {
	return func(yield func(fault) bool) {
		for _, x := range faults {
			if (*all || x.short && !testing.Short() || x.brief) && !yield(x) {
				return
			}
		}
		for until := time.Now().Add(*duration); time.Now().Before(until) && yield(faults[random.IntN(len(faults))]); {
		}
	}
}

// TestFleet tries one fault after another, and prints the outcomes of the calls. With -all-faults it
// tries all faults and also checks times, which a busy machine may exceed. The short form takes more than
// ten seconds, because a fault lasts as long as a lease. Changes of the system clock are not tested, because
// leases use a clock that nobody can set; cluster.TestSuspended and the simulations there use clocks that
// stop, or are too fast or too slow.
func TestFleet(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("seed %d", *seed)
	random := rand.New(rand.NewPCG(*seed, 0))
	program := filepath.Join(t.TempDir(), "toolscript")
	if err := harness.Build(program, true); err != nil {
		t.Fatal(err)
	}
	var f *fleet
	defer func() {
		if f != nil {
			f.end()
		}
	}()
	var rows []string
	for x := range chosen(random) {
		n := len(rows) + 1
		t.Run(x.name, func(sub *testing.T) {
			if f == nil {
				f = newFleet(sub, t.TempDir(), program)
				f.random = random
			}
			usable, row := false, ""
			defer func() {
				rows = append(rows, fmt.Sprintf("| %d %s %s", n, x.name, row))
				if !usable { // the next fault needs another fleet
					f.end()
					f = nil
				}
			}()
			f.T = sub
			row, usable = f.try(fmt.Sprintf("%02d", n), x)
		})
	}
	if f != nil {
		f.T = t
		if late := len(f.executions()) - f.judged; late != 0 {
			t.Errorf("%d effects came more than %s after their fault", late, settle)
		}
		slices.Sort(f.backs)
		t.Logf("%d faults of one fleet: all gateways have answers after %s (median), %s (longest); terms %d",
			len(f.backs), f.backs[len(f.backs)/2].Round(time.Millisecond), f.backs[len(f.backs)-1].Round(time.Millisecond), len(f.terms()))
	}
	t.Logf("\n| fault %s\n%s", history.Header, strings.Join(rows, "\n"))
}

// try tries a fault. usable is false if the fleet has not recovered.
func (f *fleet) try(name string, x fault) (row string, usable bool) {
	f.record = &record{}
	r := &trial{fleet: f, name: name, exempt: map[string]bool{}}
	stop := f.load(name)
	defer stop()
	if !f.awaitAnswers(time.Now(), servers...) {
		return "not begun", false
	}
	r.from = time.Now()
	r.at = r.from
	x.run(r)
	over := time.Now()
	usable = f.awaitAnswers(over, servers...)
	back := time.Since(over)
	f.backs = append(f.backs, back)
	f.Logf("all gateways have answers after %s", back.Round(time.Millisecond))
	if *all && x.soon && back > backTime {
		f.Errorf("all gateways have answers after %s, want at most %s", back.Round(time.Millisecond), backTime)
	}
	time.Sleep(settle)
	stop()
	return r.judge(x), usable
}

// judge reports violations and returns the fault's row of the table.
func (r *trial) judge(x fault) (row string) {
	h := history.History{Calls: r.record.all(), Terms: r.terms()}
	for _, e := range r.executions() {
		if strings.HasPrefix(e.ID, r.name+"-") {
			h.Executions = append(h.Executions, e)
		}
	}
	r.judged += len(h.Executions)
	f := h.Figures(func(c history.Call) bool { return r.exempt[c.Gateway] })
	row = f.Row()
	r.Logf("%s\n%s\n%s", x.does, history.Header, row)
	if f.Violations() > 0 {
		r.Errorf("%d problems, such as\n%s", f.Violations(), strings.Join(f.Problems, "\n"))
	}
	if x.moves && !slices.ContainsFunc(h.Terms, func(t history.Term) bool { return t.Begin > r.at.UnixNano() }) {
		r.Error("the fault has not ended the term of the owner")
	}
	r.wholeness(x, h)
	for server, within := range x.back {
		back, ok := h.Back(server, r.at.UnixNano())
		r.Logf("%s is back after %s", server, back.Round(time.Millisecond))
		if !ok || *all && back > within {
			r.Errorf("%s is back after %s, %t; want at most %s; the last failures:\n%s", server, back.Round(time.Millisecond), ok, within, r.failures(server))
		}
	}
	if *all && f.Overtime > overtime {
		r.Errorf("a call failed %s after its time-out, want at most %s", f.Overtime.Round(time.Millisecond), overtime)
	}
	return row
}

// failures describes the last failed call of a server at each gateway.
func (r *trial) failures(server string) string {
	last := map[string]string{}
	for _, c := range r.record.all() {
		if c.Server == server && c.Begin >= r.at.UnixNano() && c.Outcome != history.Answered {
			began := time.Duration(c.Begin - r.at.UnixNano())
			last[c.Gateway] = fmt.Sprintf("%s at %s began after %s and took %s: %s", c.ID, c.Gateway, began.Round(time.Millisecond), time.Duration(c.End-c.Begin).Round(time.Millisecond), c.Error)
		}
	}
	return strings.Join(slices.Sorted(maps.Values(last)), "\n")
}

// wholeness reports calls that must be answered but failed.
func (r *trial) wholeness(x fault, h history.History) {
	var broken []history.Call
	for _, c := range append(slices.Clone(r.special), h.Calls...) {
		special := slices.ContainsFunc(r.special, func(s history.Call) bool { return s.ID == c.ID })
		if c.Outcome != history.Answered && (special || x.whole != nil && c.Begin >= r.from.UnixNano() && x.whole(r, c)) && !slices.ContainsFunc(broken, func(b history.Call) bool { return b.ID == c.ID }) {
			broken = append(broken, c)
		}
	}
	for _, c := range broken[:min(len(broken), shown)] {
		r.Errorf("call %s of %s at %s, begun %s after the fault, failed %s after it: %s", c.ID, c.Server, c.Gateway,
			time.Unix(0, c.Begin).Sub(r.at).Round(time.Millisecond), time.Unix(0, c.End).Sub(r.at).Round(time.Millisecond), c.Error)
	}
	if len(broken) > shown {
		r.Errorf("%d calls failed that must be answered", len(broken))
	}
}

// hold waits while a fault lasts.
func (r *trial) hold(d time.Duration) { time.Sleep(d) }

// begin makes calls that must be answered. finish waits for them.
func (r *trial) begin(g *gateway, server string, times int, w work) (ids []string, finish func()) {
	ended := make(chan history.Call, times)
	for range times {
		r.n++
		id := fmt.Sprintf("%s-%s-%s-special-%d", r.name, g.name, server, r.n)
		ids = append(ids, id)
		go func() {
			c, _ := r.call(context.Background(), g, server, id, w)
			ended <- c
		}()
	}
	return ids, func() {
		for range times {
			r.special = append(r.special, <-ended)
		}
	}
}

// attempt makes a call that may fail. wait waits for its end.
func (r *trial) attempt(g *gateway, server string, w work) (wait func()) {
	return r.attemptWithin(context.Background(), g, server, w)
}

// attemptWithin is like attempt, with a caller who gives up when ctx ends.
func (r *trial) attemptWithin(ctx context.Context, g *gateway, server string, w work) (wait func()) {
	r.n++
	id, ended := fmt.Sprintf("%s-%s-%s-attempt-%d", r.name, g.name, server, r.n), make(chan struct{})
	go func() {
		defer close(ended)
		r.call(ctx, g, server, id, w)
	}()
	return func() { <-ended }
}

// probe keeps making calls for a time, even if earlier ones have not ended, because all other callers
// may be waiting for calls that began before the fault.
func (r *trial) probe(d time.Duration, of ...string) {
	var waits []func()
	for end := time.Now().Add(d); time.Now().Before(end); r.hold(pause) {
		for _, g := range r.gateways {
			for _, server := range of {
				waits = append(waits, r.attempt(g, server, work{ms: quick}))
			}
		}
	}
	for _, wait := range waits {
		wait()
	}
}

// awaitBegun waits until servers execute the calls with these ids.
func (r *trial) awaitBegun(ids ...string) {
	r.Helper()
	err := harness.Until(r.Context(), func() (bool, error) {
		begun := map[string]bool{}
		for _, e := range r.executions() {
			begun[e.ID] = true
		}
		return !slices.ContainsFunc(ids, func(id string) bool { return !begun[id] }), nil
	})
	if err != nil {
		r.Errorf("not all of %v have begun: %v", ids, err)
	}
}

// gatewaysAt returns the gateways of a desk.
func (f *fleet) gatewaysAt(desk int) (there []*gateway) {
	for _, g := range f.gateways {
		if g.desk == f.desks[desk] {
			there = append(there, g)
		}
	}
	return there
}
