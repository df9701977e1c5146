package toolscript

// PinPolicy is what happens to tools that differ from those that were pinned at their
// first use.
type PinPolicy string

// The policies, from the weakest to the strictest.
const (
	PinsOff        PinPolicy = "off"        // nothing is pinned
	PinsWarn       PinPolicy = "warn"       // differences are shown
	PinsQuarantine PinPolicy = "quarantine" // and such tools cannot be used until a person accepts them
)

// Stricter returns the stricter of two policies. "" is weaker than all others.
func (p PinPolicy) Stricter(other PinPolicy) PinPolicy {
	rank := map[PinPolicy]int{PinsOff: 1, PinsWarn: 2, PinsQuarantine: 3}
	if rank[other] > rank[p] {
		return other
	}
	return p
}

// The values of PinChange.Kind.
const (
	PinChanged    = "changed"    // it differs from what was pinned
	PinNew        = "new"        // a tool that its server did not have when it was pinned
	PinUnreadable = "unreadable" // the pins of the server cannot be read
)

// PinChange is a difference between a tool, or a server, and what was pinned of it.
type PinChange struct {
	Tool  string   `json:"tool,omitempty"` // the server's own name; absent: the server itself
	Name  string   `json:"-"`              // that of an Override; "": Tool
	Kind  string   `json:"kind"`
	Parts []string `json:"parts,omitempty"` // what has changed, such as "description"
	Diff  string   `json:"diff,omitempty"`  // lines that begin with -, + or a space; long ones are cut
	Held  bool     `json:"held"`            // it is in quarantine: it cannot be found or called
	// Accept is the command with which a person accepts the difference.
	Accept string `json:"accept"`
}

// Suspicion is a text of a server that looks like an attempt to instruct a model, or
// that has hidden characters.
type Suspicion struct {
	Tool  string `json:"tool,omitempty"` // the server's own name; absent: the server itself
	Where string `json:"where"`          // "name", "description", or a place such as "inputSchema/properties/path/description"
	Shape string `json:"shape"`          // name of the known shape
	Text  string `json:"text"`           // the part of the text; hidden characters are written as \u{…}
}
