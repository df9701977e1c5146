package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
)

type runArgs struct {
	Code      string   `json:"code"`
	Timeout   float64  `json:"timeout"` // seconds
	Needs     []string `json:"needs"`
	MaxTokens int      `json:"maxTokens"` // 0: the limit of the configuration
	Wait      string   `json:"wait"`      // the run goes on after this time; "": it ends with the request
	Run       string   `json:"run"`       // a run to wait for, instead of Code
	Abort     bool     `json:"abort"`     // end Run
}

type runResult struct {
	OK      bool            `json:"ok"`
	Running bool            `json:"running,omitempty"` // it goes on, and Run waits for it
	Value   json.RawMessage `json:"value,omitempty"`
	Output  string          `json:"output,omitempty"` // stdout and stderr, in order
	Error   *runError       `json:"error,omitempty"`
	Notices []string        `json:"notices,omitempty"` // about parts that are left out
	Run     string          `json:"run,omitempty"`
}

type runError struct {
	Code    toolscript.Kind `json:"code"`
	Message string          `json:"message"` // with the place in the script
}

// run answers run_script. A request with a state continues a run that has asked the
// client for input.
func (e *entrance) run(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if state := request.Params.RequestState; state != "" {
		return e.resume(ctx, request)
	}
	var args runArgs
	if err := request.BindArguments(&args); err != nil {
		return badArguments(err), nil
	}
	waits := args.Wait != "" || args.Run != "" || args.Abort
	if strings.TrimSpace(args.Code) == "" && args.Run == "" && !args.Abort {
		return mcp.NewToolResultError("the script is empty"), nil
	}
	if waits {
		return e.wait(ctx, args, request.Params.Meta)
	}
	s, err := e.begin(ctx, args, request.Params.Meta)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return s.await(ctx)
}

// script is one run. Its fields up to failed belong to the goroutine of the run until
// done is closed.
type script struct {
	*entrance
	runID    string
	output   strings.Builder
	tokens   int // runArgs.MaxTokens
	findings []string
	progress int
	end      *toolscript.End
	failed   error // the run did not start, or its events stopped

	gateway   Gateway
	ctx       context.Context //nolint:containedctx // of the run, which outlives a request that asks for input
	cancel    context.CancelFunc
	token     mcp.ProgressToken
	questions chan question // has room for all questions and forms of a run
	asks      bool          // the client puts questions to a person
	forms     atomic.Int64  // for approvals, which the client was asked to show
	done      chan struct{}
}

// question is an elicitation of an MCP server, or a call that waits for an approval.
type question struct {
	runID string
	toolscript.Question
	approval *request
}

// maxQuestions bounds the questions of one run.
const maxQuestions = 32

// begin starts a run.
func (e *entrance) begin(ctx context.Context, args runArgs, meta *mcp.Meta) (*script, error) {
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return nil, err
	}
	s := &script{entrance: e, gateway: g, tokens: args.MaxTokens, questions: make(chan question, maxQuestions+maxForms), asks: canElicit(ctx), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if meta != nil {
		s.token = meta.ProgressToken
	}
	exec := e.execRequest(ctx, args)
	exec.Ask = s.asks
	go func() {
		defer close(s.done)
		defer release()
		s.failed = g.Exec(s.ctx, exec, s.event)
	}()
	return s, nil
}

func (e *entrance) execRequest(ctx context.Context, args runArgs) toolscript.ExecRequest {
	return toolscript.ExecRequest{
		Code: args.Code, Client: clientOf(ctx), Session: e.sessionOf(ctx), Cwd: e.Cwd, Needs: args.Needs,
		Limits: toolscript.Limits{TimeoutMs: int64(args.Timeout * 1000), Questions: maxQuestions},
	}
}

// event handles one event of the run. Exec calls it in order.
func (s *script) event(e toolscript.Event) error {
	switch e.Type {
	case toolscript.EventStart:
		s.runID = e.RunID
	case toolscript.EventStdout, toolscript.EventStderr:
		s.output.WriteString(e.Data)
	case toolscript.EventDiagnostic:
		s.findings = append(s.findings, strings.TrimRight(s.Diagnostic(e.Diagnostic), "\n"))
	case toolscript.EventCall:
		s.report("calling " + e.Tool)
	case toolscript.EventProgress:
		s.report(e.Message)
	case toolscript.EventAsk:
		s.questions <- question{runID: s.runID, Question: *e.Ask}
	case toolscript.EventApproval:
		if s.asks && e.Approval != nil {
			s.approve(request{Approval: *e.Approval})
		}
	case toolscript.EventEnd:
		s.end = e.End
	default: // the record of the run has them
	}
	return nil
}

// report sends a progress notification if the client has asked for them.
func (s *script) report(message string) {
	if s.token == nil {
		return
	}
	s.progress++
	// A client that does not read its notifications still gets its result.
	_ = s.server.SendNotificationToClient(s.ctx, "notifications/progress", map[string]any{
		"progressToken": s.token, "progress": s.progress, "message": message,
	})
}

// result returns the end of the run as the client sees it.
func (s *script) result() runResult {
	r := runResult{Run: s.runID}
	r.Output, r.Notices = s.console()
	switch {
	case s.failed != nil:
		r.Error = &runError{toolscript.KindOf(s.failed), s.failed.Error()}
		return r
	case s.end == nil:
		r.Error = &runError{toolscript.Internal, "the gateway stopped answering before the script had ended"}
		return r
	}
	r.OK = s.end.OK
	if len(s.end.Value) > 0 {
		var notices []string
		r.Value, notices = s.Shorten(s.runID, s.end.Value, s.tokens)
		r.Notices = append(r.Notices, notices...)
	}
	switch {
	case len(s.findings) > 0 && s.end.Kind == toolscript.CheckFailed:
		r.Error = &runError{s.end.Kind, strings.Join(s.findings, "\n")}
	case s.end.Error != nil:
		r.Error = &runError{s.end.Kind, strings.TrimRight(s.Error(s.end.Error), "\n")}
	case len(s.findings) > 0:
		r.Notices = append(r.Notices, s.findings...)
	}
	return r
}
