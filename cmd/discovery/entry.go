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
	StartTime    uint64    `json:"startTime"`              // of the process, in the units of its system
	Host         string    `json:"host"`                   // home folders may be shared between machines
	PIDNamespace string    `json:"pidNamespace,omitempty"` // and between containers of one
	URL          string    `json:"url"`                    // with the capability
	Session      string    `json:"session,omitempty"`
	Client       *Process  `json:"client,omitempty"` // the agent's process that the gateway belongs to
	Log          string    `json:"log,omitempty"`    // absolute path of its log file
	Foreground   bool      `json:"foreground,omitempty"`
	Embedded     bool      `json:"embedded,omitempty"` // inside toolscript mcp: commands only reload it
	Config       []string  `json:"config"`             // absolute paths of its configuration files
	Version      string    `json:"version"`
	Protocol     int       `json:"protocol"`
	StartedAt    time.Time `json:"startedAt"`
	Start        *Start    `json:"start,omitempty"`
	Folders      []string  `json:"folders,omitempty"` // in which the entry is
}

// Start is how a gateway was started, so that it can be started again.
type Start struct {
	Args []string `json:"args"` // flags of gateway start, without the secret and the port
	Dir  string   `json:"dir"`  // working folder
}

// Address is the URL without the capability.
func (e Entry) Address() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// String leaves out the capability.
func (e Entry) String() string { return e.Address() }

// GoString leaves out the capability in %#v.
func (e Entry) GoString() string { return e.Address() }

// LogValue leaves out the capability in the log.
func (e Entry) LogValue() slog.Value { return slog.StringValue(e.Address()) }

// Process is the gateway's process.
func (e Entry) Process() Process { return Process{e.PID, e.StartTime} }

// Keys are the locks of a start of this gateway, see Begin.
func (e Entry) Keys() []string {
	keys := []string{StartKey(e.Session, e.Config)}
	if e.Client != nil {
		keys = append(keys, e.Client.String())
	}
	return keys
}

// StartKey is the lock of the starts of a session with configuration files.
func StartKey(session string, configPaths []string) string {
	return session + "\x00" + strings.Join(configPaths, "\x00")
}

// Here reports whether the process id is valid in this PID namespace.
func (e Entry) Here() bool { return e.PIDNamespace == thisPlace().pidNamespace }

// alive reports whether the process of the entry is running. If that is unknown, it is
// true, and a health check will show it.
func (e Entry) alive() bool {
	gone, _ := e.Process().Gone()
	return !gone
}

func sortNewestFirst(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.StartTime, a.StartTime), cmp.Compare(b.PID, a.PID))
	})
}
