package wire

import (
	"strconv"
	"strings"
)

// fleetPrefix begins all subjects of fleets. Other programs may use the same cluster.
const fleetPrefix = "toolscript."

// Names builds the subjects of one gateway, in a hub or in a fleet.
type Names struct{ prefix, gateway string }

// HostNames returns the Names of a gateway in the hub of a host.
func HostNames(id string) Names { return Names{"", id} }

// FleetNames returns the Names of a gateway in a fleet. user is the name in the permissions
// of its credentials.
func FleetNames(user, id string) Names { return Names{fleetPrefix, user + "." + id} }

// Gateway returns the id of the gateway in subjects: one token in a hub, two in a fleet.
func (n Names) Gateway() string { return n.gateway }

// Inbox returns the prefix of all subjects that the gateway receives.
func (n Names) Inbox() string { return n.prefix + "gateway." + n.gateway + "." }

// Reply returns the reply subject of a request.
func (n Names) Reply(request uint64) string { return n.Inbox() + strconv.FormatUint(request, 10) }

// ParseReply returns the number of a request from its reply subject.
func (n Names) ParseReply(subject string) (request uint64, ok bool) {
	number, ok := strings.CutPrefix(subject, n.Inbox())
	if !ok {
		return 0, false
	}
	request, err := strconv.ParseUint(number, 10, 64)
	return request, err == nil
}

// Event returns the parts of the subject of an event.
func (n Names) Event(subject string) (request uint64, event string, ok bool) {
	at := strings.LastIndexByte(subject, '.')
	if at < 0 {
		return 0, "", false
	}
	request, ok = n.ParseReply(subject[:at])
	return request, subject[at+1:], ok
}

// Hub returns the subject of a request to a hub. hub is the hub's id in a fleet, otherwise empty.
func (n Names) Hub(verb, hub string) string {
	if hub != "" {
		hub += "."
	}
	return n.prefix + "hub." + hub + verb + "." + n.gateway
}

// Server returns the subject of a request about a server of a fleet. token names the receiver:
// Anyone, the number of the owner's lease, or the id of a hub.
func (n Names) Server(name, verb, token string) string {
	return n.prefix + "server." + name + "." + verb + "." + token + "." + n.gateway
}

// Anyone is the token of servers that several hubs offer.
const Anyone = "any"

// The verbs of requests about a server of a fleet, in addition to Tools and Ping.
const (
	Open   = "open"  // begin to use the server: the answer is an Offered
	Invoke = "call"  // a tool call or a fetch
	State  = "state" // the answer is empty if the hub is connected to the server, otherwise an error that says why not
)

// FleetServer returns the subject pattern for which a hub of a fleet receives requests about
// a server.
func FleetServer(name, verb, token string) string {
	return FleetNames("*", "*").Server(name, verb, token)
}

// FleetHub returns the subject pattern of requests to one hub of a fleet.
func FleetHub(id string) string { return FleetNames("*", "*").Hub("*", id) }

// FleetCatalog returns the subject at which the hubs of a fleet report changes of a server.
func FleetCatalog(name string) string { return fleetPrefix + "catalog." + name }

// FleetGateway returns the gateway that has sent a request in a fleet: the last two tokens
// of the subject.
func FleetGateway(subject string) (Names, bool) {
	at := strings.LastIndexByte(subject, '.')
	if at < 0 || !ValidID(subject[at+1:]) {
		return Names{}, false
	}
	rest := subject[:at]
	user := rest[strings.LastIndexByte(rest, '.')+1:]
	return FleetNames(user, subject[at+1:]), ValidName(user)
}

// FleetVerb returns the verb of a request to one hub of a fleet.
func FleetVerb(subject string) string {
	tokens := strings.SplitN(subject, ".", 5) // toolscript.hub.ID.VERB.GATEWAY
	if len(tokens) < 5 {
		return ""
	}
	return tokens[3]
}

// FleetControl returns the subject of a request of an operator to the hubs of a fleet. The payload
// is a ControlRequest. Hubs that the request does not concern do not answer.
func FleetControl(verb string) string { return fleetPrefix + "control." + verb }

// The verbs of requests of operators.
const (
	ControlDrain   = "drain"   // end the hubs on a host
	ControlRelease = "release" // hand a server over from its owner to another hub
)

// ControlRequest is a request of an operator.
type ControlRequest struct {
	Host   string `json:"host,omitempty"`   // for ControlDrain
	Server string `json:"server,omitempty"` // for ControlRelease
}

// maxName is the length of the longest name in a fleet.
const maxName = 64

// ValidName reports whether a text can be the name of a server or of a user in a fleet: at
// most 64 letters of ASCII, digits, hyphens and underscores.
func ValidName(text string) bool {
	return text != "" && len(text) <= maxName && ServiceName(text) == text
}

// ServiceName converts a text to one that NATS allows for a micro service.
func ServiceName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, text)
}

// Taker is the hub of a fleet that has taken a request.
type Taker struct {
	Hub  string `json:"hub"`  // id of the hub
	Host string `json:"host"` // name of its host
}
