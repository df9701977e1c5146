// Package cluster connects gateways and hubs to the NATS cluster of a fleet, finds out
// which servers the fleet has, and gives each server one owner at a time, with a lease.
//
// A lease is a record in a bucket of the key-value store of NATS JetStream. The owner writes the
// record again and again. A hub that wants the lease writes the record after the owner has
// stopped.
//
// # How a lease changes its owner
//
// Every write names the revision that it replaces, so the store accepts one of two
// concurrent writes. The revision of the write that begins a term is the token of the
// term. Revisions only grow, and so do tokens.
//
// The owner is certain of its lease until
//
//	(the time before its last accepted write was sent) + TTL - margin
//
// A candidate takes the lease when it has seen one revision for TTL without a change. A
// revision that a candidate sees was sent before, so the term of the owner ends at least
// a margin before the candidate writes. Both times are measured by the clock of the
// process that waits. No wall clock takes part: neither that of a hub nor that of a NATS
// server, which is why the time to live of the key-value store is not used. The clock
// of a hub counts the time in which the machine is suspended. A paused process therefore
// finds its lease over when it goes on.
//
// A write without an answer does not extend the term. The owner sends it again; if the
// first one was accepted after all, the record has the session of the owner, and the
// owner goes on with the revision in the store.
//
// # What an owner and a gateway have to do
//
// The subject of calls carries the token. The owner calls CheckLeases before it starts a call,
// and again before it sends the answer. A call whose first check fails was not carried
// out. If the second one fails, the owner sends no result, and it is not known whether the
// call was carried out. An owner tells the gateways the token of its term when the term
// begins, and when a gateway asks who owns the server. A gateway that learns of a term no
// longer accepts answers that were sent with a lower token: for such a call, too, it is
// not known whether it was carried out. A gateway that has not heard of a term yet sends
// its calls to a subject without a receiver, and asks.
//
// Gateways need no access to the bucket, and renewals do not reach them. Their number does
// not affect the costs of a lease.
//
// # Guarantees
//
//   - Two terms of a lease never overlap: CheckLeases succeeds in at most one process at a time.
//   - A result that a gateway accepts was computed within one term, even if it arrives
//     after the term, for example because the process was paused between the last check
//     and the write to the network. After a gateway has heard of a term, it accepts no
//     result of an earlier one.
//   - Tokens only grow, and each term has its own.
//
// The guarantees need clocks whose rates differ by less than the ratio of margin to TTL
// (one sixth by default), and a store that keeps accepted writes. A NATS server that
// loses its power may lose the writes of the last moments, unless its sync_interval is
// "always"; with three replicas, two of them must lose their power for that.
//
// # What is not guaranteed
//
//   - A call in flight when the term ends may go on, and its side effects may happen
//     beside those of the next owner: the context of the term ends, but a server may
//     ignore a cancellation, and a paused process cannot see it. Such a call is reported as
//     unknown. Only a resource that knows the token itself can refuse such an effect.
//   - A bucket that an operator empties or deletes while leases are held: the tokens may
//     begin again, and terms may overlap for one TTL. A deleted key is safe, if all hubs
//     have the same TTL: the next owner waits for the end of the term.
//   - While the store has no leader, nobody can renew a lease, and the owner stops
//     answering at the end of its term. The election of a leader takes four to nine
//     seconds in a NATS cluster that has lost the previous one.
package cluster
