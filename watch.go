package toolscript

import (
	"encoding/json"
	"slices"
)

// WatchQuery selects what the servers of a gateway announce and a client wants to be told.
type WatchQuery struct {
	Resources []WatchedResource `json:"resources,omitempty"` // whose changes are told
	Lists     bool              `json:"lists,omitempty"`     // tell that lists of resources and prompts have changed
	Level     string            `json:"level,omitempty"`     // tell log messages from this level of MCP on; "": none

	Allow Filter `json:"-"` // allow list of the caller, see FetchRequest.Admits
}

// WatchedResource is a resource of a server.
type WatchedResource struct {
	Server string `json:"server"` // configured name
	URI    string `json:"uri"`
}

// MaxWatched is the maximum number of resources of a WatchQuery.
const MaxWatched = 100

// WatchEvent is the type of the events of POST /watch, except LiveNotice. The data is a Change.
const WatchEvent = "change"

// ChangeKind is the kind of a Change.
type ChangeKind string

// The kinds of changes, with the members that they have.
const (
	ChangeReady    ChangeKind = "ready"    // the first one: the servers have agreed to announce all changes
	ChangeResource ChangeKind = "resource" // Server, URI: the resource has changed, or may have
	ChangeList     ChangeKind = "list"     // Server, List
	ChangeLog      ChangeKind = "log"      // Server, Level, Logger, Data
)

// Change is what a watcher is told.
type Change struct {
	Of     ChangeKind      `json:"of"`
	Server string          `json:"server,omitempty"` // "" in a log message of the gateway itself
	URI    string          `json:"uri,omitempty"`
	List   Collection      `json:"list,omitempty"`
	Level  string          `json:"level,omitempty"`
	Logger string          `json:"logger,omitempty"` // as the server names it; "" if it does not
	Data   json.RawMessage `json:"data,omitempty"`
}

// logLevels are the levels of MCP's log messages, the least important first.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// LogRank orders the levels of MCP's log messages. It returns -1 for a text that is no level.
func LogRank(level string) int { return slices.Index(logLevels, level) }

// DefaultLogLevel is the level from which on servers send log messages while no client wants others.
const DefaultLogLevel = "info"

// LogLevel returns the level that LogRank orders so.
func LogLevel(rank int) string { return logLevels[rank] }
