package toolscript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ExecRequest is a request to run a script. It is the body of POST /exec.
type ExecRequest struct {
	Rules

	Code      string         `json:"code"`
	File      string         `json:"file,omitempty"`    // name of the script in diagnostics and traces; default script.ts
	Modules   []ScriptModule `json:"modules,omitempty"` // the files that the script imports, directly or through other files
	Args      []string       `json:"args,omitempty"`
	Needs     []string       `json:"needs,omitempty"` // tools that must be available: server names, tool ids, server.tool, and patterns of MatchName
	Limits    Limits         `json:"limits"`
	Stdin     bool           `json:"stdin,omitempty"`     // the client can send standard input
	CheckOnly bool           `json:"checkOnly,omitempty"` // compile and check the script, and do not run it
	Dialect   string         `json:"dialect,omitempty"`   // "" or DialectHarness
	Record    bool           `json:"record,omitempty"`    // keep the inputs of the script for toolscript runs replay
	Name      string         `json:"name,omitempty"`      // name under which store.run of later runs finds the value; "": it is not kept
	Narrowed  bool           `json:"-"`                   // Allow has already been narrowed to Profile, or needs no profile

	// Parameter is the argument for the function that the script exports as default. The result of
	// the function becomes the value of the run. If Parameter is nil, the function is not called.
	Parameter json.RawMessage `json:"parameter,omitempty"`

	// Signature, with CheckOnly, makes the value of the run a description of the
	// default function: {function, params, result, doc}, where params and result are
	// JSON schemas. A parameter that no call can pass is an error.
	Signature bool `json:"signature,omitempty"`

	// Parent is the id of the run whose script calls this one as tools.$scripts.NAME();
	// "" if there is none. The run has the Rules of its parent and shares its limits.
	// Parent is never sent over the wire.
	Parent string `json:"-"`

	// ConversationID and ScriptID are the values of context.conversationId and
	// context.scriptId in a script of DialectHarness.
	ConversationID string `json:"conversationId,omitempty"`
	ScriptID       string `json:"scriptId,omitempty"`
}

// Rules are the settings that a run shares with the runs of the saved scripts that its script calls: the
// client, what the run may do, and how scripts are compiled.
type Rules struct {
	Cwd      string   `json:"cwd,omitempty"`      // working directory that the script sees
	TZ       string   `json:"tz,omitempty"`       // IANA time zone; default: the gateway's
	Engine   string   `json:"engine,omitempty"`   // auto, quickjs or deno; default: quickjs
	Check    string   `json:"check,omitempty"`    // off, warn or error: how type errors are treated; default error
	Strict   bool     `json:"strict,omitempty"`   // check types in TypeScript's strict mode
	Allow    []string `json:"allow,omitzero"`     // server names and tool ids the run may call; null allows all, [] none
	Profile  string   `json:"profile,omitempty"`  // configured profile that narrows Allow; default: the one in the configuration
	Asked    []string `json:"-"`                  // the Allow that the client sent, if Allow was narrowed to a profile; else nil
	Plan     bool     `json:"plan,omitempty"`     // call only tools that do not change anything; see End.Plan
	Ask      bool     `json:"ask,omitempty"`      // the client can have a person fill in forms
	AskPages bool     `json:"askPages,omitempty"` // the client can have a person open pages in a browser
	Terminal int      `json:"terminal,omitempty"` // id of the client's process, at whose terminal approval codes may be shown; or 0
	Client   string   `json:"client,omitempty"`   // name of the client for the audit; default: the User-Agent of the request
	Session  string   `json:"session,omitempty"`  // session of the client, for the audit and the store; default: the gateway's
	Agent    string   `json:"-"`                  // id of the agent of agents.launch that wrote the script; "" if there is none
	Trace    string   `json:"-"`                  // traceparent of W3C Trace Context of the caller; "" if there is none
}

// Limits bound one run. A zero field means the gateway's default.
type Limits struct {
	TimeoutMs   int64 `json:"timeoutMs,omitempty"` // wall-clock time; the engine ends the script, else Wait of session.Session
	CPUMs       int64 `json:"cpuMs,omitempty"`
	MemoryMB    int64 `json:"memoryMb,omitempty"` // JavaScript heap
	StackKB     int64 `json:"stackKb,omitempty"`
	ToolCalls   int64 `json:"toolCalls,omitempty"`
	Concurrency int64 `json:"concurrency,omitempty"` // maximum number of calls in flight; further calls wait
	Questions   int64 `json:"questions,omitempty"`   // maximum number of questions of servers to the person who started the run
	SourceBytes int64 `json:"sourceBytes,omitempty"`
	ValueBytes  int64 `json:"valueBytes,omitempty"`  // size of the value as JSON
	OutputBytes int64 `json:"outputBytes,omitempty"` // bytes of stdout and stderr together
	LogLines    int64 `json:"logLines,omitempty"`    // lines of stdout and stderr together
}

