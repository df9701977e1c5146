package api

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Backend answers the requests. Every context has a deadline and ends when the client
// disconnects or the gateway shuts down; its cause is a *toolscript.Error. All methods may
// be called concurrently.
type Backend interface {
	CatalogBackend
	CallBackend
	ServerBackend
	DeviceBackend
	RunBackend
	ApprovalBackend
}

// CatalogBackend answers which tools there are: lists, modules and searches.
type CatalogBackend interface {
	// Catalog returns the current catalog. It does not block.
	Catalog() toolscript.Catalog
	// Profile returns the name of a profile and the tools that it selects. "" means the default
	// profile of the configuration, if there is one. A nil filter selects all tools.
	Profile(name string) (used string, allow toolscript.Filter, err error)
	// Select returns how f matches the tools and servers that allow selects. It does not
	// block.
	Select(f, allow toolscript.Filter) naming.Selection
	// Await waits until no server that f selects is connecting, or until ctx ends. It
	// returns the servers it waited for, and those that are still connecting.
	Await(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string)
	// AwaitLists is like Await, but waits for servers whose tools are not known.
	AwaitLists(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string)
	// Search finds tools that match a query.
	Search(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error)
	// Describe describes one tool, by its id or by its name in scripts.
	Describe(ctx context.Context, name string) (toolscript.ToolDescription, error)
	// Reread reads the list of tools of a server again, and reports whether it did. It does
	// not if the list has just been read, or if the server announces changes.
	Reread(ctx context.Context, server string) bool
	// Types returns the module of the tools that f selects.
	Types(ctx context.Context, f toolscript.Filter, compact bool) (toolscript.Module, error)
	// StoreTypes describes the store of scripts.
	StoreTypes(ctx context.Context, q toolscript.StoreQuery) (toolscript.StoreTypes, error)
	// Declarations returns the .d.ts of the module of Types, for editors.
	Declarations(ctx context.Context, f toolscript.Filter) (toolscript.Module, error)
}

// CallBackend makes calls outside of scripts, and knows the runs that make them.
type CallBackend interface {
	// CallTool makes one call and returns the whole MCP result, even if it has isError.
	CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error)
	// Fetch gets a page of resources or prompts, one resource or one prompt. The answer is
	// a toolscript.Page in JSON, or the result of MCP.
	Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error)
	// Watch emits the announcements of the servers, until ctx ends or emit fails. The first change is ChangeReady:
	// from then on, no change is missed.
	Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error
	// RunOf returns the run that owns a capability, and the tools that the run may call.
	// Its duration must not depend on the capabilities that exist.
	RunOf(capability string) (runID string, allow toolscript.Filter, ok bool)
}

// ServerBackend shows and changes the state of the gateway and its servers.
type ServerBackend interface {
	// Servers returns all configured servers, sorted by name.
	Servers(ctx context.Context) ([]toolscript.ServerStatus, error)
	// Status returns the state of the whole gateway.
	Status(ctx context.Context) (toolscript.Status, error)
	// Measures returns the counters of the gateway, for metrics.
	Measures(ctx context.Context) (toolscript.Measures, error)
	// Events calls emit with the events of the gateway, a snapshot first, until ctx ends or
	// emit fails. It returns nil after a notice.
	Events(ctx context.Context, q toolscript.LiveQuery, emit func([]toolscript.LiveEvent) error) error
	// SearchStats returns the counters of the search, or Unavailable before the search can answer.
	SearchStats(ctx context.Context) (toolscript.SearchStats, error)
	// SearchStatus returns the state of the search. It does not block.
	SearchStatus() toolscript.SearchStatus
	// RestartServer ends the connection of a server with its process, connects again, and
	// returns the status after the first attempt.
	RestartServer(ctx context.Context, server string) (toolscript.ServerStatus, error)
	// Reload reads the configuration again and retries servers that are not connected.
	// Variables of the configuration have the values in env, else in the gateway's
	// environment. After an error nothing has changed.
	Reload(ctx context.Context, env map[string]string) (toolscript.Reload, error)
	// PlanReload returns what Reload would do, and changes nothing.
	PlanReload(ctx context.Context, env map[string]string) (toolscript.ReloadPlan, error)
	// Variables returns the names of the variables that the configuration refers to.
	Variables(ctx context.Context) ([]string, error)
	// BeginAuth begins a login at a server with a redirect to this gateway, and returns
	// the URL for the user's browser.
	BeginAuth(ctx context.Context, server, redirect string) (authorizationURL string, err error)
	// FinishAuth ends a login with the query of its redirect, and returns the server.
	FinishAuth(ctx context.Context, query url.Values) (server string, err error)
}

// DeviceBackend begins logins at servers on other devices.
type DeviceBackend interface {
	BeginDeviceAuth(ctx context.Context, server string) (oauth.DeviceCode, error)
}

// RunBackend runs scripts.
type RunBackend interface {
	// Exec runs a script to its end and emits its events in order, never concurrently.
	// An error of emit ends the run. Exec fails only if the run could not begin.
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// Detach starts a run that goes on when its client disconnects, and returns its id.
	Detach(ctx context.Context, req toolscript.ExecRequest) (runID string, err error)
	// RunEvents emits the events of a detached run from its start, in order and never
	// concurrently. With wait it returns after the last event or an error of emit, else
	// after the events so far.
	RunEvents(ctx context.Context, id string, wait bool, emit func(toolscript.Event) error) error
	// Harness runs the scripts and calls in the answer of a model, and emits the items and
	// the progress as JSON objects without line ends, in order and never concurrently. It
	// fails if the answer cannot be read, if emit fails, or if ctx ends.
	Harness(ctx context.Context, req toolscript.HarnessRequest, emit func(json.RawMessage) error) error
	// Runs returns the last runs, the newest first.
	Runs(ctx context.Context) ([]toolscript.RunRecord, error)
	// Run returns the record of one run.
	Run(ctx context.Context, id string) (toolscript.RunRecord, error)
	// RunOutput returns the stored output of a run that exceeded a limit.
	RunOutput(ctx context.Context, id string, q toolscript.OutputQuery) ([]byte, error)
	// AbortRun ends a run, or the tasks that an ended run has left.
	AbortRun(ctx context.Context, id string) error
	// GiveStdin sends standard input to a run that asked for it. It waits until the script
	// has read the previous piece.
	GiveStdin(ctx context.Context, id string, piece toolscript.StdinPiece) error
	// ReplyRun answers an open question of a server.
	ReplyRun(ctx context.Context, id string, answer toolscript.Answer) error
}

// ApprovalBackend has the calls that wait for a person.
type ApprovalBackend interface {
	// PendingApprovals returns the calls that wait for the approval of a person.
	PendingApprovals(ctx context.Context) ([]toolscript.Approval, error)
	// PendingApproval returns one pending approval with all of its arguments.
	PendingApproval(ctx context.Context, id string) (toolscript.Approval, error)
	// AnswerApproval answers a pending approval. If approver is set, the answer needs no code.
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer, approver bool) error
	// ConfirmApproval shows the code of a pending approval at the terminal of a process.
	ConfirmApproval(ctx context.Context, id string, pid int) error
	// AcceptPins asks a person to accept the present state of a server or of one of its tools.
	AcceptPins(ctx context.Context, server, tool string) (toolscript.Approval, error)
	// ShowApproval calls show with a pending approval and its code.
	ShowApproval(ctx context.Context, id string, show func(a toolscript.Approval, code string)) error
}
