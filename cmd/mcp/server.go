// Package mcp gives agents without a shell access to the gateway: three MCP tools
// that find tools, describe them, and run scripts that call them. See docs/design/clients.md.
package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/api"
)

// Gateway answers the requests: a running gateway over HTTP, or a gateway in this process.
type Gateway interface {
	Search(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error)
	Describe(ctx context.Context, name string) (toolscript.ToolDescription, error)
	Tools(ctx context.Context, f toolscript.Filter, wait time.Duration) (api.Tools, error)
	StoreTypes(ctx context.Context, q toolscript.StoreQuery) (toolscript.StoreTypes, error)
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// Detach begins a run that outlives the request, RunEvents emits the events of a run
	// from the start to the end, and AbortRun ends a run.
	Detach(ctx context.Context, req toolscript.ExecRequest) (runID string, err error)
	RunEvents(ctx context.Context, runID string, wait bool, emit func(toolscript.Event) error) error
	AbortRun(ctx context.Context, runID string) error
	ReplyRun(ctx context.Context, runID string, answer toolscript.Answer) error
	Approvals
	RunOutput(ctx context.Context, runID string, q toolscript.OutputQuery) ([]byte, error)
	Offers
}

// Offers gives access to the resources, prompts, skills and apps of servers, and to their announcements.
type Offers interface {
	// Fetch lists, reads and completes the resources and prompts of the servers, and lists and reads
	// their skills.
	Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error)
	// AppTools lists the tools of servers with apps, and CallTool calls one.
	AppTools(ctx context.Context) (api.Tools, error)
	CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error)
	// Watch emits the announcements of the servers, until ctx ends or emit fails. The first change is ChangeReady.
	Watch(ctx context.Context, q toolscript.WatchQuery, emit func([]toolscript.Change) error) error
}

// Options connect the server to the program around it.
type Options struct {
	// Gateway returns the gateway for one request, and a function that releases it.
	Gateway func(context.Context) (Gateway, func(), error)
	// Running is like Gateway, but starts no gateway: it returns nil if none runs. If it is nil, Gateway is used.
	Running func(context.Context) (Gateway, func(), error)
	// Pass says whether clients get the prompts, resources, skills and apps of the servers.
	Pass bool
	// TaskAfter is how long a run lasts before it becomes a task for a client that has declared
	// tasks; 0: DefaultTaskAfter.
	TaskAfter time.Duration
	// Session and Cwd are the session and the working directory of the client on stdio; "" if it has none, and for
	// clients over HTTP.
	Session, Cwd string
	// Shorten returns a value in the form for a model, shortened to about tokens (0: the configured limit), and
	// notices about omitted parts. It stores the whole value where RunOutput or Kept finds it.
	Shorten func(runID string, value json.RawMessage, tokens int) (short json.RawMessage, notices []string)
	// Media returns the images and sounds of a value that a model is shown, and the number
	// of the others.
	Media func(runID string, value json.RawMessage) (media []terminal.Medium, left int)
	// KeepOutput stores the whole console output of a run in the same place.
	KeepOutput func(runID string, text []byte) error
	// Kept reads what Shorten and KeepOutput have stored in this process.
	Kept func(runID string, q toolscript.OutputQuery) ([]byte, error)
	// Error returns the text of a failed run's error, as on the command line.
	Error func(*toolscript.RunError) string
	// Diagnostic returns the text of a finding of the type checker.
	Diagnostic func(*toolscript.Diagnostic) string
	// Told rewrites a message of this program for an agent without a shell. If it is nil, messages stay the same.
	Told func(text string) string
	// Changes receives a value when the servers of the gateway have changed. Clients then
	// get the notification that lists of tools have changed. Changes may be nil.
	Changes <-chan struct{}
	// Feed gets the sessions over HTTP. It may be nil.
	Feed *live.Feed
	// Shown records what a model reads: the result of a tool, or the definitions of the
	// tools, under the name Definitions. runID is "" if there is no run.
	Shown func(tool, runID string, text []byte)
}

// Definitions is the name under which Shown receives the definitions of the tools.
const Definitions = "tools/list"

const instructions = "Calls tools of many MCP servers with TypeScript. " +
	"First search_tools with what you need, then describe_tools for the types, then run_script: " +
	"one script can make many calls, and only what it returns reaches you."

