package runs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
)

// Run is one run.
type Run struct {
	RunID     string       `json:"runId"`
	StartedAt time.Time    `json:"startedAt"`
	Outcome   string       `json:"outcome"` // ok, the kind of the error, the state of a run in progress, or unknown
	ExitCode  *int         `json:"exitCode,omitempty"`
	Ms        float64      `json:"ms"`
	File      string       `json:"file"`
	Tool      string       `json:"tool,omitempty"` // called tool, for toolscript call
	Script    *audit.Data  `json:"script,omitempty"`
	Engine    string       `json:"engine"`
	Client    string       `json:"client,omitempty"`
	Session   string       `json:"session,omitempty"`
	PID       int          `json:"pid,omitempty"` // process id of the gateway
	Allow     []string     `json:"allow,omitzero"`
	Profile   string       `json:"profile,omitempty"`
	Calls     int          `json:"calls"`
	Value     *audit.Data  `json:"value,omitempty"` // value of the script
	Host      string       `json:"host,omitempty"`  // machine of the fleet that has run the script
	Recorded  bool         `json:"recorded,omitempty"`
	Detached  bool         `json:"detached,omitempty"`  // by exec --detach; runs output prints the output
	CallLines []audit.Line `json:"callLines,omitempty"` // in the order of the calls; only set by History.Run

	Unfinished []toolscript.UnfinishedCall `json:"unfinished,omitempty"` // calls that were cancelled when the script ended
}

// unknown is the outcome of a run without an end: its gateway was killed, or is a gateway
// that was not asked.
const unknown = "unknown"

// History holds the runs of an audit.
type History struct {
	runs  map[string]*Run
	calls map[string][]audit.Line
}

// ReadHistory reads the history of runs from the lines of an audit.
func ReadHistory(dir string) (*History, error) {
	h := &History{map[string]*Run{}, map[string][]audit.Line{}}
	err := audit.ChainLines(dir, func(l audit.ChainLine) {
		switch l.Type {
		case audit.TypeRun, audit.TypeCall, audit.TypeEnd:
		default:
			return
		}
		var line audit.Line
		if json.Unmarshal(l.Text, &line) == nil && line.Run != "" {
			h.line(line)
		}
	})
	return h, err
}

func (h *History) line(l audit.Line) {
	switch l.Type {
	case audit.TypeRun:
		h.runs[l.Run] = &Run{
			RunID: l.Run, StartedAt: l.Time, Outcome: unknown, File: l.File, Script: l.Script, Engine: l.Engine,
			Client: l.Client, Session: l.Session, PID: l.PID, Allow: l.Allow, Profile: l.Profile,
		}
	case audit.TypeCall:
		h.calls[l.Run] = append(h.calls[l.Run], l)
		if r := h.runs[l.Run]; r != nil {
			r.Calls++
			if r.isCall() {
				r.Tool = l.Tool
			}
		}
	case audit.TypeEnd:
		if r := h.runs[l.Run]; r != nil {
			r.Outcome, r.ExitCode, r.Ms, r.Value, r.Host, r.Unfinished = l.Outcome, l.ExitCode, l.Ms, l.Value, l.Host, l.Unfinished
		}
	}
}

// Add adds the runs that a gateway knows and has not yet written to the audit.
func (h *History) Add(records []toolscript.RunRecord) {
	for _, record := range records {
		r := h.runs[record.RunID]
		if r == nil {
			r = &Run{RunID: record.RunID, StartedAt: record.StartedAt, File: record.File, Engine: record.Engine, Allow: record.Allow, Profile: record.Profile, Outcome: unknown}
			h.runs[record.RunID] = r
		}
		if r.Outcome != unknown {
			continue
		}
		r.Outcome = record.State
		if record.EndedAt != nil {
			r.Outcome, r.ExitCode, r.Unfinished = cmp.Or(string(record.Kind), toolscript.OutcomeOK), record.ExitCode, record.Unfinished
			r.Ms = float64(record.EndedAt.Sub(record.StartedAt).Microseconds()) / 1000
		}
		if record.Metrics != nil {
			r.Calls, r.Host = max(r.Calls, record.Metrics.ToolCalls), record.Metrics.Host
		}
	}
}

// isCall reports whether the run was made by toolscript call.
func (r *Run) isCall() bool { return strings.HasPrefix(r.Client, "toolscript call ") }

// Calling adds the tools of runs of toolscript call that are in progress: the audit has a
// call only when it has ended. record asks a gateway for a run.
func (h *History) Calling(record func(id string) (toolscript.RunRecord, error)) {
	for id, r := range h.runs {
		if r.Outcome == unknown || r.ExitCode != nil || r.Tool != "" || !r.isCall() {
			continue
		}
		if live, err := record(id); err == nil && len(live.Calls) > 0 {
			r.Tool, r.Calls = live.Calls[0].Tool, len(live.Calls)
		}
	}
}

// Recorded marks the recorded runs.
func (h *History) Recorded(has func(id string) bool) {
	for id, r := range h.runs {
		r.Recorded = has(id)
	}
}

// Runs returns all runs, the newest first, without their calls.
func (h *History) Runs() []Run {
	all := make([]Run, 0, len(h.runs))
	for _, r := range h.runs {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Run) int {
		return cmp.Or(b.StartedAt.Compare(a.StartedAt), cmp.Compare(a.RunID, b.RunID))
	})
	return all
}

// Run returns one run with its calls. The error is NotFound if there is no such run.
func (h *History) Run(id string) (Run, error) {
	r := h.runs[id]
	if r == nil {
		return Run{}, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("the audit has no run %.50q; list the runs with: toolscript runs list", id)}
	}
	one := *r
	one.CallLines = slices.Clone(h.calls[id])
	slices.SortStableFunc(one.CallLines, func(a, b audit.Line) int {
		x, _ := strconv.Atoi(a.Call) // calls over HTTP come first
		y, _ := strconv.Atoi(b.Call)
		return cmp.Compare(x, y)
	})
	return one, nil
}

// ShortData returns the beginning of a hash with the size of the content, or "" for nil.
func ShortData(d *audit.Data) string {
	if d == nil {
		return ""
	}
	return fmt.Sprintf("%.8s %d B", d.SHA256, d.Bytes)
}
