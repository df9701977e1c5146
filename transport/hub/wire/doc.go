// Package wire defines the messages between gateways and a hub: subjects, the data of calls,
// errors, and payloads that are larger than a message. It does no I/O and does not use NATS.
// DoOnce carries out calls with the same idempotency key only once.
//
// A gateway with the id G sends requests to a server with the key K, or to the hub, with
// a reply subject gateway.G.N, where N is the number of the request:
//
//	server.K.call.G   a tool call or a fetch, or its cancellation
//	hub.VERB.G        everything else; see the verbs
//
// The hub answers at gateway.G.N.EVENT; see the events. Only the hub may subscribe to
// server.*.call.* and hub.>. A gateway may publish only to subjects that end with its own
// id, and subscribe only to gateway.G.> and to server.*.catalog.
package wire
