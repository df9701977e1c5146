package toolscript

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Separator separates the server's name from the tool's name in a tool id. The name of a
// tool may contain it, the name of a server may not: see CheckServerName.
const Separator = "__"

// CheckServerName returns an error for a server name that would make tool ids
// ambiguous: one that contains Separator or ends with an underscore.
func CheckServerName(name string) error {
	if strings.Contains(name+"_", Separator) {
		return fmt.Errorf("a server cannot have the name %.80q: a name must not contain %s or end with _, because that separates server and tool in the ids of tools; rename it", name, Separator)
	}
	return nil
}

// Tool is one tool of one server.
type Tool struct {
	Server      string // configured name of the server
	Name        string // the server's own name for the tool, or the name of an Override
	Title       string
	Description string

	// InputSchema and OutputSchema are the JSON Schemas of the arguments and of
	// structuredContent, byte for byte as the server sent them. OutputSchema is nil if
	// the server has sent none.
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage `json:",omitempty"` // null would be read as a schema

	Annotations Annotations

	// Pages reports that a result may have further pages, which calls with PageKey return.
	Pages bool `json:",omitempty"`

	// Original holds the values of the server, if the configuration overrides some of them.
	Original *Original `json:",omitempty"`

	// RequiresApproval marks a built-in tool that needs an approval unless a configured
	// policy allows it; see ApprovalPolicy.
	RequiresApproval bool `json:",omitempty"`

	// InProcess marks a built-in tool, or a function of a program that uses toolscript
	// as a library. Packs name such tools without their server.
	InProcess bool `json:",omitempty"`

	// Skill is set if this is a skill, which cannot be called.
	Skill *Skill `json:",omitempty"`

	// UI is set if the server has sent metadata of MCP's extension for apps.
	UI *UI `json:",omitempty"`
}

// Annotations are a server's hints about one of its tools (MCP: "clients MUST
// consider tool annotations to be untrusted"). A nil hint was not given.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// Repeatable reports whether the hints say that a repeated call has no further effect.
func (a Annotations) Repeatable() bool {
	return a.ReadOnly != nil && *a.ReadOnly || a.Idempotent != nil && *a.Idempotent
}

// ID returns the id of the tool in this gateway: server__tool.
func (t Tool) ID() string { return t.Server + Separator + t.Name }

// Is reports whether an entry of a pack, or of a list of allowed tools, means the tool:
// its id with or without the account, or its name if the tool is InProcess.
func (t Tool) Is(entry string) bool {
	return t.InProcess && entry == t.Name || entry == t.ID() || entry == WithoutAccount(t.ID())
}

// Call is one tool call on its way to a server.
type Call struct {
	ID   string          // tool id
	Args json.RawMessage // a JSON object; empty means {}

	// Ask sends a question of the server to the person behind the call. It is nil if
	// there is no such person.
	Ask func(context.Context, Question) (Answer, error)

	// Terminal is the id of the process at whose terminal the code of an approval may
	// be shown; 0 if there is none.
	Terminal int

	// Asks reports that the client of the run can ask a person for the approval of the call.
	Asks bool

	// Waiting is called when the call begins to wait for the approval of a person; it may be
	// nil. The gateway calls asked when it asks the person, which may be later or never. It
	// calls resume before it makes the call or fails it. resume may block until the context
	// of the call ends.
	Waiting func() (asked func(Approval), resume func(allowed bool))

	// Wait is the longest time that the call waits for a server that is not connected,
	// within the timeout of its calls. With 0, such a call fails at once.
	Wait time.Duration

	// Left returns the time that the run of the call has left; nil if there is no such time.
	// A call that would have to wait longer for its turn fails at once.
	Left func() time.Duration

	// FromApp reports that an app may have made the call. Such a call can also reach the tools of
	// Catalog.AppTools.
	FromApp bool

	// Progress receives the progress notifications of the server. It must not block,
	// and may be nil.
	Progress func(Progress)

	Run       string // id of the run of the call; "" outside any run
	CallID    string // id of the call within the run, for the log
	RequestID string // id of the HTTP request, for the log
	Trace     string // traceparent of W3C Trace Context of the caller; "" if there is none
	Client    string // name of the client that asked for the call, for the audit

	// Key is the idempotency key of the call; "" if the caller has given none. For some
	// time, calls of a tool with the same key and arguments are carried out only once.
	// See CheckKey.
	Key string

	// Approval says how the call was approved or refused, if it needed an approval. The gateway sets it.
	Approval string

	// Origin receives the fleet host that carries out the call, and the waits of the
	// call. The gateway sets it if it is nil.
	Origin *Origin

	// Queued is how long the call has waited for its turn within its run.
	Queued time.Duration
}

// ConnectWait is how long a call of a script waits for a server that is not connected.
const ConnectWait = 10 * time.Second

// Progress is a progress notification of MCP.
type Progress struct {
	Done    float64 // in a unit that the server chooses
	Total   float64 // 0 if unknown
	Message string
}

// String returns the progress on one line.
func (p Progress) String() string {
	text := strconv.FormatFloat(p.Done, 'g', 6, 64)
	if p.Total > 0 {
		text += "/" + strconv.FormatFloat(p.Total, 'g', 6, 64)
	}
	if p.Message != "" {
		text += " " + p.Message
	}
	return text
}

// Module is a generated TypeScript module.
type Module struct {
	Text       string
	ETag       string // changes if and only if Text changes
	Generation uint64 // generation of the catalog that the module was generated from
	Tools      int    // number of tools
	Example    string // a script that calls one of the tools; "" if there is none
}
