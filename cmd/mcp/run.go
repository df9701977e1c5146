package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/texts"
)

type runArgs struct {
	Code      string
	Timeout   float64 // seconds
	Needs     []string
	MaxTokens int    // 0: the configured limit
	Wait      string // time after which the request ends before the run; "": the run ends with the request
	Run       string // id of a run to wait for, instead of Code
	Abort     bool   // end Run
	From      int64  // offset in the stored value of Run from which to read; 0: do not read it
	notes     []string
}

func readRun(ctx context.Context, g *given) (args runArgs, err error) {
	if abort, _ := g.members["abort"].(bool); !g.has("code") && !g.has("run") && !abort {
		g.missing("code", "the script is empty")
	}
	args.notes = g.notes
	return args, g.into(ctx, &args)
}

type runResult struct {
	OK      bool            `json:"ok"`
	Running bool            `json:"running,omitempty"` // the script is running; Run can be used to wait for it
	Value   json.RawMessage `json:"value,omitempty"`
	Rest    string          `json:"rest,omitempty"`   // JSON of the value, from an offset on
	Output  string          `json:"output,omitempty"` // stdout and stderr, in order
	Error   *runError       `json:"error,omitempty"`
	Notices []string        `json:"notices,omitempty"` // notices about omitted parts and arguments
	Run     string          `json:"run,omitempty"`
}

type runError struct {
	Code    toolscript.Kind `json:"code"`
	Message string          `json:"message"`        // with the position in the script
	Sent    toolscript.Sent `json:"sent,omitempty"` // for a call whose error was not caught: whether the server received it
}

// run answers run_script. A request with a state continues a run that has asked the client
// for input.
func (e *entrance) run(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if state := request.Params.RequestState; state != "" {
		return e.resume(ctx, request)
	}
	args, err := readRun(ctx, givenOf(runTool, request))
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	if args.From > 0 {
		return e.rest(ctx, args)
	}
	if args.Wait != "" || args.Run != "" || args.Abort {
		return e.wait(ctx, args, request.Params.Meta)
	}
	s, err := e.begin(ctx, args, request.Params.Meta)
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	return s.await(ctx, request.Params.Meta, patienceOf(ctx, request.Params.Meta))
}

// script is a run in progress.
type script struct {
	*entrance
	tokens int   // runArgs.MaxTokens
	failed error // why the run did not start, or why its events stopped; read after done is closed
	media  []terminal.Medium

	gateway   Gateway
	ctx       context.Context //nolint:containedctx // context of the run, which outlives a request that asks for input
	cancel    context.CancelFunc
	progress  progress
	heard     hearing
	questions chan question // has room for all questions and forms of a run
	asks      bool          // the client can have a person fill in forms
	forms     atomic.Int64  // number of forms for approvals that were sent to the client
	asking    atomic.Int64  // questions that the client is answering
	done      chan struct{}

	mu       sync.Mutex
	runID    string
	output   strings.Builder
	findings []string
	end      *toolscript.End
	notes    []string // notices about answers of the client
}

// note adds a notice to the result.
func (s *script) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, text)
}

// question is an elicitation of an MCP server, or a call that waits for an approval.
type question struct {
	runID string
	toolscript.Question
	approval *request
	refused  string // why the last answer was not accepted
}

// maxQuestions is the maximum number of questions of one run.
const maxQuestions = 32

// begin starts a run.
func (e *entrance) begin(ctx context.Context, args runArgs, meta *mcp.Meta) (*script, error) {
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return nil, err
	}
	forms, pages := canElicit(ctx)
	s := &script{entrance: e, gateway: g, tokens: args.MaxTokens, questions: make(chan question, 2*maxQuestions+maxForms), asks: forms, done: make(chan struct{}), notes: args.notes}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.progress.attach(ctx, meta)
	s.hear(ctx, meta)
	exec := e.execRequest(ctx, args)
	exec.Ask, exec.AskPages = forms, pages
	go func() {
		defer close(s.done)
		defer release()
		s.failed = g.Exec(s.ctx, exec, s.event)
	}()
	return s, nil
}

func (e *entrance) execRequest(ctx context.Context, args runArgs) toolscript.ExecRequest {
	return toolscript.ExecRequest{
		Code:   args.Code,
		Needs:  args.Needs,
		Limits: toolscript.Limits{TimeoutMs: int64(args.Timeout * 1000), Questions: maxQuestions},
		Rules:  toolscript.Rules{Client: clientOf(ctx), Session: e.sessionOf(ctx), Cwd: e.Cwd},
	}
}

