package toolscript

import (
	"encoding/json"
	"time"
)

// LiveType is the type of a LiveEvent.
type LiveType string

// The events of GET /events. The data of each event except snapshot and notice is one
// entry with its id: the whole new entry, or a Gone.
const (
	LiveSnapshot  LiveType = "snapshot"  // Snapshot: it replaces everything before it
	LiveGateway   LiveType = "gateway"   // GatewayInfo
	LiveAttention LiveType = "attention" // Attention
	LiveServer    LiveType = "server"    // ServerEntry
	LiveActor     LiveType = "actor"     // ActorEntry
	LiveRun       LiveType = "run"       // RunEntry
	LiveCall      LiveType = "call"      // CallEntry
	LiveApproval  LiveType = "approval"  // Approval
	LiveIndex     LiveType = "index"     // IndexEntry
	LiveLog       LiveType = "log"       // LogLine
	LiveNotice    LiveType = "notice"    // Notice: the last event of the stream
)

// The numbers of entries of a Snapshot that come and go. A reader keeps as many: nothing
// is sent when an older entry is left out.
const (
	SnapshotRuns  = 50  // runs that have ended
	SnapshotCalls = 100 // calls that have ended
	SnapshotLogs  = 200
)

// LiveEvent is one event of GET /events.
type LiveEvent struct {
	ID   string          // for LiveQuery.After; "" if the stream cannot be resumed here
	Type LiveType        //
	Data json.RawMessage // a JSON object on one line, see LiveType
}

// LiveQuery asks for the events of GET /events.
type LiveQuery struct {
	After     string // the id of the last event that the reader has; "" begins with a Snapshot
	Arguments bool   // CallEntry.Args is wanted
}

// Snapshot is the state of a gateway at one moment: the data of the first event.
type Snapshot struct {
	Gateway   GatewayInfo   `json:"gateway"`
	Attention []Attention   `json:"attention"` // the most urgent first
	Servers   []ServerEntry `json:"servers"`   // sorted by name
	Actors    []ActorEntry  `json:"actors"`    // sorted by name
	Runs      []RunEntry    `json:"runs"`      // the newest first
	Calls     []CallEntry   `json:"calls"`     // the newest first
	Approvals []Approval    `json:"approvals"` // the oldest first
	Index     []IndexEntry  `json:"index"`
	Logs      []LogLine     `json:"logs"` // the oldest first
}

// Gone says that an entry does not exist any more.
type Gone struct {
	ID   string `json:"id"`
	Gone bool   `json:"gone"` // true
}

// Notice says why a stream ends.
type Notice struct {
	Reason  string `json:"reason"`  // slow: the reader was too slow; stopping: the gateway ends
	Message string `json:"message"` // for a person
}

// The values of Notice.Reason.
const (
	NoticeSlow     = "slow"
	NoticeStopping = "stopping"
)

// GatewayInfo describes a gateway. Its id is "gateway".
type GatewayInfo struct {
	ID            string    `json:"id"`
	Version       string    `json:"version"`
	PID           int       `json:"pid"`
	Started       time.Time `json:"started"`
	Configuration []string  `json:"configuration"` // paths of the files
	Ready         int       `json:"ready"`         // servers that are connected
	Total         int       `json:"total"`         // servers that are not disabled
	Generation    uint64    `json:"generation"`    // of the catalog
	Tools         int       `json:"tools"`
	Warnings      []string  `json:"warnings,omitempty"` // as in Status
	Omitted       uint64    `json:"omitted"`            // quick calls that had no event, because there were too many at once
}

// ServerEntry is a server. Its id is its name.
type ServerEntry struct {
	ID string `json:"id"`
	ServerStatus
}

// ActorEntry is an actor. Its id is its name.
type ActorEntry struct {
	ID string `json:"id"`
	ActorStatus
}

// RunEntry is a run without its calls. Its id is RunID.
type RunEntry struct {
	ID string `json:"id"`
	RunRecord
	Used RunUse `json:"used"`
}

// RunUse is how much of its Limits a run has used. Metrics has more when the run has ended.
type RunUse struct {
	ToolCalls   int64 `json:"toolCalls"`   // calls that were accepted
	InFlight    int64 `json:"inFlight"`    // of these, calls without an answer
	OutputBytes int64 `json:"outputBytes"` // of stdout and stderr
	LogLines    int64 `json:"logLines"`
}

// The values of CallEntry.State.
const (
	CallRunning = "running"
	CallEnded   = "ended"
)

// CallEntry is a call of a tool. It has no result, and no arguments unless they were asked for.
type CallEntry struct {
	ID          string    `json:"id"`
	Run         string    `json:"runId,omitempty"`
	CallID      string    `json:"callId,omitempty"`    // of the run
	RequestID   string    `json:"requestId,omitempty"` // of the HTTP request
	Server      string    `json:"server,omitempty"`
	Tool        string    `json:"tool"` // tool id; "" if there is no such tool
	Since       time.Time `json:"since"`
	State       string    `json:"state"`             // running or ended
	Outcome     string    `json:"outcome,omitempty"` // ok, or the kind of the error
	Sent        Sent      `json:"sent,omitempty"`    // of a call that failed: whether the server got it
	Ms          float64   `json:"ms,omitempty"`
	Host        string    `json:"host,omitempty"` // of the fleet, that has carried out the call
	ArgsBytes   int       `json:"argsBytes"`
	ResultBytes int       `json:"resultBytes,omitempty"`
	Args        string    `json:"args,omitempty"`  // JSON without secrets; cut if it is long
	Error       string    `json:"error,omitempty"` // the message of the server without secrets; cut if it is long
}

// IndexEntry is the search index (id "search") or the cache of generated types (id "types").
type IndexEntry struct {
	ID     string       `json:"id"`
	Search *SearchStats `json:"search,omitempty"`
	Types  *TypesStats  `json:"types,omitempty"`
}

// TypesStats are the figures of the cache of generated types.
type TypesStats struct {
	Generation uint64 `json:"generation"` // of the catalog
	Modules    int    `json:"modules"`
	Bytes      int    `json:"bytes"`
	Hits       uint64 `json:"hits"`   // requests answered from the cache since the start of the actor
	Misses     uint64 `json:"misses"` // requests that generated a module, or waited for one
}

// LogLine is a line of the gateway's log. Its id is a number that grows.
type LogLine struct {
	ID      string            `json:"id"`
	Time    time.Time         `json:"time"`
	Level   string            `json:"level"` // DEBUG, INFO, WARN or ERROR
	Message string            `json:"message"`
	Attrs   map[string]string `json:"attrs,omitempty"`
}
