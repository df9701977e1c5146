//go:build linux

package fleet

import (
	"slices"
	"time"
)

// megabytes is the size of a large answer or of large arguments, in bytes.
const megabytes = 1_500_000

// hubLinks returns the links of the hubs.
func (f *fleet) hubLinks() (all []*link) {
	for _, h := range f.hubs {
		all = append(all, h.links...)
	}
	return all
}

func (f *fleet) allLinks() []*link {
	all := f.hubLinks()
	for _, d := range f.desks {
		all = append(all, d.links...)
	}
	return all
}

// disturb adds a toxic to links. heal removes it.
func disturb(links []*link, x toxic, streams ...string) (heal func()) {
	for _, l := range links {
		l.add(x, streams...)
	}
	return func() {
		for _, l := range links {
			l.heal()
		}
	}
}

func delays(r *trial) {
	heal := disturb(r.allLinks(), toxic{"latency", map[string]int{"latency": 150, "jitter": 75}}, up, down)
	r.hold(8 * time.Second)
	heal()
}

func slowLink(r *trial) {
	heal := disturb(r.hubLinks(), toxic{"bandwidth", map[string]int{"rate": 150}}, up, down)
	for _, g := range r.gatewaysAt(1) {
		_, answer := r.begin(g, owned, 1, work{answer: megabytes})
		answer()
		_, arguments := r.begin(g, spread, 1, work{sent: megabytes})
		arguments()
	}
	heal()
}

func eightAnswers(r *trial) {
	heal := disturb(r.desks[1].links, toxic{"bandwidth", map[string]int{"rate": 1000}}, up, down)
	_, answers := r.begin(r.gatewaysAt(1)[0], spread, 8, work{answer: megabytes})
	answers()
	heal()
}

func slowClose(r *trial) {
	n := r.cluster.nodes[0]
	var links []*link
	for _, l := range r.allLinks() {
		if l.target == n.port {
			links = append(links, l)
		}
	}
	heal := disturb(links, toxic{"slow_close", map[string]int{"delay": 4000}}, up, down)
	r.cluster.killNode(n)
	r.hold(6 * time.Second)
	r.cluster.startNode(n)
	heal()
}

func silence(r *trial) {
	heal := disturb(r.desks[0].links, toxic{"timeout", map[string]int{"timeout": 0}}, up, down)
	r.hold(6 * time.Second)
	heal()
}

func reset(r *trial) {
	owner, _ := r.owner()
	before := r.lastOf(owned).Process
	heal := disturb(owner.links, toxic{"reset_peer", map[string]int{"timeout": 0}}, up, down)
	r.hold(300 * time.Millisecond)
	for _, l := range owner.links {
		l.cut()
	}
	r.hold(700 * time.Millisecond)
	heal()
	if r.awaitAnswers(time.Now(), owned) {
		r.sameProcess(before)
	}
}

// sameProcess checks that the process of the server with one owner is still the one before.
func (r *trial) sameProcess(before string) {
	r.Helper()
	if after := r.lastOf(owned).Process; after != before {
		r.Errorf("the server with one owner was process %s, and is process %s", before, after)
	}
}

func packets(r *trial) {
	heal := disturb(r.allLinks(), toxic{"slicer", map[string]int{"average_size": 512, "size_variation": 256, "delay": 100}}, up, down)
	r.hold(6 * time.Second)
	heal()
}

func limited(r *trial) {
	heal := disturb(r.desks[1].links, toxic{"limit_data", map[string]int{"bytes": 100_000}}, down)
	g := r.gatewaysAt(1)[0]
	var over []func()
	for range 8 {
		for _, server := range []string{owned, spread} {
			over = append(over, r.attempt(g, server, work{answer: 60_000}))
		}
		r.hold(700 * time.Millisecond)
	}
	for _, wait := range over {
		wait()
	}
	heal()
}

func unplugged(r *trial) {
	owner, _ := r.owner()
	for _, l := range owner.links {
		l.cut()
	}
	r.hold(8 * time.Second)
	for _, l := range owner.links {
		l.heal()
	}
}

// lease is a random time that is longer than a lease.
func (f *fleet) lease() time.Duration {
	return 3500*time.Millisecond + time.Duration(f.random.IntN(3500))*time.Millisecond
}

// holdBack holds the bytes on links while calls of the server with one owner are in flight that last longer
// than its lease.
func (r *trial) holdBack(links []*link, streams ...string) {
	for _, g := range r.gateways {
		defer r.attempt(g, owned, work{ms: 4000})()
	}
	heal := disturb(links, held, streams...)
	r.hold(r.lease())
	heal()
}

// isolate holds what a node sends to the others, what they send to it, or both.
func (r *trial) isolate(n *node, sends, receives bool) {
	var heals []func()
	for _, from := range r.cluster.nodes {
		for _, l := range from.routes {
			if from != n && l.name != from.name+"-"+n.name {
				continue
			}
			forth, back := sends, receives
			if from != n {
				forth, back = back, forth
			}
			if forth {
				heals = append(heals, disturb([]*link{l}, held, up))
			}
			if back {
				heals = append(heals, disturb([]*link{l}, held, down))
			}
		}
	}
	r.hold(r.lease())
	for _, heal := range heals {
		heal()
	}
}

func isolated(r *trial) { r.isolate(r.cluster.nodes[r.random.IntN(nodes)], true, true) }

func deaf(r *trial) {
	sends := r.random.IntN(2) == 0
	r.isolate(r.cluster.nodes[r.random.IntN(nodes)], sends, !sends)
}

func cutOwner(r *trial) {
	owner, _ := r.owner()
	r.holdBack(owner.links, up, down)
}

func deafOwner(r *trial) {
	owner, _ := r.owner()
	r.holdBack(owner.links, down)
}

func cutOther(r *trial) {
	_, other := r.owner()
	r.holdBack(other.links, up, down)
}

func cutDesk(r *trial) { r.holdBack(r.desks[0].links, up, down) }

func resets(r *trial) {
	all := r.allLinks()
	for _, n := range r.cluster.nodes {
		all = append(all, n.routes...)
	}
	for _, l := range slices.DeleteFunc(all, func(*link) bool { return r.random.IntN(3) > 0 }) {
		l.cut()
		l.heal()
	}
	r.hold(r.lease())
}
