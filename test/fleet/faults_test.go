//go:build linux

package fleet

import (
	"time"

	"github.com/toolscript/toolscript/test/fleet/history"
)

// Time limits of the fleet.
const (
	nextOwner = 4 * time.Second // until the server of a killed owner has a new owner
	nextHub   = time.Second     // until no call is sent to a killed hub
)

// faults are tried in this order.
var faults = []fault{
	{name: "delays", soon: true, run: delays, whole: every,
		does: "toxiproxy latency: 150 ms, more or less by 75 ms, in both directions of all links"},
	{name: "a slow link", run: slowLink, whole: ofSlowDesk,
		does: "toxiproxy bandwidth: 150 KB/s on the links of the hubs, while an answer and the arguments of another call have 1.5 MB"},
	{name: "eight answers at once", run: eightAnswers, whole: ofSlowDesk,
		does: "toxiproxy bandwidth: 8 Mbit/s on the links of a desk, while eight answers of 1.5 MB arrive at once"},
	{name: "slow close", run: slowClose,
		does: "toxiproxy slow_close: a NATS server is killed, and its clients notice 4 s later"},
	{name: "silence", run: silence, whole: notAtDesk0,
		does: "toxiproxy timeout: nothing passes the links of a desk for 6 s, and no connection ends"},
	{name: "a reset", short: true, run: reset,
		does: "toxiproxy reset_peer: the connections of the owner are reset, and refused for less than a lease; its servers keep their state"},
	{name: "small packets", run: packets, whole: every,
		does: "toxiproxy slicer: all links pass about 512 bytes at a time"},
	{name: "connections end in an answer", run: limited, whole: notAtDesk1,
		does: "toxiproxy limit_data: connections to a desk end after 100 KB, while answers have 60 KB"},
	{name: "a NATS server is cut off", soon: true, brief: true, run: isolated,
		does: "toxiproxy latency: what the routes of a NATS server carry arrives after more than a lease"},
	{name: "a NATS server is cut off in one direction", soon: true, run: deaf,
		does: "toxiproxy latency: what a NATS server sends to the others, or receives from them, arrives after more than a lease"},
	{name: "an owner is cut off", soon: true, moves: true, run: cutOwner, whole: ofMachine,
		does: "toxiproxy latency: what the owner sends and receives arrives after more than its lease"},
	{name: "an owner hears nothing", soon: true, moves: true, run: deafOwner, whole: ofMachine,
		does: "toxiproxy latency: what the owner receives arrives after more than its lease"},
	{name: "a stateless hub is cut off", soon: true, run: cutOther, whole: ofMachine,
		does: "toxiproxy latency: what a hub that only runs the stateless server sends and receives arrives after more than a lease"},
	{name: "a desk is cut off", soon: true, run: cutDesk, whole: notAtDesk0,
		does: "toxiproxy latency: what a desk sends and receives arrives after more than a lease"},
	{name: "resets", soon: true, run: resets, whole: ofMachine,
		does: "toxiproxy down: each connection of a machine or a NATS server is reset with a probability of one third"},
	{name: "a hub without a network", run: unplugged,
		does: "toxiproxy down: the links of the owner refuse connections for 8 s"},

	{name: "an owner is killed", short: true, moves: true, run: killOwner, back: map[string]time.Duration{owned: nextOwner, spread: nextHub}, whole: ofMachine,
		does: "SIGKILL of the owner"},
	{name: "a stateless hub is killed", run: killOther, back: map[string]time.Duration{spread: nextHub}, whole: notSpread,
		does: "SIGKILL of the hub that only runs the stateless server"},
	{name: "an owner ends", short: true, moves: true, run: endOwner, whole: inFlightOrSpread,
		does: "SIGTERM of the owner, while calls of 8 s are in flight"},
	{name: "a stateless hub ends", run: endOther, whole: every,
		does: "SIGTERM of the hub that only runs the stateless server, while calls of 8 s are in flight"},
	{name: "the last hub ends", run: endLast, whole: inFlight,
		does: "SIGTERM of the only hub, while calls of 8 s are in flight"},
	{name: "an owner hangs", soon: true, brief: true, moves: true, run: stopOwner, whole: ofMachine,
		does: "SIGSTOP of the owner for 15 s, then SIGCONT"},
	{name: "a stateless hub hangs", short: true, run: stopOther, whole: afterFirstFailure,
		does: "SIGSTOP of the hub that only runs the stateless server, for 12 s, then SIGCONT"},
	{name: "a hub gets another server", run: reload, whole: every,
		does: "SIGHUP of the owner, whose file has one server more"},
	{name: "gateways hang and die", run: gateways, whole: atOthers,
		does: "SIGSTOP of a gateway for 8 s, and SIGKILL of another"},
	{name: "a NATS server hangs", soon: true, run: stopNode,
		does: "SIGSTOP of a NATS server for 8 s, then SIGCONT"},
	{name: "no quorum", short: true, run: noQuorum,
		does: "SIGKILL of two of three NATS servers; the stateless server goes on, and a hub that starts meanwhile offers it"},
	{name: "a hub before its cluster", run: earlyHub,
		does: "a hub starts while no NATS server runs, and joins when they do"},

	{name: "the hub of a machine hangs", run: stopHostHub, whole: notShared,
		does: "SIGSTOP of the hub of a machine for 8 s, while callers give up"},
	{name: "the hub of a machine ends", run: endHostHub, whole: notShared,
		does: "SIGTERM of the hub of a machine, while calls of 8 s are in flight"},

	{name: "an unreadable lease", run: unreadableLease, whole: notOwned,
		does: "the record of a lease is replaced by text; `hub release` repairs it"},
	{name: "a foreign lease", run: foreignLease, whole: notOwned,
		does: "the record of a lease names an owner that does not exist, for an hour; `hub release` repairs it"},
	{name: "forged messages", run: forgedMessages, whole: every,
		does: "texts that no part of the fleet has written arrive at all its subjects"},
}

