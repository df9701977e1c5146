package toolscript

import "time"

// ActorStatus is the status of one actor.
type ActorStatus struct {
	Name      string    `json:"name"`
	State     string    `json:"state"`
	Since     time.Time `json:"since"`
	Restarts  int       `json:"restarts"`
	LastError string    `json:"lastError,omitempty"`
	LastStack string    `json:"lastStack,omitempty"` // stack of the last panic; shortened if it is long
	InFlight  int       `json:"inFlight"`
	Waiting   int       `json:"waiting,omitempty"`   // messages in the mailbox
	Messages  uint64    `json:"messages,omitempty"`  // messages taken since the last start
	Parent    string    `json:"parent,omitempty"`    // name of the actor that started it
	MailboxMs float64   `json:"mailboxMs,omitempty"` // how long the last measured message waited, or has waited so far

	Confinement []Confinement `json:"confinement,omitempty"` // for a pool of workers: the restrictions of the process that was started last
}

// Confinement is one restriction of a worker process by the operating system, as the
// worker found it after applying it.
type Confinement struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
	Detail string `json:"detail,omitempty"` // what the restriction covers, or why it is missing
}

// Status is the status of the whole gateway.
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
	Attention     []Attention    `json:"attention"`          // most urgent first
	Warnings      []string       `json:"warnings,omitempty"` // name collisions, schemas without types, filters that match nothing
}

// AuditStats is the status of the audit log of a gateway.
type AuditStats struct {
	Dir     string `json:"dir"`
	File    string `json:"file,omitempty"` // the newest file, relative to Dir
	Written int64  `json:"written"`        // lines written since the gateway was started
	Dropped int64  `json:"dropped"`        // lines dropped because the queue was full; the log has a line about them
	Error   string `json:"error,omitempty"`
}

// Reload lists what a new configuration changed, as sorted names of servers.
type Reload struct {
	Added     []string `json:"added"`
	Removed   []string `json:"removed"`
	Changed   []string `json:"changed"`            // connected again
	Adjusted  []string `json:"adjusted,omitempty"` // got other limits or tool filters without a new connection
	Retried   []string `json:"retried,omitempty"`  // unchanged, but connected again because they were not connected
	Unchanged []string `json:"unchanged"`
	Search    []string `json:"search,omitempty"` // names of changed search settings

	NotTrusted []string `json:"notTrusted,omitempty"` // servers of Added and Changed that are not started before toolscript trust

	Warnings []string `json:"warnings,omitempty"` // warnings about the configuration files
}
