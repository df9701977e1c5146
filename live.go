package toolscript

import (
	"encoding/json"
	"time"
)

// LiveType is the type of a LiveEvent.
type LiveType string

// The events of GET /events, with the types of their data. The data of each event
// except snapshot and notice is one entry with its id: the whole new entry, or a Gone.
const (
	LiveSnapshot  LiveType = "snapshot"  // Snapshot: replaces all earlier state
	LiveGateway   LiveType = "gateway"   // GatewayInfo
	LiveAttention LiveType = "attention" // Attention
	LiveServer    LiveType = "server"    // ServerEntry
	LiveActor     LiveType = "actor"     // ActorEntry
	LiveRun       LiveType = "run"       // RunEntry
	LiveCall      LiveType = "call"      // CallEntry
	LiveApproval  LiveType = "approval"  // Approval
	LiveSession   LiveType = "session"   // SessionEntry
	LiveIndex     LiveType = "index"     // IndexEntry
	LiveLog       LiveType = "log"       // LogLine
	LiveNotice    LiveType = "notice"    // Notice: the last event of the stream
)

// The maximum numbers of entries in a Snapshot. A reader applies the same limits: no
// event reports that an older entry was dropped.
const (
	SnapshotRuns  = 50  // ended runs
	SnapshotCalls = 100 // ended calls
	SnapshotLogs  = 200
)

// LiveEvent is one event of GET /events.
type LiveEvent struct {
	ID   string          // value for LiveQuery.After; "" if the stream cannot be resumed after this event
	Type LiveType        //
	Data json.RawMessage // a JSON object on one line, see LiveType
}

// LiveQuery holds the parameters of GET /events.
type LiveQuery struct {
	After     string // ID of the last event that the reader has; "": the stream begins with a Snapshot
	Arguments bool   // include CallEntry.Args
}

// Snapshot is the state of a gateway at one moment: the data of the first event of a stream.
type Snapshot struct {
	Gateway   GatewayInfo    `json:"gateway"`
	Attention []Attention    `json:"attention"` // most urgent first
	Servers   []ServerEntry  `json:"servers"`   // sorted by name
	Actors    []ActorEntry   `json:"actors"`    // sorted by name
	Runs      []RunEntry     `json:"runs"`      // newest first
	Calls     []CallEntry    `json:"calls"`     // newest first
	Approvals []Approval     `json:"approvals"` // oldest first
	Sessions  []SessionEntry `json:"sessions"`  // newest first
	Index     []IndexEntry   `json:"index"`
	Logs      []LogLine      `json:"logs"` // oldest first
}

// Gone reports that an entry no longer exists.
type Gone struct {
	ID   string `json:"id"`
	Gone bool   `json:"gone"` // always true
}

// Notice reports why a stream ends.
type Notice struct {
	Reason  string `json:"reason"`  // NoticeStopping
	Message string `json:"message"` // text for a person
}

// NoticeStopping is the value of Notice.Reason: the gateway stops.
const NoticeStopping = "stopping"

// GatewayInfo describes a gateway. Its ID is "gateway".
type GatewayInfo struct {
	ID            string    `json:"id"`
	Version       string    `json:"version"`
	PID           int       `json:"pid"`
	Started       time.Time `json:"started"`
	Configuration []string  `json:"configuration"` // paths of the configuration files
	Ready         int       `json:"ready"`         // number of connected servers
	Total         int       `json:"total"`         // number of servers that are not disabled
	Generation    uint64    `json:"generation"`    // generation of the catalog
	Tools         int       `json:"tools"`
	Warnings      []string  `json:"warnings,omitempty"` // as in Status
}

// ServerEntry describes a server. Its ID is the name of the server.
type ServerEntry struct {
	ID string `json:"id"`
	ServerStatus
}

// ActorEntry describes an actor. Its ID is the name of the actor.
type ActorEntry struct {
	ID string `json:"id"`
	ActorStatus
}

// RunEntry describes a run without its calls. Its ID is RunID.
type RunEntry struct {
	ID string `json:"id"`
	RunRecord
	Used  RunUse     `json:"used"`
	Pages []Question `json:"pages,omitempty"` // pages that a person is asked to open
}

