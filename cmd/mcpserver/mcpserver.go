// Package mcpserver gives agents without a shell access to the gateway: three MCP
// tools that find tools, describe them and run scripts that call them.
package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
)

// Gateway answers the requests. It is a running gateway over HTTP, or one in this
// process.
type Gateway interface {
	Search(ctx context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error)
	Describe(ctx context.Context, name string) (toolscript.ToolDescription, error)
	StoreTypes(ctx context.Context, q toolscript.StoreQuery) (toolscript.StoreTypes, error)
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// Detach begins a run that goes on after the request, RunEvents emits its events from
	// the start up to the last one, and AbortRun ends it.
	Detach(ctx context.Context, req toolscript.ExecRequest) (runID string, err error)
	RunEvents(ctx context.Context, runID string, wait bool, emit func(toolscript.Event) error) error
	AbortRun(ctx context.Context, runID string) error
	ReplyRun(ctx context.Context, runID string, answer toolscript.Answer) error
	PendingApprovals(ctx context.Context) ([]toolscript.Approval, error)
	// AnswerApproval answers a call that waits for a person. The caller has no secret of an
	// approver.
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer) error
	RunOutput(ctx context.Context, runID string, q toolscript.OutputQuery) ([]byte, error)
}

// Options connect the server to the program around it.
type Options struct {
	// Gateway returns the gateway for one request, and a function that releases it.
	Gateway func(context.Context) (Gateway, func(), error)
	// Session and Cwd are those of the client on stdio; "" if it has none.
	Session, Cwd string
	// Shorten returns a value as it is shown to a model, of about the given tokens (0: as
	// configured), and notices about the parts that are left out. It keeps the whole value
	// where RunOutput or Kept finds it.
	Shorten func(runID string, value json.RawMessage, tokens int) (short json.RawMessage, notices []string)
	// KeepOutput keeps the whole console output of a run in the same place.
	KeepOutput func(runID string, text []byte) error
	// Kept reads what Shorten and KeepOutput have kept in this process.
	Kept func(runID string, q toolscript.OutputQuery) ([]byte, error)
	// Error returns the text of a failed run, as the command line prints it.
	Error func(*toolscript.RunError) string
	// Diagnostic returns the text of a finding of the type checker.
	Diagnostic func(*toolscript.Diagnostic) string
	// Shown records what a model reads: the result of a tool, or the definitions of the
	// tools as Definitions. runID is "" if there is no run.
	Shown func(tool, runID string, text []byte)
}

// Definitions is the name under which Shown gets the definitions of the tools.
const Definitions = "tools/list"

const instructions = "Calls tools of many MCP servers with TypeScript. " +
	"First search_tools with what you need, then describe_tools for the types, then run_script: " +
	"one script can make many calls, and only what it returns reaches you."

// queueSize is the number of requests that wait. mcp-go answers further requests on
// the goroutine that reads, which would delay cancellations.
const queueSize = 10_000

// entrance serves the tools.
type entrance struct {
	Options
	server *server.MCPServer
	paused paused
	web    bool // there may be several clients, each with a session of its own
}

// sessionOf is whose values in the store a request is about; "" is that of the gateway, also
// for clients of MCP 2026-07-28 over HTTP, which have no session.
func (e *entrance) sessionOf(ctx context.Context) string {
	if !e.web {
		return e.Session
	}
	if session := server.ClientSessionFromContext(ctx); session != nil {
		return session.SessionID()
	}
	return ""
}

// sessionIdle is how long the state of a client over HTTP is kept after its last request.
const sessionIdle = time.Hour

// Serve speaks MCP on in and out until in ends. It returns the error of ctx when ctx
// ends first. mcp-go keeps one stdio session per process, so Serve runs once at a time.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) error {
	stdio := server.NewStdioServer(newEntrance(options).server)
	server.WithQueueSize(queueSize)(stdio)
	return stdio.Listen(ctx, in, out)
}

// Handler speaks MCP over streamable HTTP, with any number of clients. The caller checks
// who may send a request. stop ends its goroutines.
func Handler(options Options) (h http.Handler, stop func()) {
	e := newEntrance(options)
	e.web = true
	web := server.NewStreamableHTTPServer(e.server, server.WithSessionIdleTTL(sessionIdle), server.WithHTTPContextFunc(withProfile))
	return cancelledByDisconnect{web}, func() { _ = web.Shutdown(context.Background()) } // it has no listener, so it does not wait
}

// cancelledByDisconnect accepts notifications/cancelled of clients that speak MCP
// 2026-07-28. Such a client has closed the response of the request, which cancels it.
// mcp-go refuses the notification of the Go SDK, which has no version in _meta, and the
// SDK then closes its session.
type cancelledByDisconnect struct{ http.Handler }

// ServeHTTP implements http.Handler.
func (h cancelledByDisconnect) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var message struct{ Method string }
		if json.Unmarshal(body, &message) == nil && message.Method == "notifications/cancelled" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	h.Handler.ServeHTTP(w, r)
}

func newEntrance(options Options) *entrance {
	e := &entrance{Options: options}
	e.server = server.NewMCPServer("toolscript", toolscript.Version,
		server.WithTitle("toolscript"), server.WithInstructions(instructions),
		server.WithToolCapabilities(false), server.WithResourceCapabilities(false, false), server.WithElicitation(),
		server.WithRecovery(), server.WithInputSchemaValidation(),
		server.WithToolHandlerMiddleware(e.recordResult), server.WithHooks(e.recordDefinitions()))
	e.server.AddTools(
		server.ServerTool{Tool: searchTool, Handler: handler(e.search)},
		server.ServerTool{Tool: describeTool, Handler: handler(e.describe)},
		server.ServerTool{Tool: runTool, Handler: e.run},
	)
	e.server.AddResourceTemplate(outputTemplate, e.readOutput)
	return e
}

// result is the structured result of a tool. Failed results have isError.
type result interface{ failed() bool }

// handler decodes the arguments of a tool and encodes its result, as structured
// content and as JSON text. An error is a result with isError and one sentence.
func handler[A any, R result](run func(context.Context, mcp.CallToolRequest, A) (R, error)) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args A
		if err := request.BindArguments(&args); err != nil {
			return badArguments(err), nil
		}
		r, err := run(ctx, request, args)
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		answer := mcp.NewToolResultStructuredOnly(r)
		answer.IsError = r.failed()
		return answer, nil
	}
}

func badArguments(err error) *mcp.CallToolResult {
	return mcp.NewToolResultError("the arguments are not valid: " + err.Error())
}
