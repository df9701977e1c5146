//go:build linux

package fleet

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

// eight is the work of calls of eight seconds, which a hub must answer before it ends.
var eight = work{ms: 8000}

// flight begins calls of eight seconds at the desk with the long timeouts, and returns when their
// servers execute them. finish waits for their answers.
func (r *trial) flight(of ...string) (finish func()) {
	r.Helper()
	var all []string
	var ends []func()
	for _, g := range r.gatewaysAt(1) {
		for _, server := range of {
			ids, end := r.begin(g, server, 2, eight)
			all, ends = append(all, ids...), append(ends, end)
		}
	}
	r.awaitBegun(all...)
	r.at = time.Now()
	return func() {
		for _, end := range ends {
			end()
		}
	}
}

func killOwner(r *trial) {
	owner, _ := r.owner()
	r.at = time.Now()
	r.killHub(owner)
	r.probe(6*time.Second, owned, spread)
	r.startHub(owner)
}

func killOther(r *trial) {
	_, other := r.owner()
	r.at = time.Now()
	r.killHub(other)
	r.probe(4*time.Second, spread)
	r.startHub(other)
}

func endOwner(r *trial) {
	owner, _ := r.owner()
	finish := r.flight(owned, spread)
	r.endHub(owner)
	finish()
	r.startHub(owner)
}

func endOther(r *trial) {
	_, other := r.owner()
	finish := r.flight(owned, spread)
	r.endHub(other)
	finish()
	r.startHub(other)
}

func endLast(r *trial) {
	owner, _ := r.owner()
	for _, h := range r.hubs {
		if h != owner {
			r.endHub(h)
		}
	}
	finish := r.flight(owned, spread)
	r.endHub(owner)
	finish()
	for _, h := range r.hubs {
		r.startHub(h)
	}
}

func stopOwner(r *trial) {
	owner, _ := r.owner()
	d := 15 * time.Second
	if testing.Short() {
		d = r.lease()
	}
	r.pause(owner.cmd.Process.Pid, d)
}

func stopOther(r *trial) {
	_, other := r.owner()
	r.pause(other.cmd.Process.Pid, 12*time.Second)
}

// pause stops a process for a time with signals.
func (r *trial) pause(pid int, d time.Duration) {
	r.Helper()
	r.at = time.Now()
	r.signal(pid, syscall.SIGSTOP)
	r.hold(d)
	r.signal(pid, syscall.SIGCONT)
}

func reload(r *trial) {
	owner, _ := r.owner()
	before := r.lastOf(owned).Process
	r.reloadHub(owner, "extra")
	r.hold(3 * time.Second)
	r.sameProcess(before)
	r.reloadHub(owner)
}

// reloadHub makes a hub read its file again, and waits until it has.
func (r *trial) reloadHub(h *hub, extra ...string) {
	r.Helper()
	reloads := func() int { return strings.Count(r.log(h), "settings reloaded") }
	before := reloads()
	r.configureHub(h, extra...)
	r.signal(h.cmd.Process.Pid, syscall.SIGHUP)
	if err := harness.Until(r.Context(), func() (bool, error) { return reloads() > before, nil }); err != nil {
		r.Errorf("%s has not read its file again: %v", h.name, err)
	}
}

func gateways(r *trial) {
	stopped, killed := r.gatewaysAt(0)[0], r.gatewaysAt(1)[0]
	r.exempt[stopped.name], r.exempt[killed.name] = true, true
	g := killed.now()
	_ = g.Signal(syscall.SIGKILL) // the gateway runs, so this does not fail
	_ = g.Wait()                  // killed, so an error is expected
	killed.set(nil)
	r.pause(stopped.now().PID(), 8*time.Second)
	r.startGateway(killed)
}

func stopNode(r *trial) { r.pause(r.cluster.nodes[1].cmd.Process.Pid, 8*time.Second) }

func noQuorum(r *trial) {
	_, other := r.owner()
	for _, n := range r.cluster.nodes[1:] {
		r.cluster.killNode(n)
	}
	const found = 5 * time.Second // until clients have found the remaining node
	r.hold(found)
	r.awaitAnswers(time.Now(), spread)
	r.killHub(other)
	ready := r.readyHub(other, r.launchHub(other))
	if ready {
		r.awaitAnswers(time.Now(), spread)
		status := ""
		if err := harness.Until(r.Context(), func() (bool, error) {
			status, _ = r.command("status", "fleet")
			return strings.Contains(status, "does not answer"), nil
		}); err != nil {
			r.Errorf("status fleet does not say why a server waits: %s", status)
		}
	}
	for _, n := range r.cluster.nodes[1:] {
		r.cluster.startNode(n)
	}
	if !ready {
		r.killHub(other)
		r.awaitAnswers(time.Now(), owned)
		r.startHub(other)
	}
}

func earlyHub(r *trial) {
	_, other := r.owner()
	for _, n := range r.cluster.nodes {
		r.cluster.killNode(n)
	}
	r.killHub(other)
	out := r.launchHub(other)
	r.hold(3 * time.Second)
	for _, n := range r.cluster.nodes {
		r.cluster.startNode(n)
	}
	if !r.readyHub(other, out) {
		r.killHub(other)
		r.awaitAnswers(time.Now(), owned)
		r.startHub(other)
	}
}

func stopHostHub(r *trial) {
	pid := r.desks[0].hostHub()
	r.at = time.Now()
	r.signal(pid, syscall.SIGSTOP)
	const patience = time.Second // how long a caller waits
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	for _, g := range r.gatewaysAt(0) {
		defer r.attemptWithin(ctx, g, shared, work{})()
	}
	r.hold(8 * time.Second)
	r.signal(pid, syscall.SIGCONT)
}

func endHostHub(r *trial) {
	pid := r.desks[1].hostHub()
	finish := r.flight(shared)
	r.signal(pid, syscall.SIGTERM)
	finish()
}
