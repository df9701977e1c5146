package toolscript

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Separator stands between a server's name and a tool's name in a tool id.
// Server names may contain it too: an id is looked up whole, never split.
const Separator = "__"

// Tool is one tool of one MCP server, as the server announced it.
type Tool struct {
	Server      string // configured name of the server
	Name        string // the server's own name for the tool, never changed
	Title       string
	Description string

	// InputSchema and OutputSchema are the JSON Schemas of the arguments and
	// of structuredContent, byte for byte as the server sent them. OutputSchema
	// is nil when the server gives none.
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage

	Annotations Annotations
}

// Annotations are a server's hints about one of its tools (MCP: "clients MUST
// consider tool annotations to be untrusted"). A nil hint was not given.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// ID is the name of the tool in this gateway: server__tool.
func (t Tool) ID() string { return t.Server + Separator + t.Name }

// Call is one tool call on its way to a server.
type Call struct {
	ID   string          // tool id
	Args json.RawMessage // a JSON object; empty means {}

	// Ask puts a question of the server to the person behind the call; nil when
	// nobody can be asked.
	Ask func(context.Context, Question) (Answer, error)

	Run       string // id of the run the call belongs to; empty for a call from outside any run
	RequestID string // id of the HTTP request, for the log
}

// Module is generated TypeScript together with what identifies its text.
type Module struct {
	Text       string
	ETag       string // changes exactly when Text does
	Generation uint64 // of the catalog it was made from
}

// Filter selects tools: a comma list of server names and tool ids, blanks
// around the commas ignored. A nil filter selects everything, one that is there and
// empty selects nothing, and so does an unknown entry.
type Filter []string

// ParseFilter reads the comma list that ?filter= and --filter take. Of an empty one
// it is nil.
func ParseFilter(text string) Filter {
	var f Filter
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			f = append(f, entry)
		}
	}
	return f
}

// Match reports whether the filter selects the tool.
func (f Filter) Match(t Tool) bool {
	return f == nil || slices.Contains(f, t.Server) || slices.Contains(f, t.ID())
}

// Reaches reports whether the filter names the server, or what may be a tool of it.
func (f Filter) Reaches(server string) bool {
	return f == nil || slices.ContainsFunc(f, func(entry string) bool {
		return entry == server || strings.HasPrefix(entry, server+Separator)
	})
}

// String is the list that ParseFilter reads.
func (f Filter) String() string {
	if f != nil && len(f) == 0 {
		return "(none)"
	}
	return strings.Join(f, ",")
}

// Key is a text that is the same only for equal filters. Entries are quoted: the
// name of a tool may hold commas and anything else.
func (f Filter) Key() string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%q", []string(f))
}
