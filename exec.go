package toolscript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ExecRequest asks for one run of a script. It is the body of POST /exec.
type ExecRequest struct {
	Code      string         `json:"code"`
	File      string         `json:"file,omitempty"`    // its name in diagnostics and traces; default script.ts
	Modules   []ScriptModule `json:"modules,omitempty"` // the files that the script imports, and those that they import
	Args      []string       `json:"args,omitempty"`
	Cwd       string         `json:"cwd,omitempty"`     // what the script sees as its working directory
	TZ        string         `json:"tz,omitempty"`      // IANA time zone; default: the gateway's
	Engine    string         `json:"engine,omitempty"`  // auto, quickjs or deno; default: quickjs
	Check     string         `json:"check,omitempty"`   // what type errors do: off, warn or error; default error
	Strict    bool           `json:"strict,omitempty"`  // check types as TypeScript's strict does, which one-off scripts need not pass
	Allow     []string       `json:"allow,omitzero"`    // server names and tool ids the run may call; null allows all, [] none
	Profile   string         `json:"profile,omitempty"` // of the configuration, which narrows Allow; default: that of the configuration
	Needs     []string       `json:"needs,omitempty"`   // tools without which nothing of the script runs: server names, tool ids, server.tool, and patterns of MatchName
	Limits    Limits         `json:"limits"`
	Stdin     bool           `json:"stdin,omitempty"`     // the client has standard input to give
	Ask       bool           `json:"ask,omitempty"`       // the client puts questions to a person
	Terminal  int            `json:"terminal,omitempty"`  // process of the client, at whose terminal codes of approvals may be shown
	CheckOnly bool           `json:"checkOnly,omitempty"` // end before anything runs, well when nothing was found
	Dialect   string         `json:"dialect,omitempty"`   // "" or DialectHarness
	Agent     string         `json:"-"`                   // id of the agent of agents.launch whose answer has the script; "" if there is none
	Trace     string         `json:"-"`                   // traceparent of W3C Trace Context of what starts the run; "" if there is none
	Plan      bool           `json:"plan,omitempty"`      // make only the calls of tools that read; see End.Plan
	Record    bool           `json:"record,omitempty"`    // keep what the script was given, for toolscript runs replay
	Client    string         `json:"client,omitempty"`    // what asks for the run, for the audit; default: the User-Agent of the request
	Session   string         `json:"session,omitempty"`   // of the client, for the audit and the store; default: the gateway's
	Name      string         `json:"name,omitempty"`      // the value is kept as this, for store.run of later runs; "": it is not

	// Narrowed is set when Allow has been narrowed to Profile already, or needs no profile.
	// Asked is then Allow as the client has sent it; nil if there is no profile.
	Narrowed bool     `json:"-"`
	Asked    []string `json:"-"`

	// Parameter is the argument of the function that the script exports as default. The
	// value of the function is then that of the run. Nil: the function is not called.
	Parameter json.RawMessage `json:"parameter,omitempty"`

	// Signature, with CheckOnly, makes a description of that function the value of the run,
	// and what no call can pass to it a mistake: {function, params, result, doc}, where
	// params and result are JSON schemas.
	Signature bool `json:"signature,omitempty"`

	// Parent is the id of the run whose script calls this one as tools.$scripts.NAME(); ""
	// if there is none. The run then works within the limits of its parent, and Parent is
	// never on the wire.
	Parent string `json:"-"`

	// ConversationID and ScriptID are what a script of DialectHarness reads as
	// context.conversationId and context.scriptId.
	ConversationID string `json:"conversationId,omitempty"`
	ScriptID       string `json:"scriptId,omitempty"`
}

