// Package discovery stores the entries of running gateways, so that other commands find them.
// An entry contains the capability of its gateway: only the user can read it, and it is never
// printed as a whole. The package also starts gateways and hubs that outlive the command that
// starts them, has the flags of such a gateway, and finds out when the client of a gateway has
// ended.
package discovery

import (
	"cmp"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Entry describes a running gateway.
type Entry struct {
	PID          int       `json:"pid"`
	StartTime    uint64    `json:"startTime"`              // start time of the process, in the units of its system
	Host         string    `json:"host"`                   // machine, because machines may share home folders
	PIDNamespace string    `json:"pidNamespace,omitempty"` // PID namespace, because containers of a machine may share home folders
	URL          string    `json:"url"`                    // with the capability
	Session      string    `json:"session,omitempty"`
	Client       *Process  `json:"client,omitempty"` // process of the agent that the gateway belongs to
	Log          string    `json:"log,omitempty"`    // absolute path of the log file
	Foreground   bool      `json:"foreground,omitempty"`
	Embedded     bool      `json:"embedded,omitempty"` // the gateway is inside toolscript mcp: commands only reload it
	Config       []string  `json:"config"`             // absolute paths of the configuration files
	Version      string    `json:"version"`
	Protocol     int       `json:"protocol"`
	StartedAt    time.Time `json:"startedAt"`
	Start        *Start    `json:"start,omitempty"`
	Folders      []string  `json:"folders,omitempty"` // folders with the entry
}

// Start says how a gateway was started, so that it can be started again.
type Start struct {
	Args []string `json:"args"` // flags of gateway start, without the secret and the port
	Dir  string   `json:"dir"`  // working folder
}

// Address returns the URL without the capability.
func (e Entry) Address() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// String returns the address, without the capability.
func (e Entry) String() string { return e.Address() }

// GoString returns the address, without the capability, for %#v.
func (e Entry) GoString() string { return e.Address() }

// LogValue returns the address, without the capability, for logs.
func (e Entry) LogValue() slog.Value { return slog.StringValue(e.Address()) }

// Process returns the gateway's process.
func (e Entry) Process() Process { return Process{e.PID, e.StartTime} }

// Keys returns the keys of Begin for a start of this gateway.
func (e Entry) Keys() []string {
	keys := []string{StartKey(e.Session, e.Config)}
	if e.Client != nil {
		keys = append(keys, e.Client.String())
	}
	return keys
}

// StartKey returns the key of Begin for a session with configuration files.
func StartKey(session string, configPaths []string) string {
	return session + "\x00" + strings.Join(configPaths, "\x00")
}

// Here reports whether the process id is valid in this PID namespace.
func (e Entry) Here() bool {
	_, namespace := Scope()
	return e.PIDNamespace == namespace
}

// alive reports whether the process of the entry is running. It returns true if that is
// unknown; a health check then decides.
func (e Entry) alive() bool {
	gone, _ := e.Process().Gone()
	return !gone
}

func sortNewestFirst(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.StartTime, a.StartTime), cmp.Compare(b.PID, a.PID))
	})
}

// The states of gateways, hubs, fleets and runners. A server has a toolscript.ServerState.
const (
	Alive   = "alive"
	Silent  = "no answer" // the process runs, but does not answer
	Stale   = "stale"     // the process has ended, but its files are left
	Standby = "standby"   // for a server of a fleet: another hub has the lease
)
