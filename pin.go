package toolscript

// PinPolicy says what the gateway does about tools that differ from their pins, which
// were made at first use.
type PinPolicy string

// The policies, from weakest to strictest.
const (
	PinsOff        PinPolicy = "off"        // nothing is pinned
	PinsWarn       PinPolicy = "warn"       // differences are shown
	PinsQuarantine PinPolicy = "quarantine" // differences are shown, and such tools cannot be used until a person accepts them
)

// Stricter returns the stricter of two policies. "" is the weakest.
func (p PinPolicy) Stricter(other PinPolicy) PinPolicy {
	rank := map[PinPolicy]int{PinsOff: 1, PinsWarn: 2, PinsQuarantine: 3}
	if rank[other] > rank[p] {
		return other
	}
	return p
}

// The values of PinChange.Kind.
const (
	PinChanged    = "changed"    // the tool or server differs from its pin
	PinNew        = "new"        // the server did not have the tool when it was pinned
	PinUnreadable = "unreadable" // the pins of the server cannot be read
)

// PinChange is a difference between a tool or a server and its pin.
type PinChange struct {
	Tool  string   `json:"tool,omitempty"` // the server's own name for the tool; absent if the change is of the server itself
	Name  string   `json:"-"`              // name of the tool in an Override; "" if it is Tool
	Kind  string   `json:"kind"`
	Parts []string `json:"parts,omitempty"` // the changed parts, such as "description"
	Diff  string   `json:"diff,omitempty"`  // lines that begin with -, + or a space; long lines are shortened
	Held  bool     `json:"held"`            // the tool is in quarantine: it cannot be found or called
	// Accept is the command by which a person accepts the change.
	Accept string `json:"accept"`
}

// Suspicion is a text of a server that has hidden characters or looks like an attempt
// to instruct a model.
type Suspicion struct {
	Tool  string `json:"tool,omitempty"` // the server's own name for the tool; absent if the text is of the server itself
	Where string `json:"where"`          // "name", "description", or a path such as "inputSchema/properties/path/description"
	Shape string `json:"shape"`          // name of the matching known pattern
	Text  string `json:"text"`           // the suspicious part; hidden characters are written as \u{…}
}
