//go:build linux

package partition

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/partition/history"
)

var (
	runFor = flag.Duration("partitions-for", 0, "how long to cause faults; 0: one of each important kind")
	seed   = flag.Uint64("seed", 0, "of the order of faults; 0: a random one")
)

// backTime is the time that the fleet may need after a fault until all gateways have answers.
const backTime = 5 * time.Second

// cut is a fault in which a link passes nothing on.
var cut = fault{hold: [2]bool{true, true}}

// disturbance is a fault of the fleet. begin returns what was affected, and a function that ends the fault.
type disturbance struct {
	name  string
	begin func(f *fleet, r *rand.Rand) (about string, end func())
}

// isolate cuts the routes of a node in one direction or in both.
func (f *fleet) isolate(node int, directions ...int) (end func()) {
	var changed []*link
	for between, l := range f.routes {
		var broken fault
		for _, d := range directions {
			switch node {
			case between[0]: // the node is the side that connects
				broken.hold[d] = true
			case between[1]:
				broken.hold[1-d] = true
			}
		}
		if broken != (fault{}) {
			l.set(broken)
			changed = append(changed, l)
		}
	}
	return func() { clear(changed) }
}

func clear(links []*link) {
	for _, l := range links {
		l.set(fault{})
	}
}

// links returns all links of the fleet, always in the same order.
func (f *fleet) links() (all []*link) {
	for _, l := range f.routes {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *link) int { return strings.Compare(a.name, b.name) })
	for _, p := range slices.Concat(f.hubs, f.gateways) {
		all = append(all, p.links...)
	}
	return all
}

func pauseOwner(f *fleet, _ *rand.Rand) (string, func()) {
	p := f.owner()
	f.signal(p, syscall.SIGSTOP)
	return p.role.Name, func() { f.signal(p, syscall.SIGCONT) }
}

func cutOwner(f *fleet, _ *rand.Rand) (string, func()) {
	p := f.owner()
	for _, l := range p.links {
		l.set(cut)
	}
	return p.role.Name, func() { clear(p.links) }
}

func isolateNode(f *fleet, r *rand.Rand) (string, func()) {
	n := r.IntN(nodes)
	return f.nodes[n].role.Name, f.isolate(n, forth, back)
}

func deafNode(f *fleet, r *rand.Rand) (string, func()) {
	n, direction := r.IntN(nodes), r.IntN(2)
	return fmt.Sprintf("%s, %s", f.nodes[n].role.Name, []string{"what it sends", "what it receives"}[direction]), f.isolate(n, direction)
}

// disturbances are the faults. The short form uses only the first shortForm of them.
var disturbances = []disturbance{
	{"the owner is paused", pauseOwner},
	{"a node is cut off", isolateNode},
	{"the owner is cut off", cutOwner},
	{"a node is cut off in one direction", deafNode},
	{"a hub is cut off", func(f *fleet, r *rand.Rand) (string, func()) {
		p := f.hubs[r.IntN(hubs)]
		for _, l := range p.links {
			l.set(cut)
		}
		return p.role.Name, func() { clear(p.links) }
	}},
	{"the owner hears nothing", func(f *fleet, _ *rand.Rand) (string, func()) {
		p := f.owner()
		for _, l := range p.links {
			l.set(fault{hold: [2]bool{back: true}})
		}
		return p.role.Name, func() { clear(p.links) }
	}},
	{"a gateway is cut off", func(f *fleet, r *rand.Rand) (string, func()) {
		p := f.gateways[r.IntN(gateways)]
		for _, l := range p.links {
			l.set(cut)
		}
		return p.role.Name, func() { clear(p.links) }
	}},
	{"delays", func(f *fleet, r *rand.Rand) (string, func()) {
		all := f.links()
		for _, l := range all {
			l.set(fault{delay: [2]time.Duration{time.Duration(r.IntN(150)) * time.Millisecond, time.Duration(r.IntN(150)) * time.Millisecond}})
		}
		return "all links", func() { clear(all) }
	}},
	{"connections are reset", func(f *fleet, r *rand.Rand) (string, func()) {
		var names []string
		for _, l := range f.links() {
			if r.IntN(3) == 0 {
				l.reset()
				names = append(names, l.name)
			}
		}
		return fmt.Sprintf("%d links", len(names)), func() {}
	}},
	{"a node is paused", func(f *fleet, r *rand.Rand) (string, func()) {
		p := f.nodes[r.IntN(nodes)]
		f.signal(p, syscall.SIGSTOP)
		return p.role.Name, func() { f.signal(p, syscall.SIGCONT) }
	}},
}

// shortForm is the number of faults in the short form.
const shortForm = 2

// TestPartitions causes faults of the network and pauses of processes, and checks that no answer was
// lost or doubled, and that two owners never answered in one term. It prints how long the fleet needs
// after each fault; the long form, which runs alone, also limits that time. Changes of the system clock
// are not tested, because leases use a clock that nobody can set; cluster.TestSuspended and the
// simulations there use clocks that stop, or are too fast or too slow. The short form takes more than ten seconds,
// because a fault lasts as long as a lease.
func TestPartitions(t *testing.T) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	f := newFleet(t)
	until := time.Now().Add(*runFor)
	var back []time.Duration
	for n := 0; *runFor == 0 && n < shortForm || time.Now().Before(until); n++ {
		d := disturbances[n%len(disturbances)]
		if n >= len(disturbances) {
			d = disturbances[r.IntN(len(disturbances))]
		}
		last := 3500*time.Millisecond + time.Duration(r.IntN(3500))*time.Millisecond // longer than a lease
		about, end := d.begin(f, r)
		time.Sleep(last)
		end()
		took := f.awaitAnswers(time.Now())
		back = append(back, took)
		t.Logf("%s (%s) for %s; all gateways have answers after %s", d.name, about, last.Round(time.Millisecond), took.Round(time.Millisecond))
	}
	f.finish(f.gateways)
	f.finish(f.hubs)
	f.finish(f.nodes)
	h := f.history()
	outcomes := map[history.Outcome]int{}
	for _, c := range h.Calls {
		outcomes[c.Outcome]++
	}
	slices.Sort(back)
	t.Logf("%d faults: back after %s (median), %s (longest)", len(back), back[len(back)/2].Round(time.Millisecond), back[len(back)-1].Round(time.Millisecond))
	if longest := back[len(back)-1]; *runFor > 0 && longest > backTime {
		t.Errorf("the fleet was back after %s once, want at most %s", longest.Round(time.Millisecond), backTime)
	}
	t.Logf("%d calls: %d answered, %d not sent, %d reported as unknown; carried out %d; terms %d",
		len(h.Calls), outcomes[history.Answered], outcomes[history.Refused], outcomes[history.Unknown], len(h.Executions), len(h.Terms))
	figures := h.Figures(nil)
	t.Logf("carried out after their error: %d, at most %s after it", figures.Late, figures.Latest.Round(time.Millisecond))
	if figures.Late > 0 {
		t.Errorf("%d calls were carried out after their error, such as\n%s", figures.Late, strings.Join(figures.Problems, "\n"))
	}
	if problems := h.Check(); len(problems) > 0 {
		t.Errorf("%d problems; replay with -seed %d:\n%s", len(problems), *seed, strings.Join(problems[:min(len(problems), 20)], "\n"))
	}
	if len(h.Terms) < 2 || outcomes[history.Answered] == 0 || outcomes[history.Unknown] == 0 {
		t.Errorf("the faults have changed nothing: %v, terms %v", outcomes, h.Terms)
	}
}