// StdinPiece is the next piece of a run's standard input. It is the body of POST
// /runs/{id}/stdin. Alternatively, the body is Data as application/octet-stream, with
// eof=true and error=TEXT in the query.
type StdinPiece struct {
	Data  []byte `json:"data"`            // base64 on the wire
	EOF   bool   `json:"eof"`             // Data is the last piece
	Error string `json:"error,omitempty"` // why the input ends after Data, if reading it has failed
}

// EventType is the type of an Event.
type EventType string

// The events of a run, each with the fields that it sets. Start comes first and End last, each once.
const (
	EventStart      EventType = "start"      // RunID
	EventStdout     EventType = "stdout"     // Data
	EventStderr     EventType = "stderr"     // Data
	EventStdin      EventType = "stdin"      // the script reads standard input: POST /runs/{id}/stdin
	EventCall       EventType = "call"       // CallID, Tool
	EventCallEnd    EventType = "callEnd"    // CallID, Tool, OK, Ms, and Sent if the call failed
	EventAsk        EventType = "ask"        // Ask: POST /runs/{id}/reply
	EventFinished   EventType = "finished"   // Ask: its server says that the page is finished
	EventApproval   EventType = "approval"   // CallID, Tool, Approval: POST /approvals/{id}
	EventProgress   EventType = "progress"   // Message; for a call in flight also CallID and Tool
	EventReport     EventType = "report"     // Message: the text of context.telemetry.emitProgress
	EventDiagnostic EventType = "diagnostic" // Diagnostic
	EventEnd        EventType = "end"        // End
)

// Event is an event of a run: one line of the response to POST /exec. Only the fields
// of its type are set.
type Event struct {
	Type       EventType   `json:"type"`
	RunID      string      `json:"runId,omitempty"`
	Data       string      `json:"data,omitempty"`
	CallID     string      `json:"callId,omitempty"`
	Tool       string      `json:"tool,omitempty"` // tool id
	OK         *bool       `json:"ok,omitempty"`
	Sent       Sent        `json:"sent,omitempty"` // for callEnd of a failed call
	Ms         float64     `json:"ms,omitempty"`
	Message    string      `json:"message,omitempty"`
	Diagnostic *Diagnostic `json:"diagnostic,omitempty"`

	// Args, and Result or Failure, are set in callEnd of DialectHarness.
	Args    json.RawMessage `json:"args,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Failure *ToolError      `json:"failure,omitempty"`

	Ask *Question `json:"ask,omitempty"`

	// Approval is set in approval.
	Approval *Approval `json:"approval,omitempty"`
	*End
}

// OfCall reports whether e is about the start or the end of a call.
func (e *Event) OfCall() bool { return e.Type == EventCall || e.Type == EventCallEnd }

// End describes how a run ended.
type End struct {
	OK       bool            `json:"-"`               // sent as Event.OK
	Value    json.RawMessage `json:"value,omitempty"` // value of the run; absent if it is undefined
	Kind     Kind            `json:"kind,omitempty"`
	Error    *RunError       `json:"error,omitempty"`
	ExitCode int             `json:"exitCode"`
	Metrics  *Metrics        `json:"metrics,omitempty"`
	Kept     *Kept           `json:"kept,omitempty"`
	Detached []DetachedCall  `json:"detached,omitempty"`
	Script   *ScriptFacts    `json:"script,omitempty"` // for DialectHarness, if the script compiles
	Lowered  Limits          `json:"lowered,omitzero"` // original values of the limits that were lowered to their maximum
	Plan     []PlannedCall   `json:"plan,omitzero"`    // with ExecRequest.Plan: the calls that were not made, in order

	// Unfinished holds the calls that had not ended when the script ended, in order.
	// They were cancelled; whether their servers carried them out is not known.
	Unfinished []UnfinishedCall `json:"unfinished,omitempty"`

	// Made holds the calls of a failed run, in order. MadeCalls is their number, and
	// MadeMore is the number of calls that Made leaves out.
	Made      []MadeCalls `json:"made,omitempty"`
	MadeCalls int         `json:"madeCalls,omitempty"`
	MadeMore  int         `json:"madeMore,omitempty"`

	// Notices are messages about the script for its author, such as that a timer was
	// dropped.
	Notices []string `json:"notices,omitempty"`
}

// ExitMissingTools is End.ExitCode for the kind MissingTools.
const ExitMissingTools = 3

// PlannedCall is a call that a run with ExecRequest.Plan did not make. The script got a
// placeholder of the tool's output type.
type PlannedCall struct {
	CallID string          `json:"callId"`
	Tool   string          `json:"tool"` // tool id
	Args   json.RawMessage `json:"args"` // a JSON object
}

// DialectHarness is the dialect of scripts in the answers of models. It has no imports,
// require, eval or new Function, and callEnd holds the arguments and the result of each call.
const DialectHarness = "harness"

// ScriptFacts holds what the compiler found out about a script.
type ScriptFacts struct {
	HasReturn bool     `json:"hasReturn"`        // the top level has a return statement
	Tools     []string `json:"tools"`            // members of tools that the script names, such as "github.createIssue", sorted
	MayUseAll bool     `json:"mayUseAll"`        // the script may use other tools too, as with tools[name]
	Cached    bool     `json:"cached,omitempty"` // the same text was compiled before
}

// Kept holds the sizes of output over its limit, which GET /runs/{id}/output returns.
type Kept struct {
	OutputBytes int64 `json:"outputBytes,omitempty"` // size of the console output that was not passed on
	ValueBytes  int64 `json:"valueBytes,omitempty"`  // size of the value, if it was not passed on
}

// OutputQuery selects a part of the kept output of a run.
type OutputQuery struct {
	Value bool   // select the value instead of the console output
	Task  string // id of a call: select the TaskResult of that task instead
	From  int64  // offset of the first byte
	To    int64  // offset after the last byte; 0 means the end
}

// TaskResult is the outcome of a task that ended after the script that started it.
type TaskResult struct {
	CallID string          `json:"callId"`
	Tool   string          `json:"tool"` // tool id
	OK     bool            `json:"ok"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *ToolError      `json:"error,omitempty"`
}

