// Package runner has the types that connect script runs with the engines that run
// them. The engines are in packages below; none of them runs in the gateway's process
// (see package worker).
package runner

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/naming"
)

// Source is the text of a script as the user wrote it.
type Source struct {
	Code string `json:"code"`
	File string `json:"file"` // its name in diagnostics and traces

	Dialect string                    `json:"dialect,omitempty"` // of toolscript.ExecRequest
	Modules []toolscript.ScriptModule `json:"modules,omitempty"` // that the script can import
}

// Texts returns everything that the result of a compilation depends on.
func (s Source) Texts() []string {
	texts := []string{s.File, s.Dialect, s.Code}
	for _, m := range s.Modules {
		texts = append(texts, m.Path, m.Problem, m.Code)
	}
	return texts
}

// Compiled is a script ready for an engine.
type Compiled struct {
	JavaScript string `json:"javascript"` // an ES module that imports "toolscript" and Modules
	SourceMap  string `json:"sourceMap"`  // from JavaScript to the user's text, as JSON
	Uses       Uses   `json:"uses"`
	Returns    bool   `json:"returns,omitempty"` // from its top level

	// Tools are the members of tools that the script names, such as "github.createIssue",
	// sorted; Uses.All says that there may be others.
	Tools []string `json:"tools,omitempty"`

	// Calls says that the value is that of the function that the script exports as default.
	Calls bool `json:"calls,omitempty"`
	// Notices are sentences for the author of the script, Unreturned one for a script that has
	// returned and printed nothing.
	Notices    []string `json:"notices,omitempty"`
	Unreturned string   `json:"unreturned,omitempty"`

	// Modules are the files that the script imports, and those that they import.
	Modules []CompiledModule `json:"modules,omitempty"`

	// Spent is what this compilation used.
	Spent Usage `json:"-"`
}

// CompiledModule is a file that a script imports as "./PATH".
type CompiledModule struct {
	Path       string `json:"path"` // of toolscript.ScriptModule
	JavaScript string `json:"javascript"`
	SourceMap  string `json:"sourceMap"`
}

// ModuleName is the name of a module in an engine. No script has such a name.
func ModuleName(p string) string { return "./" + p }

// ResolveModule returns the name of the module that importer imports as name.
func ResolveModule(importer, name string) string {
	if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
		return name
	}
	folder := "."
	if of, module := strings.CutPrefix(importer, "./"); module {
		folder = path.Dir(of)
	}
	return ModuleName(path.Join(folder, name))
}

// Uses lists the servers that a script refers to.
type Uses struct {
	All     bool     `json:"all,omitempty"`     // the script does not say which: assume every server
	Servers []string `json:"servers,omitempty"` // identifiers after `tools.`
}

// Plus returns the servers of two files.
func (u Uses) Plus(o Uses) Uses {
	if u.All || o.All {
		return Uses{All: true}
	}
	servers := slices.Concat(u.Servers, o.Servers)
	slices.Sort(servers)
	return Uses{Servers: slices.Compact(servers)}
}

// Job is one script with everything that a sandbox needs to run it.
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
	Names    *naming.Names     `json:"names"`
	Allow    toolscript.Filter `json:"allow,omitzero"`   // what the script sees of Names; the gateway refuses calls to the rest
	Answer   *AnswerContext    `json:"answer,omitempty"` // of a script in the answer of a model, which has context and frozen results
	Idle     bool              `json:"idle,omitempty"`   // the host is an Idler
	Clock    *Clock            `json:"-"`                // of Limits.TimeoutMs; nil: the clock never stops

	// Parameter is the argument of the function that the script exports as default, as
	// JSON; nil: the function is not called, and the exported value is that of the script.
	Parameter json.RawMessage `json:"parameter,omitempty"`
}

// Grace is how long the calls that the script of an answer has not awaited may take to end
// by themselves after the script. They are then cancelled.
const Grace = 250 * time.Millisecond

// TimerGrace is how long timers that nothing waits for may go on when a script has its value.
const TimerGrace = time.Second

// TimerReserve is the time before the limit of a run in which it gives up its timers and reads
// its value.
func TimerReserve(limit time.Duration) time.Duration { return min(100*time.Millisecond, limit/10) }

// AnswerContext is what the script of an answer knows of its conversation.
type AnswerContext struct {
	ConversationID string `json:"conversationId"`
	ScriptID       string `json:"scriptId"`
}

// Stream is a target of the output of a script.
type Stream int

// The streams of a script. Progress has the texts of context.telemetry.emitProgress, one
// in each write.
const (
	Stdout Stream = iota
	Stderr
	Progress
)