// event handles one event of the run. Exec calls it in order.
func (s *script) event(e toolscript.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Type {
	case toolscript.EventStart:
		if s.runID == "" { // a task has set its runID before, and reads it without mu
			s.runID = e.RunID
		}
	case toolscript.EventStdout, toolscript.EventStderr:
		s.output.WriteString(e.Data)
	case toolscript.EventDiagnostic:
		s.findings = append(s.findings, strings.TrimRight(s.Diagnostic(e.Diagnostic), "\n"))
	case toolscript.EventCall:
		s.heard.calls(e.Tool)
		s.progress.report("calling " + e.Tool)
	case toolscript.EventProgress:
		s.progress.report(e.Message)
	case toolscript.EventAsk:
		s.questions <- question{runID: s.runID, Question: *e.Ask}
	case toolscript.EventFinished:
		s.finished(question{runID: s.runID, Question: *e.Ask})
	case toolscript.EventApproval:
		if s.asks && e.Approval != nil {
			s.approve(request{Approval: *e.Approval, runID: s.runID})
		}
	case toolscript.EventEnd:
		s.end = e.End
	default: // the record of the run has the other events
	}
	return nil
}

// result returns the result of the ended run, as the client sees it.
func (s *script) result() runResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := runResult{Run: s.runID}
	r.Output, r.Notices = s.console()
	r.Notices = append(r.Notices, s.notes...)
	switch {
	case s.failed != nil:
		r.Error = &runError{Code: toolscript.KindOf(s.failed), Message: s.failed.Error()}
		return r
	case s.end == nil:
		r.Error = &runError{Code: toolscript.Internal, Message: "the gateway stopped answering before the script had ended"}
		return r
	}
	r.OK = s.end.OK
	if len(s.end.Value) > 0 {
		var notices []string
		r.Value, notices = s.Shorten(s.runID, s.end.Value, s.tokens)
		r.Notices = append(r.Notices, notices...)
		r.Notices = append(r.Notices, s.show(s.end.Value)...)
	}
	r.Notices = append(r.Notices, s.end.Notices...)
	if text := s.end.UnfinishedText(); text != "" {
		r.Notices = append(r.Notices, text)
	}
	switch {
	case s.end.Error.Diagnosed():
		r.Error = &runError{Code: s.end.Kind, Message: strings.Join(s.findings, "\n")}
	case s.end.Error != nil:
		text := strings.TrimRight(s.Error(s.end.Error), "\n")
		if made := s.end.MadeText(s.runID); made != "" {
			text += "\n" + made
		}
		r.Error = &runError{s.end.Kind, text, s.end.Error.Sent}
	case len(s.findings) > 0:
		r.Notices = append(r.Notices, s.findings...)
	}
	return r
}

// handleKey is the member of _meta of a content block that holds the handle of its data.
const handleKey = "toolscript/handle"

// show keeps the images and sounds of a value for the result, in which they become content blocks after the text.
func (s *script) show(v json.RawMessage) (notices []string) {
	var left int
	if s.media, left = s.Media(s.runID, v); left > 0 {
		notices = append(notices, fmt.Sprintf("%d images or sounds of the value are not shown, because of limits.mediaBlocks and limits.mediaBytes; return fewer or smaller ones", left))
	}
	return notices
}

func contentOf(m terminal.Medium) mcp.Content {
	meta := mcp.NewMetaFromMap(map[string]any{handleKey: m.Handle})
	if m.Kind == mcp.ContentTypeAudio {
		return mcp.AudioContent{Meta: meta, Type: m.Kind, Data: m.Data, MIMEType: m.MimeType}
	}
	return mcp.ImageContent{Meta: meta, Type: m.Kind, Data: m.Data, MIMEType: m.MimeType}
}

// maxOutput is the maximum length of console output in a result without maxTokens, in bytes.
const maxOutput = 16 << 10

// bytesPerToken is the estimated length of a token of console output.
const bytesPerToken = 4

// console returns the console output of the run as the client sees it, and a notice that
// says where the rest is.
func (s *script) console() (shown string, notices []string) {
	whole, most := s.output.String(), maxOutput
	if s.tokens > 0 {
		most = min(most, s.tokens*bytesPerToken)
	}
	if s.end != nil && s.end.Kept != nil && s.end.Kept.OutputBytes > 0 {
		// The gateway stores only what exceeds its own limit, and stores one text per run.
		return middle(whole, most), []string{"more console output: read resource " + outputURI(s.runID, "output")}
	}
	if len(whole) <= most {
		return whole, nil
	}
	notice := fmt.Sprintf("the console output is %d bytes and its middle is left out. Print less, or read resource %s?range=0-%d",
		len(whole), outputURI(s.runID, "output"), most-1)
	if err := s.KeepOutput(s.runID, []byte(whole)); err != nil {
		notice = fmt.Sprintf("the console output is %d bytes, and its middle is lost, because it cannot be stored: %v", len(whole), err)
	}
	return middle(whole, most), []string{notice}
}

// middle shortens output to about most bytes by removing its middle: whole lines, or whole
// characters of lines that are too long.
func middle(output string, most int) string {
	if len(output) <= most {
		return output
	}
	head, tail := len(texts.Cut(output, most/2)), len(output)-len(texts.End(output, most/2))
	if end := strings.LastIndexByte(output[:head], '\n'); end >= 0 {
		head = end
	}
	if start := strings.IndexByte(output[tail:], '\n'); start >= 0 && tail+start+1 < len(output) {
		tail += start + 1
	}
	return fmt.Sprintf("%s\n… [%d bytes are left out] …\n%s", output[:head], tail-head, output[tail:])
}
