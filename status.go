package toolscript

import "time"

// ServerState says where a server connection stands.
type ServerState string

// The states of a server connection.
const (
	Connecting ServerState = "connecting" // dialling, or listing its tools
	Ready      ServerState = "ready"
	Backoff    ServerState = "backoff"    // lost or refused; waiting for the next try
	NeedsAuth  ServerState = "needs_auth" // waiting for `toolscript auth`
	Failed     ServerState = "failed"     // will not be retried: bad configuration, unset variable, not trusted
	Stopped    ServerState = "stopped"
)

// ServerStatus is what is known of one configured server. It never holds
// values of its environment or headers.
type ServerStatus struct {
	Name         string      `json:"name"`
	Title        string      `json:"title,omitempty"`
	Instructions string      `json:"instructions,omitempty"`
	Type         string      `json:"type"` // stdio, http or sse
	State        ServerState `json:"state"`
	Settled      bool        `json:"settled"` // it has connected, failed or been given up at least once
	Tools        int         `json:"tools"`
	Stale        bool        `json:"stale,omitempty"` // the tools are those of its last connection
	Since        time.Time   `json:"since"`
	Attempt      int         `json:"attempt,omitempty"`   // of the current row of tries, from 1
	NextRetry    *time.Time  `json:"nextRetry,omitempty"` // in state backoff
	InFlight     int         `json:"inFlight"`
	Queued       int         `json:"queued"`              // calls that wait for one in flight to end
	Restarts     int         `json:"restarts"`            // connections after the first
	Error        string      `json:"error,omitempty"`     // the last one, while it matters
	LastError    string      `json:"lastError,omitempty"` // the same, as GET /status names it; set only there
	Stderr       []string    `json:"stderr,omitempty"`    // the server's last lines, after a failure
	OAuthStatus  string      `json:"oauth_status,omitempty"`
}

// ActorStatus is what is known of one actor.
type ActorStatus struct {
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Since     time.Time `json:"since"`
	Restarts  int       `json:"restarts"`
	LastError string    `json:"lastError,omitempty"`
	InFlight  int       `json:"inFlight"`

	Wall []WallPart `json:"wall,omitempty"` // of a pool of worker processes: around the one that was started last
}

// WallPart is one part of the wall between a worker process and the system, as
// the worker found it after putting it up.
type WallPart struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
	Detail string `json:"detail,omitempty"` // what it holds; or why it is missing
}

// Status is the state of the whole gateway.
type Status struct {
	Version       string         `json:"version"`
	PID           int            `json:"pid"`
	UptimeSeconds float64        `json:"uptimeSeconds"`
	Generation    uint64         `json:"generation"`
	Servers       []ServerStatus `json:"servers"`
	Search        SearchStats    `json:"search"`
	Actors        []ActorStatus  `json:"actors"`
	Engines       []EngineStatus `json:"engines,omitempty"`
	Warnings      []string       `json:"warnings,omitempty"` // colliding names, schemas that give no types, filters that match nothing
}

// Reload is what a new configuration changed, as the sorted names of servers.
type Reload struct {
	Added     []string `json:"added"`
	Removed   []string `json:"removed"`
	Changed   []string `json:"changed"` // connected to anew
	Unchanged []string `json:"unchanged"`
	Search    []string `json:"search,omitempty"`   // fields of search that are others now
	Warnings  []string `json:"warnings,omitempty"` // about the files
}
