package discovery

import (
	"cmp"
	"log/slog"
	"net/url"
	"slices"
	"time"
)

// Entry is what one running gateway tells the command line.
type Entry struct {
	PID          int       `json:"pid"`
	StartTime    uint64    `json:"startTime"`              // of the process, in the units of its system
	Host         string    `json:"host"`                   // home folders may be shared between machines
	PIDNamespace string    `json:"pidNamespace,omitempty"` // and between containers of one
	URL          string    `json:"url"`                    // with the capability
	Session      string    `json:"session,omitempty"`
	Config       []string  `json:"config"` // absolute paths of its configuration files
	Version      string    `json:"version"`
	Protocol     int       `json:"protocol"`
	StartedAt    time.Time `json:"startedAt"`
}

// Address is the URL without the capability, fit to be shown.
func (e Entry) Address() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// String shows no capability.
func (e Entry) String() string { return e.Address() }

// GoString keeps the capability out of %#v.
func (e Entry) GoString() string { return e.Address() }

// LogValue keeps the capability out of the log.
func (e Entry) LogValue() slog.Value { return slog.StringValue(e.Address()) }

// alive reports whether the entry's process still runs. A process that cannot be
// asked about counts as alive: its health will tell.
func (e Entry) alive() bool {
	start, err := startTime(e.PID)
	if err != nil {
		return !isGone(err)
	}
	return start == e.StartTime
}

func sortNewestFirst(entries []Entry) {
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(b.StartTime, a.StartTime), cmp.Compare(b.PID, a.PID))
	})
}