// RunUse is the part of its Limits that a run has used. When the run has ended, Metrics has more figures.
type RunUse struct {
	ToolCalls   int64 `json:"toolCalls"`   // accepted calls
	InFlight    int64 `json:"inFlight"`    // accepted calls without an answer yet
	OutputBytes int64 `json:"outputBytes"` // bytes of stdout and stderr
	LogLines    int64 `json:"logLines"`
}

// The values of CallEntry.State.
const (
	CallRunning = "running"
	CallEnded   = "ended"
)

// CallEntry describes a call of a tool. It holds no result, and arguments only if they were asked for.
type CallEntry struct {
	ID          string    `json:"id"`
	Run         string    `json:"runId,omitempty"`
	CallID      string    `json:"callId,omitempty"`    // id of the call within the run
	RequestID   string    `json:"requestId,omitempty"` // id of the HTTP request
	Server      string    `json:"server,omitempty"`
	Tool        string    `json:"tool"` // tool id; "" if there is no such tool
	Since       time.Time `json:"since"`
	State       string    `json:"state"`             // CallRunning or CallEnded
	Outcome     string    `json:"outcome,omitempty"` // OutcomeOK, or the Kind of the error
	Sent        Sent      `json:"sent,omitempty"`    // for a failed call: whether the server got it
	Ms          float64   `json:"ms,omitempty"`
	Host        string    `json:"host,omitempty"` // host of the fleet that carried out the call
	ArgsBytes   int       `json:"argsBytes"`
	ResultBytes int       `json:"resultBytes,omitempty"`
	Args        string    `json:"args,omitempty"`  // JSON without secrets; shortened if it is long
	Error       string    `json:"error,omitempty"` // message of the server without secrets; shortened if it is long
}

// MCPClient is the program of an MCP client, as it describes itself.
type MCPClient struct {
	Client  string `json:"client,omitempty"` // name
	Version string `json:"version,omitempty"`
}

// MaxClient is the maximum length of each field of an MCPClient that a gateway shows, in bytes.
const MaxClient = 100

// The values of SessionEntry.Transport.
const (
	SessionHTTP  = "http"  // the client uses the MCP server of the gateway
	SessionStdio = "stdio" // the client has started toolscript mcp, which uses the gateway
)

// SessionEntry describes the session of an MCP client. A client of MCP 2026-07-28 over HTTP has none.
type SessionEntry struct {
	ID string `json:"id"` // not the id of MCP, which gives access to the session
	MCPClient
	Transport string     `json:"transport"`
	Since     time.Time  `json:"since"`
	Last      *time.Time `json:"last,omitempty"`  // begin of the last request, except pings; only of SessionHTTP
	Calls     *int64     `json:"calls,omitempty"` // calls of tools that have been answered; only of SessionHTTP
	Waits     []string   `json:"waits,omitempty"` // tools and other requests that have not been answered; only of SessionHTTP
}

// IndexEntry describes the search index (ID "search") or the cache of generated types (ID "types").
type IndexEntry struct {
	ID     string       `json:"id"`
	Search *SearchStats `json:"search,omitempty"`
	Types  *TypesStats  `json:"types,omitempty"`
}

// TypesStats holds the figures of the cache of generated types.
type TypesStats struct {
	Generation uint64 `json:"generation"` // generation of the catalog
	Modules    int    `json:"modules"`
	Bytes      int    `json:"bytes"`
	Hits       uint64 `json:"hits"`   // requests answered from the cache since the actor was started
	Misses     uint64 `json:"misses"` // requests that generated a module, or waited for one
}

// LogLine is a line of the gateway's log. Its ID is an increasing number.
type LogLine struct {
	ID      string            `json:"id"`
	Time    time.Time         `json:"time"`
	Level   string            `json:"level"` // DEBUG, INFO, WARN or ERROR
	Message string            `json:"message"`
	Attrs   map[string]string `json:"attrs,omitempty"`
}
