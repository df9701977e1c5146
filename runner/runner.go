// Package runner holds what a script run needs from a sandbox and gives to it.
// The engines are in the packages below it; none of them runs in the gateway's
// process (see worker).
package runner

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
)

// Source is the text of a script as the user wrote it.
type Source struct {
	Code string `json:"code"`
	File string `json:"file"` // its name in diagnostics and traces
}

// Compiled is a script ready for an engine.
type Compiled struct {
	JavaScript string `json:"javascript"` // an ES module that imports nothing but "toolscript"
	SourceMap  string `json:"sourceMap"`  // from JavaScript to the user's text, as JSON
	Uses       Uses   `json:"uses"`
	Returns    bool   `json:"returns,omitempty"` // from its top level

	// Spent is what compiling it has taken, this time.
	Spent Effort `json:"-"`
}

// Uses says which servers a script refers to, as it names them.
type Uses struct {
	All     bool     `json:"all,omitempty"`     // it cannot be told; assume every server
	Servers []string `json:"servers,omitempty"` // identifiers after `tools.`
}

// Job is one script with everything a sandbox must know to run it.
type Job struct {
	RunID    string            `json:"runId"`
	File     string            `json:"file"`
	Compiled Compiled          `json:"compiled"`
	Args     []string          `json:"args"`
	Cwd      string            `json:"cwd"`
	Env      map[string]string `json:"env"`   // what env.get can read; TOOLSCRIPT_GATEWAY_URL alone
	TZ       string            `json:"tz"`    // IANA time zone
	Stdin    bool              `json:"stdin"` // false: standard input is empty
	Limits   toolscript.Limits `json:"limits"`
	Names    *Names            `json:"names"`
	Allow    toolscript.Filter `json:"allow,omitzero"` // what the script sees of Names; the gateway refuses calls to the rest
	Clock    *Clock            `json:"-"`              // of Limits.TimeoutMs; nil: it never stands still
}

// Names maps what scripts write to what goes on the wire. It is immutable.
type Names struct {
	Key     string        `json:"key"` // equal keys mean equal tables
	Servers []ServerNames `json:"servers"`
}

// ServerNames are the names of one server, in the order Object.keys shows them.
// A server without tools is not connected at present: scripts do not see it
// among the keys, but a call to it goes out under <Server>__<identifier>, so
// that the gateway can say what is wrong with it.
type ServerNames struct {
	Ident  string      `json:"ident"`         // as in tools.<ident>
	Server string      `json:"server"`        // configured name
	Own    bool        `json:"own,omitempty"` // no server but the program's: not among the keys
	Tools  []ToolNames `json:"tools"`
}

// ToolNames are the names of one tool.
type ToolNames struct {
	Ident string `json:"ident"` // as in tools.<server>.<ident>
	ID    string `json:"id"`    // server__tool
}

// The members of tools that no server has: the gateway itself answers a call to
// one of these ids.
const (
	SearchTools  = "$search"   // arguments: query, and limit, threshold, server, readOnly
	DescribeTool = "$describe" // arguments: tool
)

// Stream is where console output goes.
type Stream int

// The streams of a script.
const (
	Stdout Stream = iota
	Stderr
)

// Call is a tool call of a script. Its CallID is unique within the run.
type Call struct {
	CallID string          `json:"callId"`
	ID     string          `json:"id"`             // tool id
	Args   json.RawMessage `json:"args"`           // any JSON value the script gave; the gateway refuses all but objects
	Task   bool            `json:"task,omitempty"` // it goes on when its script has ended by itself
}

// ErrCallCancelled is the cause of the end of a call's context when the script
// itself has cancelled the call.
var ErrCallCancelled = errors.New("the script cancelled the call")

