package toolscript

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Separator stands between a server's name and a tool's name in a tool id. No server has it in
// its name, see CheckServerName; tools may.
const Separator = "__"

// CheckServerName refuses a name with which an id of a tool could belong to two servers: with
// Separator in it, or with an underscore at its end.
func CheckServerName(name string) error {
	if strings.Contains(name+"_", Separator) {
		return fmt.Errorf("a server cannot have the name %.80q: a name must not contain %s or end with _, because that separates server and tool in the ids of tools; rename it", name, Separator)
	}
	return nil
}

// Tool is one tool of one server.
type Tool struct {
	Server      string // configured name of the server
	Name        string // the server's own name for the tool, or that of an Override
	Title       string
	Description string

	// InputSchema and OutputSchema are the JSON Schemas of the arguments and
	// of structuredContent, byte for byte as the server sent them. OutputSchema
	// is nil when the server gives none.
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage `json:",omitempty"` // null would be read as a schema

	Annotations Annotations

	// Pages: a result may have further pages, which calls with PageKey return.
	Pages bool `json:",omitempty"`

	// Original is what the server says, if the configuration overrides a part of it.
	Original *Original `json:",omitempty"`

	// RequiresApproval is set for a built-in tool that needs an approval if approvals are
	// configured, unless they say that it is allowed; see ApprovalPolicy.
	RequiresApproval bool `json:",omitempty"`

	// InProcess is set for a built-in tool and for a function of a program that uses
	// toolscript as a library. Packs name such tools without their server.
	InProcess bool `json:",omitempty"`
}

// Annotations are a server's hints about one of its tools (MCP: "clients MUST
// consider tool annotations to be untrusted"). A nil hint was not given.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// Repeatable reports whether the hints say that a second call has no further effect.
func (a Annotations) Repeatable() bool {
	return a.ReadOnly != nil && *a.ReadOnly || a.Idempotent != nil && *a.Idempotent
}

// ID is the name of the tool in this gateway: server__tool.
func (t Tool) ID() string { return t.Server + Separator + t.Name }

// Is reports whether an entry of a pack, or of a list of allowed tools, stands for the tool:
// its id, or its name if it is InProcess.
func (t Tool) Is(entry string) bool {
	return t.InProcess && entry == t.Name || entry == t.ID()
}

// Call is one tool call on its way to a server.
type Call struct {
	ID   string          // tool id
	Args json.RawMessage // a JSON object; empty means {}

	// Ask puts a question of the server to the person behind the call. It is nil if
	// there is no such person.
	Ask func(context.Context, Question) (Answer, error)

	// Terminal is the process at whose terminal the code of an approval may be shown; 0
	// if there is none.
	Terminal int

	// Asks: the client of the run puts questions to a person, who can approve the call there.
	Asks bool

	// Waiting is called when the call waits for the approval of a person, asked when the
	// person is asked, which may be later or never, and resume before the call is made or has
	// failed. resume may block until ctx of the call ends. Waiting may be nil.
	Waiting func() (asked func(Approval), resume func(allowed bool))

	// Wait is how long the call waits for a server that is not connected: at most
	// for as long as a call of it may take. 0: it is refused at once.
	Wait time.Duration

	// Left is the time that the run of the call has left; nil if it has no limit. A call
	// that would have to wait longer for its turn fails at once.
	Left func() time.Duration

	// Progress receives the server's progress notifications. It must not block, and may
	// be nil.
	Progress func(Progress)

	Run       string // id of the run the call belongs to; empty for a call from outside any run
	CallID    string // its id within the run, for the log
	RequestID string // id of the HTTP request, for the log
	Trace     string // traceparent of W3C Trace Context of what makes the call; "" if there is none
	Client    string // what asked for the call, for the audit

	// Key is the idempotency key that the caller has given the call; "" if it has none. For some
	// time, calls of the tool with the same key and arguments are carried out once, see
	// CheckKey.
	Key string

	// Approval is how the call was allowed, if it needed that. The gateway sets it.
	Approval string

	// Origin receives the host of the fleet that carries out the call, and its waits. The
	// gateway sets it if it is nil.
	Origin *Origin

	// Queued is how long the call has waited for its turn in its run, before it is made.
	Queued time.Duration
}

// ConnectWait is how long a call of a script waits for a server that is not
// connected.
const ConnectWait = 10 * time.Second

// Progress is a progress notification of MCP.
type Progress struct {
	Done    float64 // in units of the server's own
	Total   float64 // 0 when it is not known
	Message string
}

// String is the progress on one line.
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

// Module is generated TypeScript.
type Module struct {
	Text       string
	ETag       string // changes exactly when Text does
	Generation uint64 // of the catalog it was made from
	Tools      int    // number of tools
	Example    string // a script that calls one of the tools; "" if there is none
}
