// Package runner defines the types that script runs and engines share, and reports the memory and
// the CPU time of processes. The engines are in packages below this one; none of them runs in the
// gateway's process (see package worker).
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
	"github.com/toolscript/toolscript/internal/naming"
)

// Source is the text of a script as the user wrote it.
type Source struct {
	Code string `json:"code"`
	File string `json:"file"` // name of the script in diagnostics and traces

	Dialect string                    `json:"dialect,omitempty"` // see toolscript.ExecRequest
	Modules []toolscript.ScriptModule `json:"modules,omitempty"` // modules that the script can import
}

// Texts returns all texts on which the result of a compilation depends.
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
	Returns    bool   `json:"returns,omitempty"` // the script has a return at its top level

	// Tools are the members of tools that the script names, such as "github.createIssue",
	// sorted; Uses.All says that there may be others.
	Tools []string `json:"tools,omitempty"`

	// Calls says that the value of the script is the result of its exported default function.
	Calls bool `json:"calls,omitempty"`
	// Notices are sentences for the author of the script. Unreturned is one that is only
	// shown if the script returned and printed nothing.
	Notices    []string `json:"notices,omitempty"`
	Unreturned string   `json:"unreturned,omitempty"`

	// Modules are the files that the script imports, directly or through other modules.
	Modules []CompiledModule `json:"modules,omitempty"`

	// Spent is the time that this compilation used.
	Spent Usage `json:"-"`
}

// CompiledModule is a file that a script imports as "./PATH".
type CompiledModule struct {
	Path       string `json:"path"` // see toolscript.ScriptModule
	JavaScript string `json:"javascript"`
	SourceMap  string `json:"sourceMap"`
}

// ModuleName returns the name of the module at path p in an engine. No script has such a name.
func ModuleName(p string) string { return "./" + p }

// ResolveModule returns the name in an engine of the module that importer imports as name.
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
	All     bool     `json:"all,omitempty"`     // the servers are not known: assume every server
	Servers []string `json:"servers,omitempty"` // identifiers after `tools.`
}

// Plus returns the servers that u or o lists.
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
	Env      map[string]string `json:"env"`   // variables that env.get can read: only TOOLSCRIPT_GATEWAY_URL
	TZ       string            `json:"tz"`    // IANA time zone
	Stdin    bool              `json:"stdin"` // false: standard input is empty
	Limits   toolscript.Limits `json:"limits"`
	Names    *naming.Names     `json:"names"`
	Allow    toolscript.Filter `json:"allow,omitzero"`   // filter of Names; the gateway refuses other calls
	Answer   *AnswerContext    `json:"answer,omitempty"` // set for scripts in a model's answer: context, frozen results
	Idle     bool              `json:"idle,omitempty"`   // the host is an Idler
	Clock    *Clock            `json:"-"`                // for Limits.TimeoutMs; nil: the clock never stops

	// Parameter is the argument, as JSON, of the function that the script exports as default. If it
	// is nil, the function is not called, and the default export is the value of the script.
	Parameter json.RawMessage `json:"parameter,omitempty"`
}

// Grace is how long calls that were not awaited may continue after a script of a model's
// answer has ended. Then they are cancelled.
const Grace = 250 * time.Millisecond

// TimerGrace is how long timers that no code awaits may continue after a script has its value.
const TimerGrace = time.Second

// TimerReserve returns how long before its time limit a run drops its timers and reads its
// value.
func TimerReserve(limit time.Duration) time.Duration { return min(100*time.Millisecond, limit/10) }

// AnswerContext identifies the conversation and the script to a script in a model's answer.
type AnswerContext struct {
	ConversationID string `json:"conversationId"`
	ScriptID       string `json:"scriptId"`
}

// Stream identifies an output stream of a script.
type Stream int

// The streams of a script. Each write to Progress is one text of
// context.telemetry.emitProgress.
const (
	Stdout Stream = iota
	Stderr
	Progress
)

// Call is a tool call of a script. Its CallID is unique within the run.
type Call struct {
	CallID string          `json:"callId"`
	ID     string          `json:"id"`             // tool id
	Args   json.RawMessage `json:"args"`           // any JSON value; the gateway refuses all except objects
	Task   bool            `json:"task,omitempty"` // the call continues after its script has ended normally
	Key    string          `json:"key,omitempty"`  // idempotency key, see toolscript.Call
}