// The functions below select the calls that must be answered.

func every(*trial, history.Call) bool { return true }

func ofMachine(_ *trial, c history.Call) bool { return c.Server == shared || c.Server == own }

func notSpread(_ *trial, c history.Call) bool { return c.Server != spread }

func notOwned(_ *trial, c history.Call) bool { return c.Server != owned }

func notShared(_ *trial, c history.Call) bool { return c.Server != shared }

// atDesk reports whether a call is made through a gateway of a desk.
func (f *fleet) atDesk(desk int, c history.Call) bool {
	for _, g := range f.gatewaysAt(desk) {
		if g.name == c.Gateway {
			return true
		}
	}
	return false
}

func notAtDesk0(r *trial, c history.Call) bool { return !r.atDesk(0, c) }

func notAtDesk1(r *trial, c history.Call) bool { return !r.atDesk(1, c) }

// ofSlowDesk selects calls at the desk with the long timeouts.
func ofSlowDesk(r *trial, c history.Call) bool { return r.atDesk(1, c) }

// inFlight selects calls that had begun before the fault, early enough to have reached a hub.
func inFlight(r *trial, c history.Call) bool { return c.Begin <= r.at.UnixNano()-int64(history.Hand) }

// inFlightOrSpread also selects later calls, except those of the server with one owner that are
// refused as not sent while the server moves.
func inFlightOrSpread(r *trial, c history.Call) bool {
	return inFlight(r, c) || c.Server != owned || c.Outcome != history.Refused
}

// afterFirstFailure selects calls that begin after the first failure at their gateway.
func afterFirstFailure(r *trial, c history.Call) bool {
	if c.Server != spread {
		return true
	}
	for _, other := range r.record.all() {
		if other.Server == spread && other.Gateway == c.Gateway && other.Outcome != history.Answered && other.End < c.Begin {
			return true
		}
	}
	return false
}

// atOthers selects calls of gateways that were not stopped or ended.
func atOthers(r *trial, c history.Call) bool { return !r.exempt[c.Gateway] }
