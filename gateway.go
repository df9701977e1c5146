package toolscript

import "time"

// ActorStatus is the state of one actor.
type ActorStatus struct {
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Since     time.Time `json:"since"`
	Restarts  int       `json:"restarts"`
	LastError string    `json:"lastError,omitempty"`
	LastStack string    `json:"lastStack,omitempty"` // of the last panic; cut if it is long
	InFlight  int       `json:"inFlight"`
	Waiting   int       `json:"waiting,omitempty"`   // messages that it has not taken yet
	Messages  uint64    `json:"messages,omitempty"`  // messages that it has taken, since its last start
	Parent    string    `json:"parent,omitempty"`    // name of the actor that started it
	MailboxMs float64   `json:"mailboxMs,omitempty"` // how long a message waited when this was last measured, or has waited since

	Confinement []Confinement `json:"confinement,omitempty"` // of the last process that a pool of workers started
}

// Confinement is one restriction of a worker process by the operating system, as
// the worker found it after putting it up.
type Confinement struct {
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
	Audit         *AuditStats    `json:"audit,omitempty"`
	Attention     []Attention    `json:"attention"`          // the most urgent first
	Warnings      []string       `json:"warnings,omitempty"` // colliding names, schemas that give no types, filters that match nothing
}

// AuditStats is the state of the audit of a gateway.
type AuditStats struct {
	Dir     string `json:"dir"`
	File    string `json:"file,omitempty"` // the last one, below Dir
	Written int64  `json:"written"`        // lines since the start of the gateway
	Dropped int64  `json:"dropped"`        // lines that did not fit into the queue; the audit has a line about them
	Error   string `json:"error,omitempty"`
}

// Reload is what a new configuration changed, as the sorted names of servers.
type Reload struct {
	Added     []string `json:"added"`
	Removed   []string `json:"removed"`
	Changed   []string `json:"changed"`            // connected to again
	Adjusted  []string `json:"adjusted,omitempty"` // with other limits or tool filters on the same connection
	Retried   []string `json:"retried,omitempty"`  // the same, and connected to again because they were not connected
	Unchanged []string `json:"unchanged"`
	Search    []string `json:"search,omitempty"` // fields of search that are others now

	NotTrusted []string `json:"notTrusted,omitempty"` // of those added and changed: not started before toolscript trust

	Warnings []string `json:"warnings,omitempty"` // about the files
}