// Answer is the result of a tool call: the value that the script gets, or the error that it
// catches.
type Answer struct {
	Value   json.RawMessage
	Content json.RawMessage // JSON array that $content of the value returns; nil: no content
	Failure *toolscript.ToolError

	// Release, if not nil, is called when the answer has been delivered or dropped.
	Release func()
}

// ErrCallCancelled is the cancellation cause of a call that the script itself cancelled.
var ErrCallCancelled = errors.New("the script cancelled the call")

// ErrNotBegun is the error of a Runner whose process ended before it received the script, perhaps
// wrapped. No part of the script was executed, so another Runner may run it.
var ErrNotBegun = errors.New("the sandbox ended before the script began")

// Host is the interface of the gateway that a sandbox uses while a script runs.
type Host interface {
	// Begin starts a tool call without blocking. Calls begin in the order of the script,
	// never concurrently. done is called once with the answer, from any goroutine, perhaps
	// before Begin returns. done does not block.
	Begin(c Call, done func(Answer))
	// Cancel cancels a call that has begun, with ErrCallCancelled if the script asked for it.
	// The answer follows soon. Cancel does not block, and ignores calls that have ended or
	// are unknown.
	Cancel(callID string, cause error)
	// CancelAll cancels the calls in flight at the end of the script.
	CancelAll(cause error)
	// Write takes output of the script, in order. It is never called concurrently.
	Write(s Stream, text string)
	// ReadStdin waits for the next piece of standard input and returns nil at its end. The
	// script sees the text of an error.
	ReadStdin(ctx context.Context) ([]byte, error)
}

// Idler is a Host that learns when its script can only continue after an answer.
type Idler interface {
	// Idle reports that the script waits only for the answers to this number of calls: it
	// waits for no timer and no input. Further answers may already have reached it. Idle does
	// not block, and is never called concurrently with Begin.
	Idle(calls int)
}

// Outcome is the result of a job.
type Outcome struct {
	Value    json.RawMessage      `json:"value,omitempty"` // nil when the script returned undefined
	Err      *toolscript.RunError `json:"err,omitempty"`
	ExitCode int                  `json:"exitCode"`
	Exited   bool                 `json:"exited,omitempty"` // the script called exit
	Notices  []string             `json:"notices,omitempty"`
	Metrics  Metrics              `json:"metrics"`
}

// Metrics are the times and the memory of a run, as measured by the sandbox.
type Metrics struct {
	RunMs       float64 `json:"runMs"`
	CPUMs       float64 `json:"cpuMs"`
	MemoryBytes int64   `json:"memoryBytes"` // size of the JavaScript heap at the end
}

// Usage is the time that a process worked, as if the machine were idle, and the wall time
// that passed.
type Usage struct{ Work, Wall time.Duration }

// Plus returns the sum of two usages.
func (e Usage) Plus(o Usage) Usage { return Usage{e.Work + o.Work, e.Wall + o.Wall} }

// Minus returns the difference of two usages.
func (e Usage) Minus(o Usage) Usage { return Usage{e.Work - o.Work, e.Wall - o.Wall} }

// Compiler turns the user's TypeScript into a module an engine can run.
type Compiler interface {
	// Compile returns diagnostics if the script cannot be run, or an error if the script
	// could not be examined.
	Compile(ctx context.Context, s Source) (Compiled, []toolscript.Diagnostic, error)
}

// TypeCheck is a script that compiles, and the declarations to check it against.
type TypeCheck struct {
	Source
	Returns bool         // see Compiled
	Strict  bool         // check types strictly
	Spent   Usage        // usage so far, as in Compiled; all work on one text counts against one limit
	Module  Declarations // declarations of the module "toolscript"
}

// Declarations are the types of the tools that a script can call, as a .d.ts.
type Declarations struct {
	Key  string // identifies Text: equal keys mean equal texts
	Text string
}

// Checker finds type errors in scripts.
type Checker interface {
	// Check returns all diagnostics, in the order of the text, or an error if the script
	// could not be examined.
	Check(ctx context.Context, c TypeCheck) ([]toolscript.Diagnostic, error)
}

// CodeLimit is the code of the only diagnostic of a script that exceeded the limits of the
// checker. On a less busy machine, the script may stay within them.
const CodeLimit = "limit"

// Runner runs one job at a time.
type Runner interface {
	// Run runs the job until it ends, reaches a limit or ctx ends. Errors of the script are
	// in the Outcome. A returned error means that the sandbox failed and must be replaced.
	Run(ctx context.Context, job Job, host Host) (Outcome, error)
}
