package toolscript

import (
	"fmt"
	"time"
)

// ServerState is the state of a server connection.
type ServerState string

// The states of a server connection.
const (
	Connecting ServerState = "connecting" // dialling, listing tools, or waiting for the starts of other servers
	Installing ServerState = "installing" // a package manager installs the server
	Ready      ServerState = "ready"
	Resting    ServerState = "resting"    // stopped because it was not used; the next call starts it
	Starting   ServerState = "starting"   // the process runs and is not connected yet, or starts after a rest
	Backoff    ServerState = "backoff"    // connection lost or refused; waiting for the next try
	NeedsAuth  ServerState = "needs_auth" // waiting for `toolscript auth`
	Failed     ServerState = "failed"     // not retried: bad configuration, unset variable, not trusted
	Stopped    ServerState = "stopped"    // disabled in the configuration, or the gateway is ending
)

// Serves reports whether the tools of a server in this state can be called: the server
// is connected, or a call starts it. See also ServerStatus.Serves.
func (s ServerState) Serves() bool { return s == Ready || s == Resting }

// Connects reports whether the server is being connected.
func (s ServerState) Connects() bool { return s == Connecting || s == Installing || s == Starting }

// Serves reports whether the tools of the server can be called. During a start after a
// rest they can: the tools are known, and calls wait.
func (s ServerStatus) Serves() bool { return s.State.Serves() || s.Rested && s.State.Connects() }

// Start describes the start of a server in state Installing or Starting, such as "still
// starting (12 s)". It returns "" in other states.
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

// ServerStatus is the status of one configured server. It never holds values of its
// environment or headers.
type ServerStatus struct {
	Name         string        `json:"name"`
	Title        string        `json:"title,omitempty"`
	Icon         string        `json:"icon,omitempty"` // data URI of a small image
	Instructions string        `json:"instructions,omitempty"`
	Type         string        `json:"type"`               // stdio, http, sse, fleet or builtin
	Shared       string        `json:"shared,omitempty"`   // host or project: scope in which gateways share the server through a hub
	Confined     []Confinement `json:"confined,omitempty"` // configured restrictions, and whether they are in force
	Hosts        []string      `json:"hosts,omitempty"`    // for type fleet: hosts whose hubs last offered the server
	PID          int           `json:"pid,omitempty"`      // id of the server's process; 0 if a hub runs it
	State        ServerState   `json:"state"`
	Rested       bool          `json:"rested,omitempty"`   // the start follows a rest: calls of the tools wait for it
	Disabled     bool          `json:"disabled,omitempty"` // disabled by the configuration: not started
	Settled      bool          `json:"settled"`            // the server has connected, failed or been given up at least once
	Tools        int           `json:"tools"`
	Skills       int           `json:"skills,omitempty"`
	Stale        bool          `json:"stale,omitempty"` // Tools counts the tools of the last connection
	Since        time.Time     `json:"since"`
	Attempt      int           `json:"attempt,omitempty"`   // number of the current try in its series, from 1
	NextRetry    *time.Time    `json:"nextRetry,omitempty"` // time of the next try; nil if only a person can help
	Permanent    bool          `json:"permanent,omitempty"` // further tries fail too until the cause in Error is removed
	InFlight     int           `json:"inFlight"`
	Queued       int           `json:"queued"`               // calls that wait for their turn or for a connection
	RateLimit    *RateLimit    `json:"rateLimit,omitempty"`  // nil if the configuration has no rate limit
	Restarts     int           `json:"restarts"`             // connections after the first, except those after a rest
	Calls        uint64        `json:"calls,omitempty"`      // calls of the server's tools since the start of the gateway
	Errors       uint64        `json:"errors,omitempty"`     // failed calls
	P50Ms        float64       `json:"p50Ms,omitempty"`      // median of the durations of tools/call requests
	P95Ms        float64       `json:"p95Ms,omitempty"`      // 95th percentile of these durations
	Hour         *Hour         `json:"hour,omitempty"`       // nil without requests in the last hour
	Error        string        `json:"error,omitempty"`      // last error, while it is relevant
	LastError    string        `json:"lastError,omitempty"`  // same as Error, under the name that GET /status uses; set only there
	Stderr       []string      `json:"stderr,omitempty"`     // last lines of the server's stderr after a failure
	Protocol     string        `json:"protocol,omitempty"`   // protocol version of MCP
	Deviations   []string      `json:"deviations,omitempty"` // deviations of the server from MCP that the gateway tolerates
	OAuthStatus  string        `json:"oauth_status,omitempty"`
	OAuthError   string        `json:"oauth_error,omitempty"`     // why the last login failed
	OAuthFailed  *time.Time    `json:"oauth_failed_at,omitempty"` // when the last login failed
	Pinned       int           `json:"pinned,omitempty"`          // number of pinned tools
	Pins         []PinChange   `json:"pins,omitempty"`            // differences between the server and its pins
	Suspicions   []Suspicion   `json:"suspicions,omitempty"`      // suspicious texts of the server
	Overrides    []Overridden  `json:"overrides,omitempty"`       // parts of its tools that the configuration replaces
	Reviews      int           `json:"-"`                         // number of comparisons of its tools with the pins
}

// HourParts is the number of intervals of an Hour.
const HourParts = 30

// Hour holds statistics of the tools/call requests of a server in the last hour, in
// HourParts intervals of two minutes, oldest first. A request counts when it ends.
type Hour struct {
	Calls []uint64  `json:"calls"`
	P95Ms []float64 `json:"p95Ms"` // 95th percentile in ms for each interval; 0 without requests
}

// RateLimit is the state of the rate limit of a server: a token bucket from which each
// call takes one token.
type RateLimit struct {
	Calls   int    `json:"calls"`             // tokens added in PerMs
	PerMs   int64  `json:"perMs"`             //
	Burst   int    `json:"burst"`             // capacity in tokens
	Waiting int    `json:"waiting,omitempty"` // calls that are waiting for a token
	Delayed uint64 `json:"delayed,omitempty"` // calls that had to wait for a token since the start of the gateway
	Refused uint64 `json:"refused,omitempty"` // calls refused because the wait for a token would have exceeded their deadline
}

// MissingServer is a server that is not connected, and why.
type MissingServer struct {
	Name  string      `json:"name"`
	State ServerState `json:"state"`
	Error string      `json:"error,omitempty"`
}