// Host is what a sandbox asks of the gateway while a script runs.
type Host interface {
	// Begin takes one tool call, in the order in which the script makes them, and
	// waits for nobody. ctx ends with the run, and with ErrCallCancelled as its cause
	// when the script cancels the call. It is never called concurrently.
	Begin(ctx context.Context, c Call) Pending
	// Write passes console output on, in order. It is never called concurrently.
	Write(s Stream, text string)
	// ReadStdin waits for the next piece of standard input; nil is its end. The
	// text of an error is what the script is told.
	ReadStdin(ctx context.Context) ([]byte, error)
}

// Pending waits for the answer of a call that has begun: the value the script sees,
// or the error it catches. It is called once, beside those of other calls.
type Pending func() (json.RawMessage, *toolscript.ToolError)

// Refused is a call that has begun and failed at once.
func Refused(failure *toolscript.ToolError) Pending {
	return func() (json.RawMessage, *toolscript.ToolError) { return nil, failure }
}

// Outcome is how a job ended.
type Outcome struct {
	Value    json.RawMessage      `json:"value,omitempty"` // nil when the script returned undefined
	Err      *toolscript.RunError `json:"err,omitempty"`
	ExitCode int                  `json:"exitCode"`
	Exited   bool                 `json:"exited,omitempty"` // the script called exit
	Metrics  Metrics              `json:"metrics"`
}

// Metrics are measured by the sandbox.
type Metrics struct {
	RunMs       float64 `json:"runMs"`
	CPUMs       float64 `json:"cpuMs"`
	MemoryBytes int64   `json:"memoryBytes"` // of the JavaScript heap, at the end
}

// Effort is how long a process works on something, as on a machine with nothing
// else to do, and how long that takes on this one.
type Effort struct{ Work, Wall time.Duration }

// Plus is one effort after the other.
func (e Effort) Plus(o Effort) Effort { return Effort{e.Work + o.Work, e.Wall + o.Wall} }

// Minus is what is left of an effort.
func (e Effort) Minus(o Effort) Effort { return Effort{e.Work - o.Work, e.Wall - o.Wall} }

// Compiler turns the user's TypeScript into a module an engine can run.
type Compiler interface {
	// Compile answers with diagnostics when the script cannot be run, and with
	// an error when it could not be looked at.
	Compile(ctx context.Context, s Source) (Compiled, []toolscript.Diagnostic, error)
}

// TypeCheck is a script that compiles, and what its types are checked against.
type TypeCheck struct {
	Source
	Returns bool         // as Compiled says
	Spent   Effort       // as Compiled says; all that is done with one text has one limit
	Module  Declarations // of "toolscript"
}

// Declarations are the types of the tools that a script can call, as a .d.ts.
type Declarations struct {
	Key  string // equal keys mean equal text
	Text string
}

// Checker finds what is wrong with the types of a script.
type Checker interface {
	// Check gives all findings, in the order of the text, and an error when the
	// script could not be looked at: of kind Unsupported when there are no means.
	Check(ctx context.Context, c TypeCheck) ([]toolscript.Diagnostic, error)
}

// Finding is what a type checker says about a place in the text it was given.
type Finding struct {
	Line    int    `json:"line"`   // from 1
	Column  int    `json:"column"` // from 1, in UTF-16 units
	Code    string `json:"code"`   // as tsc prints it: TS2322
	Message string `json:"message"`
}

// TextChecker checks text that compiles, and knows nothing of what it is the text
// of. It is safe for concurrent use.
type TextChecker interface {
	// Name is what checks, for people.
	Name() string
	// CheckText gives all findings about the types of text, on which it works no
	// longer than limit. An error of kind LimitTime or LimitMemory is the text's
	// doing, any other is not.
	CheckText(ctx context.Context, text string, d Declarations, limit Effort) ([]Finding, error)
}

// CodeLimit is the code of the one diagnostic about a script that the worker was
// killed over. A machine with less to do may find otherwise.
const CodeLimit = "limit"

// Runner runs one job at a time.
type Runner interface {
	// Run runs the job to its end, its limits or the end of ctx, whichever comes
	// first. What the script did wrong is in the Outcome; an error means that the
	// sandbox itself failed and must be replaced.
	Run(ctx context.Context, job Job, host Host) (Outcome, error)
}