// Call is a tool call of a script. Its CallID is unique within the run.
type Call struct {
	CallID string          `json:"callId"`
	ID     string          `json:"id"`             // tool id
	Args   json.RawMessage `json:"args"`           // any JSON value; the gateway refuses all but objects
	Task   bool            `json:"task,omitempty"` // the call continues after its script has ended normally
	Key    string          `json:"key,omitempty"`  // idempotency key, see toolscript.Call
}

// Answer is the end of a tool call: the value that the script sees, or the error that
// it catches.
type Answer struct {
	Value   json.RawMessage
	Content json.RawMessage // what $content of the value returns: a JSON array; nil: nothing
	Failure *toolscript.ToolError

	// Release, if not nil, is called when the answer has been delivered or dropped.
	Release func()
}

// ErrCallCancelled is the cause of the end of a call that the script itself cancelled.
var ErrCallCancelled = errors.New("the script cancelled the call")

// ErrNotBegun is wrapped by the error of a Runner whose process ended before it had the script.
// Nothing of the script was executed, so that another Runner may run it.
var ErrNotBegun = errors.New("the sandbox ended before the script began")

// Host is the gateway as a sandbox uses it while a script runs.
type Host interface {
	// Begin takes one tool call, in the order in which the script makes them, and does
	// not block. It is never called concurrently. done receives the answer once, from
	// any goroutine, also before Begin returns. done does not block.
	Begin(c Call, done func(Answer))
	// Cancel cancels a call that has begun, with ErrCallCancelled if the script did so.
	// Its answer arrives soon. Cancel does not block. A call that has ended, or an
	// unknown one, is no error.
	Cancel(callID string, cause error)
	// Write passes the output of the script on, in order. It is never called concurrently.
	Write(s Stream, text string)
	// ReadStdin waits for the next piece of standard input; nil is the end of the
	// input. The text of an error is for the script.
	ReadStdin(ctx context.Context) ([]byte, error)
}

// Idler is a Host that is told when its script can only continue with an answer.
type Idler interface {
	// Idle says that the script has taken all answers but those to so many calls, and
	// waits for these: no timer and no input is left. The script may have had further
	// answers since. Idle does not block, and is never called concurrently with Begin.
	Idle(calls int)
}

// Outcome is how a job ended.
type Outcome struct {
	Value    json.RawMessage      `json:"value,omitempty"` // nil when the script returned undefined
	Err      *toolscript.RunError `json:"err,omitempty"`
	ExitCode int                  `json:"exitCode"`
	Exited   bool                 `json:"exited,omitempty"` // the script called exit
	Notices  []string             `json:"notices,omitempty"`
	Metrics  Metrics              `json:"metrics"`
}

// Metrics are measured by the sandbox.
type Metrics struct {
	RunMs       float64 `json:"runMs"`
	CPUMs       float64 `json:"cpuMs"`
	MemoryBytes int64   `json:"memoryBytes"` // of the JavaScript heap, at the end
}

// Usage is the work that a process did, as on an idle machine, and the wall time that
// it took on this one.
type Usage struct{ Work, Wall time.Duration }

// Plus returns the sum of two usages.
func (e Usage) Plus(o Usage) Usage { return Usage{e.Work + o.Work, e.Wall + o.Wall} }

// Minus returns what remains of a usage.
func (e Usage) Minus(o Usage) Usage { return Usage{e.Work - o.Work, e.Wall - o.Wall} }

// Compiler turns the user's TypeScript into a module an engine can run.
type Compiler interface {
	// Compile returns diagnostics if the script cannot be run, and an error if the
	// script could not be examined.
	Compile(ctx context.Context, s Source) (Compiled, []toolscript.Diagnostic, error)
}

// TypeCheck is a script that compiles, and the declarations to check it against.
type TypeCheck struct {
	Source
	Returns bool         // as Compiled says
	Strict  bool         // check types strictly
	Spent   Usage        // as in Compiled; all work on one text counts against one limit
	Module  Declarations // of "toolscript"
}

// Declarations are the types of the tools that a script can call, as a .d.ts.
type Declarations struct {
	Key  string // equal keys mean equal text
	Text string
}

// Checker finds type errors in scripts.
type Checker interface {
	// Check returns all findings, in the order of the text, and an error if the script
	// could not be examined.
	Check(ctx context.Context, c TypeCheck) ([]toolscript.Diagnostic, error)
}

// CodeLimit is the code of the only diagnostic about a script that exceeded the limits
// of the checker. A less busy machine may find otherwise.
const CodeLimit = "limit"

// Runner runs one job at a time.
type Runner interface {
	// Run runs the job to its end, its limits or the end of ctx, whichever comes
	// first. Errors of the script are in the Outcome. An error means that the sandbox
	// failed and must be replaced.
	Run(ctx context.Context, job Job, host Host) (Outcome, error)
}
