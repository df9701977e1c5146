package wire

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// Protocol is the version of the protocol between gateways and hubs.
const Protocol = 1

// Requests of gateways to the hub: the second token of hub.VERB.G.
const (
	Offer   = "offer"   // use a server: the payload is a Definition, the answer an Offered
	Release = "release" // the server of an offer is not used any more; the reply subject is that of the offer
	Limit   = "limit"   // the gateway has changed its concurrency; the payload is the number, the reply subject that of the offer
	Tools   = "tools"   // the tools of the server of an offer; the payload is its key
	Ping    = "ping"    // whether the server of an offer is connected; the payload is its key
	Restart = "restart" // end the server of an offer and start it again, for all gateways; the payload is its key
	Answer  = "answer"  // the answer to a question; the reply subject is that of the call
	Credit  = "credit"  // the receiver of a large payload has room for more pieces
	Drop    = "drop"    // the rest of a large answer is not wanted; the reply subject is that of the request
	Piece   = "piece"   // the next piece of a large payload of the gateway

	Confirm = "confirm" // the answer to the event Confirm of the call; the payload is a Confirmed
	Settled = "settled" // the answer to Ending: no more requests follow

	// In a fleet only.
	Cancel = "cancel" // the call is over; the payload is the reason
	Beat   = "beat"   // the payload is a JSON list of request numbers; the answer lists those that the hub does not have
)

// Events of a request: the last token of gateway.G.N.EVENT.
const (
	Done     = "done"     // the payload is the result
	Failed   = "failed"   // the payload is an error, see EncodeError
	Large    = "large"    // a large result follows in pieces; the payload is its size in bytes
	Part     = "part"     // the next piece of a large result
	Room     = "room"     // the hub has room for more pieces of the request; the payload is their number
	Progress = "progress" // the payload is a toolscript.Progress
	Ask      = "ask"      // the server asks a person; the payload is a Question
	Changed  = "changed"  // of an offer: the tools of the server have changed
	Lost     = "lost"     // of an offer: the server is not connected any more; the payload is an error
	Log      = "log"      // of an offer: the payload is a LogLine
	// Confirm is also an event: the hub begins the call after the gateway has confirmed that the
	// call has not ended. The payload is a Confirmation.

	Ending  = "ending"  // of request 0, in the hub of a host: the hub takes no more calls, and answers those that it has
	Present = "present" // in a fleet, of request 0: the hub wants to know whether the gateway has ended
	Taken   = "taken"   // in a fleet, the first event of a request that takes time; the payload is a Taker
)

// Headers of a request.
const (
	CallHeader   = "Call"   // a Call in JSON
	CancelHeader = "Cancel" // the call is over; the value is the reason
)

// Operator is the user name for the port of the hub.
const Operator = "operator"

// ServerSubject returns the subject of calls of one gateway to a server in the hub of a host.
func ServerSubject(key, gateway string) string { return "server." + key + ".call." + gateway }

// CatalogSubject returns the subject at which the hub of a host reports changes of the tools or the
// state of a server.
func CatalogSubject(key string) string { return "server." + key + ".catalog" }

// Last returns the last token of a subject.
func Last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// Verb returns the second token of a subject.
func Verb(subject string) string {
	_, rest, _ := strings.Cut(subject, ".")
	verb, _, _ := strings.Cut(rest, ".")
	return verb
}

// idLength is the length of the id of a gateway.
const idLength = 32

// NewID returns a random id of a gateway or of a hub of a fleet.
func NewID() string {
	var id [idLength / 2]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// ValidID reports whether a text can be the id of a gateway or the key of a server: 32
// lower-case hexadecimal digits.
func ValidID(text string) bool {
	return len(text) == idLength && strings.Trim(text, "0123456789abcdef") == ""
}