// ParseRange sets From and To from A-B, A- or "", where both A and B are included. The error is Invalid.
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

// Range returns the text that ParseRange reads.
func (q OutputQuery) Range() string {
	switch {
	case q.To > 0:
		return fmt.Sprintf("%d-%d", q.From, q.To-1)
	case q.From > 0:
		return fmt.Sprintf("%d-", q.From)
	}
	return ""
}

// DetachedCall is a call that was still in flight when the run ended: a task, or a
// cancelled call that had not returned.
type DetachedCall struct {
	CallID string `json:"callId"`
	Tool   string `json:"tool"`
	Task   bool   `json:"task,omitempty"`
}

// EndEvent returns the last event of a run.
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
	Excerpt string `json:"excerpt,omitempty"` // the source line, and a caret under the position

	// About lets the gateway add what it knows about tools to the message. It is never
	// part of an event.
	About *Subject `json:"about,omitempty"`
}

// Subject is the name or call that a diagnostic of the type checker is about.
type Subject struct {
	Name   string `json:"name,omitempty"`   // an unknown name, such as fetch
	Next   string `json:"next,omitempty"`   // the member of Name that the script uses
	In     string `json:"in,omitempty"`     // where Name was looked up: a type, a module in quotes, or "" for the scope
	Type   string `json:"type,omitempty"`   // the interface of the tool that was called with wrong arguments
	Member string `json:"member,omitempty"` // the tool in Type
}

// Phase is the part of a run in which an error occurred.
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
	Server   string         `json:"server,omitempty"`   // server of an uncaught ToolError
	Tool     string         `json:"tool,omitempty"`     // tool id of an uncaught ToolError, whose code is Code
	ToolName string         `json:"toolName,omitempty"` // tool id, for every error of a call
	CallID   string         `json:"callId,omitempty"`
	Sent     Sent           `json:"sent,omitempty"`    // whether the server got the call, for an uncaught ToolError
	Stack    string         `json:"stack,omitempty"`   // frames in the script's own lines
	Excerpt  string         `json:"excerpt,omitempty"` // the source line, and a caret under the position
	Metadata map[string]any `json:"metadata,omitempty"`
}

// Kind returns the kind with which a run with this error ends. For an uncaught
// ToolError it is Threw: Code is then the code of the call.
func (e *RunError) Kind() Kind {
	if e.Tool != "" {
		return Threw
	}
	return e.Code
}

