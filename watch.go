package toolscript

import (
	"encoding/json"
	"slices"
)

// WatchQuery selects the announcements of servers that a client wants to receive. It is the body of POST
// /watch.
type WatchQuery struct {
	Resources []WatchedResource `json:"resources,omitempty"` // announce changes of these resources
	Lists     bool              `json:"lists,omitempty"`     // announce changes of the lists of resources and prompts
	Level     string            `json:"level,omitempty"`     // pass on log messages of this level of MCP and above; "": none
	Session   *MCPClient        `json:"session,omitempty"`   // list a session of this client on stdio until the watch ends; nil: none

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

// The kinds of changes, each with the fields that it sets.
const (
	ChangeReady    ChangeKind = "ready"    // the first change: the servers have agreed to announce everything that was selected
	ChangeResource ChangeKind = "resource" // Server, URI: the resource has changed, or may have
	ChangeList     ChangeKind = "list"     // Server, List
	ChangeLog      ChangeKind = "log"      // Server, Level, Logger, Data
)

// Change is one announcement to the client of a WatchQuery.
type Change struct {
	Of     ChangeKind      `json:"of"`
	Server string          `json:"server,omitempty"` // "" in a log message of the gateway itself
	URI    string          `json:"uri,omitempty"`
	List   Collection      `json:"list,omitempty"`
	Level  string          `json:"level,omitempty"`
	Logger string          `json:"logger,omitempty"` // the server's name for the logger; "" if it has none
	Data   json.RawMessage `json:"data,omitempty"`
}

// logLevels are the levels of MCP's log messages, the least important first.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// LogRank returns the rank of a level of MCP's log messages, from 0 for debug. It returns -1 for an
// unknown level.
func LogRank(level string) int { return slices.Index(logLevels, level) }

// DefaultLogLevel is the lowest level of the log messages that servers send while no client wants another
// level.
const DefaultLogLevel = "info"

// LogLevel returns the level with the given rank. It is the inverse of LogRank and panics for an invalid
// rank.
func LogLevel(rank int) string { return logLevels[rank] }