// queueSize is the number of requests that can wait. mcp-go answers further requests on the
// goroutine that reads, which would delay cancellations.
const queueSize = 10_000

// entrance implements the tools.
type entrance struct {
	Options
	server *server.MCPServer
	passed passed
	paused paused
	tasks  tasks
	web    bool            // the server has HTTP clients, each with its own session
	life   context.Context //nolint:containedctx // what clients have subscribed to ends with it

	lists         lists
	listeners     listeners
	subscriptions subscriptions
}

// sessionOf returns the session whose values in the store a request uses. "" is the session of the
// gateway, which clients of MCP 2026-07-28 over HTTP also use, because they have no session.
func (e *entrance) sessionOf(ctx context.Context) string {
	if !e.web {
		return e.Session
	}
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}

// Serve speaks MCP on in and out until in ends. It returns the error of ctx if ctx ends
// first. mcp-go has one stdio session per process, so only one Serve may run at a time.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e := newEntrance(ctx, options)
	stdio := server.NewStdioServer(e.server)
	server.WithQueueSize(queueSize)(stdio)
	l := newLines(rawjson.SkipMark(in), out)
	defer e.tasks.end()
	l.pass = func(m message) bool { return e.passLine(ctx, l, m) }
	server.WithStdioContextFunc(func(ctx context.Context) context.Context { return withNotifier(ctx, l) })(stdio)
	go e.follow(ctx)
	return stdio.Listen(ctx, l, l)
}

// Handler speaks MCP over streamable HTTP with any number of clients. The caller checks who
// may send requests. stop ends the goroutines of the handler.
func Handler(options Options) (h http.Handler, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	e := newEntrance(ctx, options)
	e.web = true
	web := server.NewStreamableHTTPServer(e.server, server.WithHTTPContextFunc(withProfile), server.WithStreamableHTTPLogger(slog.New(slog.DiscardHandler)))
	sessions := newSessions(web, options.Feed)
	go sessions.endIdle(ctx)
	go e.follow(ctx)
	return entry{lenient{web}, newRoom(), sessions, e}, func() {
		cancel()
		e.tasks.end()
		_ = web.Shutdown(context.Background()) // it has no listener, so it does not block
	}
}

// newEntrance returns the tools, which work until ctx ends.
func newEntrance(ctx context.Context, options Options) *entrance {
	e := &entrance{Options: options, life: ctx, lists: lists{watched: map[string]bool{}, changed: newPending[toolscript.Collection]()}}
	e.passed.entrance = e
	hooks := e.recordDefinitions()
	e.announceSkills(hooks)
	hooks.AddOnUnregisterSession(func(_ context.Context, session server.ClientSession) { e.subscriptions.leave(session.SessionID()) })
	all := []server.ServerOption{
		server.WithTitle("toolscript"), server.WithInstructions(instructions),
		server.WithToolCapabilities(true), server.WithResourceCapabilities(options.Pass, options.Pass), server.WithElicitation(),
		server.WithRecovery(), server.WithExtensions(map[string]any{tasksExtension: struct{}{}}),
		server.WithToolHandlerMiddleware(e.present), server.WithHooks(hooks),
	}
	if options.Pass {
		all = append(all, server.WithPromptCapabilities(true), server.WithCompletions(), server.WithLogging())
	}
	e.server = server.NewMCPServer("toolscript", toolscript.Version, all...)
	e.server.AddTools(
		server.ServerTool{Tool: searchTool, Handler: handler(searchTool, readSearch, e.search)},
		server.ServerTool{Tool: describeTool, Handler: handler(describeTool, readDescribe, e.describe)},
		server.ServerTool{Tool: runTool, Handler: e.run},
	)
	e.server.AddResourceTemplate(outputTemplate, e.readOutput)
	return e
}

// result is the structured result of a tool. failed reports whether isError is set.
type result interface{ failed() bool }

// handler returns the handler of a tool. An error becomes a result with isError and one sentence.
func handler[A any, R result](tool mcp.Tool, read func(context.Context, *given) (A, error), run func(context.Context, A) (R, error)) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		args, err := read(ctx, givenOf(tool, request))
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		r, err := run(ctx, args)
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return &mcp.CallToolResult{StructuredContent: r, IsError: r.failed()}, nil
	}
}
