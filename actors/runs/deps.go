package runs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// Deps are the functions of the gateway that runs use.
type Deps struct {
	CallDeps
	CatalogDeps
	TypeDeps
	ProcessDeps

	// Supervisor has the actors of the runs.
	Supervisor mailbox.Supervisor
	// Ended is called with the record of each run that has settled. It does not
	// block. Nil: nothing is called.
	Ended func(toolscript.RunRecord)
	// Changed is called with each new state of a run. It does not block. Nil: nothing is called.
	Changed func(toolscript.RunEntry)
	// Begun is called with a new run. It does not block. Nil: nothing is called.
	Begun func(toolscript.RunRecord, *toolscript.ExecRequest)
	// Record keeps the recording of a run. Nil: no run can be recorded.
	Record func(kept.Recording) error
	// Store reads and changes values that outlive the run. Nil: there is no store.
	Store func(context.Context, store.Request) (store.Answer, error)
	// Kept stores output and values above their limits.
	Kept kept.Outputs
	// URL returns the URL of the gateway with the given capability; "" if the gateway has no URL.
	URL    func(capability string) string
	Limits func() toolscript.Limits // limits for requests that set none
}

// CallDeps make the calls of scripts, and record those that are not made.
type CallDeps struct {
	// Call makes a tool call without applying the rules of a run.
	Call func(context.Context, toolscript.Call) (json.RawMessage, error)
	// Start makes such a call of a tool if the server is connected, the arguments fit, and no person has
	// to approve it. Otherwise it returns false, and the caller must use Call. Start does not block. held counts the bytes
	// of the result. done receives the result once and does not block; stop cancels the call. Nil: all calls use Call.
	Start func(call *toolscript.Call, tool *toolscript.Tool, held *budget.Held, done func(json.RawMessage, error)) (stop func(cause error), sent bool)
	// Fetch lists or reads resources and prompts.
	Fetch func(context.Context, toolscript.FetchRequest) (json.RawMessage, error)
	// Stub returns a value of a tool's output type for a call that is only planned, or the
	// error of arguments that do not fit.
	Stub func(ctx context.Context, tool toolscript.Tool, args json.RawMessage) (json.RawMessage, error)
	// Refused is called with a call that the rules of its run forbid. It does not block. Nil: nothing is called.
	Refused func(toolscript.Call, error)
	// Answered is called with a call that the gateway has answered itself, such as one of the store.
	Answered func(call toolscript.Call, result json.RawMessage, took time.Duration, err error)
	// Reason returns the message of a failed call without secrets, cut if it is long. Nil: the
	// message is not recorded.
	Reason func(server, message string) string
	// Clean removes secrets from a text of a server. Nil: texts stay unchanged.
	Clean func(server, text string) string
}

// CatalogDeps find tools, and wait for servers.
type CatalogDeps struct {
	// Lookup finds a tool in the current catalog.
	Lookup func(id string) (toolscript.Tool, bool)
	// Resolve finds an allowed tool. If the catalog does not have it, Resolve waits for
	// the server that may have it. The error reveals nothing that is not allowed.
	Resolve func(ctx context.Context, id string, allow toolscript.Filter, wait time.Duration) (toolscript.Tool, error)
	// Search and Describe find tools of the current catalog.
	Search   func(context.Context, toolscript.SearchQuery) (toolscript.SearchAnswer, error)
	Describe func(ctx context.Context, name string) (toolscript.ToolDescription, error)
	// Select matches a filter with the tools and servers that allow selects.
	Select func(f, allow toolscript.Filter) naming.Selection
	// Names returns the names of the current catalog.
	Names func() *naming.Names
	// Builtins returns the configured names of the servers of built-in tools.
	Builtins func() []string
	// Reread reads the tool lists of servers that do not announce changes, and reports whether
	// any list was read. Nil reads nothing.
	Reread func(context.Context, toolscript.Filter) bool
	// Needed returns the allowed servers that may have the tools of ExecRequest.Needs. Missing
	// returns an error of kind MissingTools if one of these tools cannot be called.
	Needed  func(needs []string, allow toolscript.Filter) toolscript.Filter
	Missing func(needs []string, allow toolscript.Filter) error
	// Connecting returns the servers that the filter reaches and that are connecting.
	// Await waits until no such server is left, or ctx ends.
	// Unlisted returns the servers that the filter reaches, that are not connected yet, and
	// whose tools are not known.
	Connecting  func(toolscript.Filter) []string
	Await       func(context.Context, toolscript.Filter)
	Unlisted    func(toolscript.Filter) toolscript.Filter
	ConnectTime time.Duration // how long a run waits for the servers that it uses
	ListTime    time.Duration // how long a run waits for the tools of other servers that it may use
}

// TypeDeps declare the types of scripts, and compare values with schemas.
type TypeDeps struct {
	// Types returns the declarations against which a script is checked.
	Types func(context.Context, runner.Uses) (runner.Declarations, error)
	// Narrowed is like Types, with only the tools that allow selects, for runs with a profile. Nil: Types is used.
	Narrowed func(ctx context.Context, uses runner.Uses, allow toolscript.Filter) (runner.Declarations, error)
	// Untyped returns declarations in which the servers have the type any.
	Untyped func(runner.Uses) runner.Declarations
	// Dialect returns the declarations for a script of DialectHarness, with only the tools that allow selects.
	Dialect func(ctx context.Context, uses runner.Uses, allow toolscript.Filter) (runner.Declarations, error)
	// Advise adds advice to the findings of the type checker. For tools that allow excludes, the advice says that
	// the script may not call them. names are the names that the script sees. Nil adds nothing.
	Advise func(ctx context.Context, found []toolscript.Diagnostic, allow toolscript.Filter, names *naming.Names) []toolscript.Diagnostic
	// Fits reports whether a value satisfies a schema.
	Fits func(ctx context.Context, schema, value json.RawMessage) bool
	// Fit returns a value without its optional members that are null. The error says how the value violates a
	// schema.
	Fit func(ctx context.Context, schema, value json.RawMessage) (json.RawMessage, error)
	// Breaks describes how a value violates a schema; "" if it does not, or if the schema cannot be applied.
	Breaks func(ctx context.Context, schema, value json.RawMessage) string
}

// ProcessDeps lend the processes that check and run scripts.
type ProcessDeps struct {
	// Checker and Sandbox lend a worker process.
	Checker func(context.Context) (Checker, GiveBack, error)
	Sandbox func(context.Context) (runner.Runner, GiveBack, error)
	// Deno lends a process of the other engine.
	Deno func(context.Context) (runner.Runner, GiveBack, error)
	// Remote lends a sandbox of another machine; nil if runs stay on this machine. An error of
	// kind Unavailable means that no sandbox is free at present. Remote itself may be nil.
	Remote func(context.Context) (Remote, error)
}

// Remote is a sandbox of another machine, for one run.
type Remote interface {
	runner.Runner
	Host() string // name of the machine
	Close()       // gives the sandbox back
}

// GiveBack returns a borrowed worker; a broken one is replaced.
type GiveBack func(broken bool)

// lost returns the error of a run that has lost its sandbox. When the gateway stops, the sandbox may end before the
// run.
func (d *Deps) lost(err error) error {
	if d.stopping() {
		return mailbox.ErrStopped
	}
	return err
}

func (d *Deps) stopping() bool {
	select {
	case <-d.Supervisor.Gone:
		return true
	default:
		return false
	}
}

// ErrNotSent is the error of a call of Deps.Start that did not reach its server. The run then
// makes the call with Deps.Call, which finds the tool again.
var ErrNotSent = errors.New("the call was not sent")