// Diagnosed reports whether the run has diagnostics about the error. An engine may refuse a script that
// was not checked; then there is only its error. A nil error is not diagnosed.
func (e *RunError) Diagnosed() bool { return e != nil && e.Name == CheckFailed.ClassName() }

// ToolError is the error that a script catches when a call fails.
type ToolError struct {
	Server  string            `json:"server"`
	Tool    string            `json:"tool"` // tool id
	Code    Kind              `json:"code"`
	Message string            `json:"message"`
	RPCCode int               `json:"rpcCode,omitempty"`
	Status  int               `json:"status,omitempty"`       // HTTP status of the answer of an API
	Sent    Sent              `json:"sent,omitempty"`         // whether the server got the call; "" if no call was made, as for store
	RetryMs int64             `json:"retryAfterMs,omitempty"` // when to try again, in milliseconds; 0 if unknown
	Content []json.RawMessage `json:"content,omitempty"`      // content blocks of a result with isError
	Details []Detail          `json:"details,omitempty"`

	Structured json.RawMessage `json:"structuredContent,omitempty"` // structuredContent of a result with isError
}

// Metrics are the measurements of a run.
type Metrics struct {
	DurationMs  float64  `json:"durationMs"`       // from start to end, including waits for servers
	CompileMs   float64  `json:"compileMs"`        // time in the compiler
	CheckMs     float64  `json:"checkMs"`          // time to check types and to generate the types of the tools
	Cached      []string `json:"cached,omitempty"` // compiled or checked: results that were cached for the same text
	RunMs       float64  `json:"runMs"`            // time in the sandbox
	CPUMs       float64  `json:"cpuMs"`            // CPU time of the sandbox during the run
	ToolCalls   int      `json:"toolCalls"`        // calls that were started
	MemoryMB    float64  `json:"memoryUsedMb"`
	StdoutBytes int64    `json:"stdoutBytes"`
	StderrBytes int64    `json:"stderrBytes"`
	Host        string   `json:"host,omitempty"` // host of the fleet whose sandbox ran the script
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
	Lowered   Limits       `json:"lowered,omitzero"`  // original values of the limits that were lowered to their maximum
	Allow     []string     `json:"allow,omitzero"`    // null means all tools
	Profile   string       `json:"profile,omitempty"` // profile that has narrowed Allow
	Agent     string       `json:"-"`                 // as in Rules
	Calls     []CallRecord `json:"calls"`
	OK        *bool        `json:"ok,omitempty"`
	Kind      Kind         `json:"kind,omitempty"`
	Error     *RunError    `json:"error,omitempty"`
	ExitCode  *int         `json:"exitCode,omitempty"`
	Metrics   *Metrics     `json:"metrics,omitempty"`
	Kept      *Kept        `json:"kept,omitempty"`

	Unfinished []UnfinishedCall `json:"unfinished,omitempty"` // as in End

	Value json.RawMessage `json:"-"` // value of the script, until the run is settled
}

// Close records how the run ended.
func (r *RunRecord) Close(end End) {
	now := time.Now()
	r.State, r.EndedAt = "ended", &now
	r.OK, r.Kind, r.Error = &end.OK, end.Kind, end.Error
	r.ExitCode, r.Metrics, r.Kept, r.Value = &end.ExitCode, end.Metrics, end.Kept, end.Value
	r.Unfinished = end.Unfinished
	for _, d := range end.Detached {
		i := slices.IndexFunc(r.Calls, func(c CallRecord) bool { return c.CallID == d.CallID })
		if i < 0 { // the call still waits for its turn
			i = len(r.Calls)
			r.Calls = append(r.Calls, CallRecord{CallID: d.CallID, Tool: d.Tool, Task: d.Task})
		}
		r.Calls[i].Detached = true
	}
}

// CallRecord is the record of a tool call of a run, without its arguments and result.
type CallRecord struct {
	CallID string  `json:"callId"`
	Tool   string  `json:"tool"`
	OK     *bool   `json:"ok,omitempty"` // nil while in flight
	Kind   Kind    `json:"kind,omitempty"`
	Ms     float64 `json:"ms,omitempty"`
	Sent   Sent    `json:"sent,omitempty"`  // for a failed call: whether the server got it
	Error  string  `json:"error,omitempty"` // why the call failed, without secrets and shortened
	Task   bool    `json:"task,omitempty"`

	StartMs float64 `json:"startMs"` // when the script made the call, in ms after the start of the run
	Waits

	Planned  bool `json:"planned,omitempty"`  // the call was not made; see PlannedCall
	Detached bool `json:"detached,omitempty"` // the call was still in flight when the run ended
}
