package toolscript

import (
	"fmt"
	"time"
)

// ServerState says where a server connection stands.
type ServerState string

// The states of a server connection.
const (
	Connecting ServerState = "connecting" // dialling, listing its tools, or waiting for the starts of others
	Installing ServerState = "installing" // a package manager installs it
	Ready      ServerState = "ready"
	Resting    ServerState = "resting"    // not running, because it was not used; the next call starts it
	Starting   ServerState = "starting"   // its process runs and is not connected yet, or starts after a rest
	Backoff    ServerState = "backoff"    // lost or refused; waiting for the next try
	NeedsAuth  ServerState = "needs_auth" // waiting for `toolscript auth`
	Failed     ServerState = "failed"     // will not be retried: bad configuration, unset variable, not trusted
	Stopped    ServerState = "stopped"    // disabled in the configuration, or the gateway is ending
)

// Serves reports whether the tools of a server in this state can be called: it is connected,
// or a call starts it. See also ServerStatus.Serves.
func (s ServerState) Serves() bool { return s == Ready || s == Resting }

// Connects reports whether the server is on the way to a connection.
func (s ServerState) Connects() bool { return s == Connecting || s == Installing || s == Starting }

// Serves reports whether the tools of the server can be called: also during its start after a
// rest, in which its tools are known and calls wait.
func (s ServerStatus) Serves() bool { return s.State.Serves() || s.Rested && s.State.Connects() }

// Start describes the start of a server in state installing or starting, such as "still
// starting (12 s)"; "" in other states.
func (s ServerStatus) Start(now time.Time) string {
	seconds := max(0, int(now.Sub(s.Since)/time.Second))
	switch s.State {
	case Installing:
		return fmt.Sprintf("still being installed (%d s)", seconds)
	case Starting:
		return fmt.Sprintf("still starting (%d s)", seconds)
	default:
		return ""
	}
}

// ServerStatus is the state of one configured server. It never holds
// values of its environment or headers.
type ServerStatus struct {
	Name         string        `json:"name"`
	Title        string        `json:"title,omitempty"`
	Instructions string        `json:"instructions,omitempty"`
	Type         string        `json:"type"`               // stdio, http, sse, fleet or builtin
	Shared       string        `json:"shared,omitempty"`   // host or project: a hub runs it for several gateways
	Confined     []Confinement `json:"confined,omitempty"` // what holds for its process, of the restrictions that the configuration asks for
	Hosts        []string      `json:"hosts,omitempty"`    // of the type fleet: where hubs offered it when they were last asked
	PID          int           `json:"pid,omitempty"`      // of its process, unless a hub runs it
	State        ServerState   `json:"state"`
	Rested       bool          `json:"rested,omitempty"`   // its start follows a rest: calls of its tools wait for it
	Disabled     bool          `json:"disabled,omitempty"` // by the configuration: it is not started
	Settled      bool          `json:"settled"`            // it has connected, failed or been given up at least once
	Tools        int           `json:"tools"`
	Stale        bool          `json:"stale,omitempty"` // the tools are those of its last connection
	Since        time.Time     `json:"since"`
	Attempt      int           `json:"attempt,omitempty"`   // of the current row of tries, from 1
	NextRetry    *time.Time    `json:"nextRetry,omitempty"` // unless only a person can help
	Permanent    bool          `json:"permanent,omitempty"` // no other try helps before the cause in Error has been removed
	InFlight     int           `json:"inFlight"`
	Queued       int           `json:"queued"`              // calls that wait for their turn or for a connection
	RateLimit    *RateLimit    `json:"rateLimit,omitempty"` // nil: the configuration has none
	Restarts     int           `json:"restarts"`            // connections after the first, without those after a rest
	Calls        uint64        `json:"calls,omitempty"`     // of its tools, since the start of the gateway
	Errors       uint64        `json:"errors,omitempty"`    // of them, those that failed
	P50Ms        float64       `json:"p50Ms,omitempty"`     // half of the tools/call requests took no longer
	P95Ms        float64       `json:"p95Ms,omitempty"`     // 95 of 100 took no longer
	Hour         *Hour         `json:"hour,omitempty"`      // nil: no requests in it
	Error        string        `json:"error,omitempty"`     // the last one, while it matters
	LastError    string        `json:"lastError,omitempty"` // the same, as GET /status names it; set only there
	Stderr       []string      `json:"stderr,omitempty"`    // the server's last lines, after a failure
	Protocol     string        `json:"protocol,omitempty"`  // version of MCP
	OAuthStatus  string        `json:"oauth_status,omitempty"`
	OAuthError   string        `json:"oauth_error,omitempty"`     // why the last login failed
	OAuthFailed  *time.Time    `json:"oauth_failed_at,omitempty"` // and when
	Pinned       int           `json:"pinned,omitempty"`          // tools that are pinned
	Pins         []PinChange   `json:"pins,omitempty"`            // how the server differs from what is pinned
	Suspicions   []Suspicion   `json:"suspicions,omitempty"`      // in its texts
	Overrides    []Overridden  `json:"overrides,omitempty"`       // parts of its tools that the configuration replaces
	Reviews      int           `json:"-"`                         // how often its tools were compared with the pins
}

// HourParts is the number of parts of an Hour.
const HourParts = 30

// Hour has the tools/call requests of a server in the last hour, in HourParts parts of two
// minutes, the oldest first. A request counts when it ends.
type Hour struct {
	Calls []uint64  `json:"calls"`
	P95Ms []float64 `json:"p95Ms"` // as in ServerStatus; 0 in a part without requests
}

// RateLimit is the rate limit of a server: a token bucket, of which each call takes a
// token.
type RateLimit struct {
	Calls   int    `json:"calls"`             // tokens that the bucket gets in PerMs
	PerMs   int64  `json:"perMs"`             //
	Burst   int    `json:"burst"`             // tokens that the bucket holds
	Waiting int    `json:"waiting,omitempty"` // calls that wait for a token now
	Delayed uint64 `json:"delayed,omitempty"` // calls that had to wait for a token, since the start of the gateway
	Refused uint64 `json:"refused,omitempty"` // calls that would have had to wait for a token beyond their deadline
}

// MissingServer is a server that is not connected, and why.
type MissingServer struct {
	Name  string      `json:"name"`
	State ServerState `json:"state"`
	Error string      `json:"error,omitempty"`
}