// Limits bound one run. A zero field takes the gateway's default.
type Limits struct {
	TimeoutMs   int64 `json:"timeoutMs,omitempty"` // wall clock
	CPUMs       int64 `json:"cpuMs,omitempty"`
	MemoryMB    int64 `json:"memoryMb,omitempty"` // JavaScript heap
	StackKB     int64 `json:"stackKb,omitempty"`
	ToolCalls   int64 `json:"toolCalls,omitempty"`
	Concurrency int64 `json:"concurrency,omitempty"` // calls in flight at a time; more wait
	Questions   int64 `json:"questions,omitempty"`   // of servers to the person who started the run
	SourceBytes int64 `json:"sourceBytes,omitempty"`
	ValueBytes  int64 `json:"valueBytes,omitempty"`  // the return value as JSON
	OutputBytes int64 `json:"outputBytes,omitempty"` // stdout and stderr together
	LogLines    int64 `json:"logLines,omitempty"`    // of stdout and stderr together
}

// StdinPiece is the next piece of a run's standard input. It is the body of POST
// /runs/{id}/stdin. Data can also be sent as application/octet-stream, with eof=true and
// error=TEXT in the query.
type StdinPiece struct {
	Data  []byte `json:"data"`            // base64 on the wire
	EOF   bool   `json:"eof"`             // nothing follows Data
	Error string `json:"error,omitempty"` // why nothing follows Data, when that is not the end of the input
}

// EventType is the type of an Event.
type EventType string

// The events of a run. Start comes first and End last, both exactly once.
const (
	EventStart      EventType = "start"      // RunID
	EventStdout     EventType = "stdout"     // Data
	EventStderr     EventType = "stderr"     // Data
	EventStdin      EventType = "stdin"      // the script reads standard input: POST /runs/{id}/stdin
	EventCall       EventType = "call"       // CallID, Tool
	EventCallEnd    EventType = "callEnd"    // CallID, Tool, OK, Ms, and Sent if the call failed
	EventAsk        EventType = "ask"        // Ask: POST /runs/{id}/reply
	EventApproval   EventType = "approval"   // CallID, Tool, Approval: POST /approvals/{id}
	EventProgress   EventType = "progress"   // Message; of a call in flight also CallID and Tool
	EventReport     EventType = "report"     // Message: a text of context.telemetry.emitProgress
	EventDiagnostic EventType = "diagnostic" // Diagnostic
	EventEnd        EventType = "end"        // End
)

// Event is one thing that happened in a run: one line of the answer to POST
// /exec. Only the fields that its type names are set.
type Event struct {
	Type       EventType   `json:"type"`
	RunID      string      `json:"runId,omitempty"`
	Data       string      `json:"data,omitempty"`
	CallID     string      `json:"callId,omitempty"`
	Tool       string      `json:"tool,omitempty"` // tool id
	OK         *bool       `json:"ok,omitempty"`
	Sent       Sent        `json:"sent,omitempty"` // of a callEnd that failed
	Ms         float64     `json:"ms,omitempty"`
	Message    string      `json:"message,omitempty"`
	Diagnostic *Diagnostic `json:"diagnostic,omitempty"`

	// Args, and Result or Failure, are in callEnd of DialectHarness.
	Args    json.RawMessage `json:"args,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Failure *ToolError      `json:"failure,omitempty"`

	Ask *Question `json:"ask,omitempty"`

	// Approval is in approval.
	Approval *Approval `json:"approval,omitempty"`
	*End
}

// End is how a run ended.
type End struct {
	OK       bool            `json:"-"`               // travels as Event.OK
	Value    json.RawMessage `json:"value,omitempty"` // absent when the script returned undefined
	Kind     Kind            `json:"kind,omitempty"`
	Error    *RunError       `json:"error,omitempty"`
	ExitCode int             `json:"exitCode"`
	Metrics  *Metrics        `json:"metrics,omitempty"`
	Kept     *Kept           `json:"kept,omitempty"`
	Detached []DetachedCall  `json:"detached,omitempty"`
	Script   *ScriptFacts    `json:"script,omitempty"` // of DialectHarness, if the script compiles
	Lowered  Limits          `json:"lowered,omitzero"` // what was asked of the limits that were lowered
	Plan     []PlannedCall   `json:"plan,omitzero"`    // of ExecRequest.Plan: the calls that were not made, in order

	// Unfinished are the calls of the script that had not ended when it ended, in order. They
	// were cancelled; what their servers have done is not known.
	Unfinished []UnfinishedCall `json:"unfinished,omitempty"`

	// Made are the calls that a failed run has made, in order; MadeCalls is their number, and
	// MadeMore how many of them Made lacks.
	Made      []MadeCalls `json:"made,omitempty"`
	MadeCalls int         `json:"madeCalls,omitempty"`
	MadeMore  int         `json:"madeMore,omitempty"`

	// Notices are sentences about the script that its author should read, such as of a timer
	// that was given up.
	Notices []string `json:"notices,omitempty"`
}

// ExitMissingTools is End.ExitCode of the kind MissingTools.
const ExitMissingTools = 3

// PlannedCall is a call that a run with ExecRequest.Plan did not make. The script got a
// value of the tool's output type.
type PlannedCall struct {
	CallID string          `json:"callId"`
	Tool   string          `json:"tool"` // tool id
	Args   json.RawMessage `json:"args"` // a JSON object
}

// DialectHarness is the dialect of scripts in the answers of models: no imports, require,
// eval and new Function, and callEnd has the arguments and the result of each call.
const DialectHarness = "harness"

// ScriptFacts are what the compiler found out about a script.
type ScriptFacts struct {
	HasReturn bool     `json:"hasReturn"`        // from its top level
	Tools     []string `json:"tools"`            // members of tools that it names, such as "github.createIssue", sorted
	MayUseAll bool     `json:"mayUseAll"`        // it may use other tools, too: tools[name]
	Cached    bool     `json:"cached,omitempty"` // the same text was compiled before
}

// Kept has the sizes of output over its limit, which GET /runs/{id}/output returns.
type Kept struct {
	OutputBytes int64 `json:"outputBytes,omitempty"` // of console output that was not passed on
	ValueBytes  int64 `json:"valueBytes,omitempty"`  // of a value that was not passed on
}

// OutputQuery asks for a part of what is kept of a run.
type OutputQuery struct {
	Value bool   // the value, not the console output
	Task  string // the id of a call: the TaskResult of the task, neither value nor output
	From  int64  // the first byte wanted, of what is kept
	To    int64  // the byte after the last one wanted; 0 is the end
}

// TaskResult is how a task of the script of an answer ended after the script.
type TaskResult struct {
	CallID string          `json:"callId"`
	Tool   string          `json:"tool"` // tool id
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *ToolError      `json:"error,omitempty"`
}

// ParseRange reads bytes A to B, both included, as A-B, A- or nothing at all.
func (q *OutputQuery) ParseRange(text string) error {
	if text == "" {
		return nil
	}
	first, last, dash := strings.Cut(text, "-")
	from, err := strconv.ParseInt(first, 10, 62)
	to := int64(-1)
	if err == nil && last != "" {
		to, err = strconv.ParseInt(last, 10, 62)
	}
	if err != nil || !dash || from < 0 || (last != "" && to < from) {
		return &Error{Kind: Invalid, Err: fmt.Errorf("%.50q is no range of bytes such as 0-9999 or 10000-", text)}
	}
	q.From, q.To = from, to+1
	return nil
}

// Range is what ParseRange reads.
func (q OutputQuery) Range() string {
	switch {
	case q.To > 0:
		return fmt.Sprintf("%d-%d", q.From, q.To-1)
	case q.From > 0:
		return fmt.Sprintf("%d-", q.From)
	}
	return ""
}

// DetachedCall is a call that was still in flight when the run had ended: a
// task, or a call that was cancelled and did not end.
type DetachedCall struct {
	CallID string `json:"callId"`
	Tool   string `json:"tool"`
	Task   bool   `json:"task,omitempty"`
}

// EndEvent is the last event of a run.
func EndEvent(runID string, end End) Event {
	return Event{Type: EventEnd, RunID: runID, OK: &end.OK, End: &end}
}

// Diagnostic is one finding about the source of a script.
type Diagnostic struct {
	File    string `json:"file"`
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in UTF-16 units
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Excerpt string `json:"excerpt,omitempty"` // the source line and a caret under the place

	// About is for the gateway, which adds what it knows of tools to the message. No
	// event has it.
	About *Subject `json:"about,omitempty"`
}

// Subject is the name or call that a finding of the type checker is about.
type Subject struct {
	Name   string `json:"name,omitempty"`   // a name that is not known, such as fetch
	Next   string `json:"next,omitempty"`   // the member of it that the script uses
	In     string `json:"in,omitempty"`     // where it was looked for: a type, a module in quotes, "" for the scope
	Type   string `json:"type,omitempty"`   // the interface of the tool whose call has wrong arguments
	Member string `json:"member,omitempty"` // the tool in it
}

// Phase is the part of a run in which an error arose.
type Phase string

// The phases of a run.
const (
	Parsing    Phase = "parsing"
	Checking   Phase = "checking"
	Executing  Phase = "executing"
	Finalizing Phase = "finalizing"
)

// RunError is the error of a run.
type RunError struct {
	Name     string         `json:"name"` // error class: ScriptTimeoutError, ToolError, TypeError, …
	Code     Kind           `json:"code"`
	Message  string         `json:"message"`
	Phase    Phase          `json:"phase"`
	ScriptID string         `json:"scriptId"`
	Server   string         `json:"server,omitempty"`   // of a ToolError that the script did not catch
	Tool     string         `json:"tool,omitempty"`     // of such an error: the tool id; Code is its code
	ToolName string         `json:"toolName,omitempty"` // the tool id, of every error of a call
	CallID   string         `json:"callId,omitempty"`
	Sent     Sent           `json:"sent,omitempty"`    // of such an error: whether the server got the call
	Stack    string         `json:"stack,omitempty"`   // frames of the script's own lines
	Excerpt  string         `json:"excerpt,omitempty"` // the source line and a caret under the place
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Kind is how a run with this error has ended: a ToolError that the script did not
// catch has a code of its own, and the script threw.
func (e *RunError) Kind() Kind {
	if e.Tool != "" {
		return Threw
	}
	return e.Code
}

// ClassName is the error class by which scripts and their documentation know a
// kind.
func (k Kind) ClassName() string {
	if name, ok := classNames[k]; ok {
		return name
	}
	return "ScriptError"
}

var classNames = map[Kind]string{
	LimitTime:       "ScriptTimeoutError",
	LimitMemory:     "ScriptMemoryError",
	LimitStack:      "ScriptStackError",
	LimitCalls:      "ToolBudgetExceededError",
	LimitOutput:     "ScriptOutputError",
	Cancelled:       "ScriptCancelledError",
	CheckFailed:     "ScriptCheckError",
	TooLarge:        "ScriptTooLargeError",
	InvalidResult:   "InvalidResultError",
	ApprovalDenied:  "ApprovalDeniedError",
	ApprovalTimeout: "ApprovalTimeoutError",
	MissingTools:    "ToolsMissingError",
	Quarantined:     "ToolQuarantinedError",
}

// Fail is the error of a run that ended for a reason outside its script.
func Fail(kind Kind, message string) *RunError {
	return &RunError{Name: kind.ClassName(), Code: kind, Message: message}
}

// ToolError is the error that a script catches when a call fails.
type ToolError struct {
	Server  string            `json:"server"`
	Tool    string            `json:"tool"` // tool id
	Code    Kind              `json:"code"`
	Message string            `json:"message"`
	RPCCode int               `json:"rpcCode,omitempty"`
	Status  int               `json:"status,omitempty"`       // of the HTTP answer of an API
	Sent    Sent              `json:"sent,omitempty"`         // whether the server got the call; "" if no call was made, as for store
	RetryMs int64             `json:"retryAfterMs,omitempty"` // when to try again, if that is known
	Content []json.RawMessage `json:"content,omitempty"`      // of isError: the content blocks
	Details []Detail          `json:"details,omitempty"`

	Structured json.RawMessage `json:"structuredContent,omitempty"` // of isError
}

// Metrics are the measurements of a run.
type Metrics struct {
	DurationMs  float64  `json:"durationMs"`       // from start to end, waiting for servers included
	CompileMs   float64  `json:"compileMs"`        // in the checker
	CheckMs     float64  `json:"checkMs"`          // of the types, in the checker, and making the types of the tools
	Cached      []string `json:"cached,omitempty"` // what was known of the same text before: compiled, checked
	RunMs       float64  `json:"runMs"`            // in the sandbox
	CPUMs       float64  `json:"cpuMs"`            // of the sandbox during the run
	ToolCalls   int      `json:"toolCalls"`        // begun
	MemoryMB    float64  `json:"memoryUsedMb"`
	StdoutBytes int64    `json:"stdoutBytes"`
	StderrBytes int64    `json:"stderrBytes"`
	Host        string   `json:"host,omitempty"` // machine of the fleet whose sandbox ran the script
}

// RunRecord is the gateway's record of a run.
type RunRecord struct {
	RunID     string       `json:"runId"`
	State     string       `json:"state"` // waiting, checking, running or ended
	File      string       `json:"file"`
	Engine    string       `json:"engine"`
	Check     string       `json:"check"` // off, warn or error
	CheckOnly bool         `json:"checkOnly,omitempty"`
	StartedAt time.Time    `json:"startedAt"`
	EndedAt   *time.Time   `json:"endedAt,omitempty"`
	Limits    Limits       `json:"limits"`
	Lowered   Limits       `json:"lowered,omitzero"`  // what was asked of the limits that were lowered
	Allow     []string     `json:"allow,omitzero"`    // null: all tools
	Profile   string       `json:"profile,omitempty"` // that has narrowed Allow
	Agent     string       `json:"-"`                 // as in ExecRequest
	Calls     []CallRecord `json:"calls"`
	OK        *bool        `json:"ok,omitempty"`
	Kind      Kind         `json:"kind,omitempty"`
	Error     *RunError    `json:"error,omitempty"`
	ExitCode  *int         `json:"exitCode,omitempty"`
	Metrics   *Metrics     `json:"metrics,omitempty"`
	Kept      *Kept        `json:"kept,omitempty"`

	Unfinished []UnfinishedCall `json:"unfinished,omitempty"` // as in End

	Value json.RawMessage `json:"-"` // of the script, until the run is settled
}

// Close enters how the run ended.
func (r *RunRecord) Close(end End) {
	now := time.Now()
	r.State, r.EndedAt = "ended", &now
	r.OK, r.Kind, r.Error = &end.OK, end.Kind, end.Error
	r.ExitCode, r.Metrics, r.Kept, r.Value = &end.ExitCode, end.Metrics, end.Kept, end.Value
	r.Unfinished = end.Unfinished
	for _, d := range end.Detached {
		i := slices.IndexFunc(r.Calls, func(c CallRecord) bool { return c.CallID == d.CallID })
		if i < 0 { // it still waits for its turn
			i = len(r.Calls)
			r.Calls = append(r.Calls, CallRecord{CallID: d.CallID, Tool: d.Tool, Task: d.Task})
		}
		r.Calls[i].Detached = true
	}
}

// CallRecord is one tool call of a run; it holds no arguments and no result.
type CallRecord struct {
	CallID string  `json:"callId"`
	Tool   string  `json:"tool"`
	OK     *bool   `json:"ok,omitempty"` // nil while in flight
	Kind   Kind    `json:"kind,omitempty"`
	Ms     float64 `json:"ms,omitempty"`
	Sent   Sent    `json:"sent,omitempty"`  // of a call that failed: whether the server got it
	Error  string  `json:"error,omitempty"` // why it failed, without secrets and cut
	Task   bool    `json:"task,omitempty"`

	StartMs float64 `json:"startMs"` // when the script made the call, since the start of the run
	Waits

	Planned  bool `json:"planned,omitempty"`  // it was not made; see PlannedCall
	Detached bool `json:"detached,omitempty"` // it was still in flight when the run had ended
}
