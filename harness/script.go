package harness

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/internal/texts"
)

// block processes a script block of a text.
func (p *process) block(ctx context.Context, piece answer.Piece) error {
	id := newScriptID()
	call := ScriptToolCall{Type: "ScriptToolCall", ScriptID: id, SourceCode: piece.Code, Start: piece.Start, End: piece.End}
	if piece.Kind == answer.PieceMalformed {
		call.SourceCode = piece.Raw
	}
	if err := p.emit(call); err != nil {
		return err
	}
	r := &scriptRun{process: p, id: id, start: piece.CodeStart, out: ScriptToolCallOutput{
		Type: "ScriptToolCallOutput", ScriptID: id, DryRun: p.options.Mode == DryRun, ToolCalls: []ToolCallResult{},
	}}
	if piece.Kind == answer.PieceMalformed {
		r.out.Error = unreadable(id, piece.At, piece.Problem)
	} else if err := r.do(ctx, piece.Code); err != nil {
		return err
	}
	return p.emit(r.out)
}

func newScriptID() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // crypto/rand never returns an error
	return "scr_" + hex.EncodeToString(b)
}

// scriptRun is the state of one script.
type scriptRun struct {
	*process
	id       string
	start    answer.Position // position of the code
	out      ScriptToolCallOutput
	console  strings.Builder
	cut      int // number of bytes of console output left out
	findings []toolscript.Diagnostic
	ended    bool
	failed   error // error of emit

	ctx    context.Context   //nolint:containedctx // context of one Process
	asking map[string]func() // by call id: function that withdraws the request for approval
}

// request returns the request for a script of an answer.
func request(code, scriptID string, o Options) toolscript.ExecRequest {
	return toolscript.ExecRequest{
		Code:           code,
		File:           file,
		Dialect:        toolscript.DialectHarness,
		Narrowed:       true,
		Limits:         Limits,
		CheckOnly:      o.Mode == DryRun,
		Record:         o.Record,
		ConversationID: o.ConversationID,
		ScriptID:       scriptID,
		Rules: toolscript.Rules{
			Client:  "toolscript harness",
			Check:   toolscript.CheckError,
			Engine:  toolscript.EngineQuickJS,
			Cwd:     o.Cwd,
			Allow:   o.Allow,
			Profile: o.Profile,
			Plan:    o.Plan,
		},
	}
}

// do runs the script and emits its output. It returns the error of emit or of ctx. Errors of the
// script are in the output.
func (r *scriptRun) do(ctx context.Context, code string) error {
	if !utf8.ValidString(code) { // JSON would replace invalid bytes
		r.ended = true
		r.out.Error = unreadable(r.id, r.start, "the script is not UTF-8 text")
		return nil
	}
	r.ctx, r.asking = ctx, map[string]func(){}
	defer r.stopAsking()
	err := r.gateway.Exec(ctx, request(code, r.id, r.options), r.event)
	switch {
	case r.failed != nil:
		return r.failed
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case err != nil || !r.ended:
		if err == nil {
			err = errors.New("the run stopped without its last event")
		}
		r.out.Error = scriptError(toolscript.RunErrorOf(err, r.id), toolscript.KindOf(err), r.id, r.start)
	}
	r.out.Console = r.console.String()
	if r.cut > 0 {
		r.out.Notices = append(r.out.Notices, fmt.Sprintf("warning: console output was cut at %d bytes: about %d more are left out", maxConsole, r.cut))
	}
	return nil
}

// maxConsole is the maximum size of the console output of an item, in bytes.
const maxConsole = 16 << 10

// event handles one event of the run.
func (r *scriptRun) event(e toolscript.Event) error {
	switch e.Type {
	case toolscript.EventStart:
		r.out.RunID = e.RunID
	case toolscript.EventStdout, toolscript.EventStderr:
		r.write(e.Data)
	case toolscript.EventDiagnostic:
		r.findings = append(r.findings, finding(*e.Diagnostic, r.start))
	case toolscript.EventProgress:
		if e.CallID == "" {
			r.out.Notices = append(r.out.Notices, inMessage(e.Message, r.start))
		}
	case toolscript.EventReport:
		r.failed = r.progress(OutputTextDelta{Type: "OutputTextDelta", ScriptID: r.id, Delta: e.Message})
	case toolscript.EventCall:
		r.failed = r.progress(ToolCallStart{Type: "ToolCallStart", ScriptID: r.id, CallID: e.CallID, Tool: e.Tool})
	case toolscript.EventApproval:
		r.failed = r.asks(e)
	case toolscript.EventCallEnd:
		r.failed = r.called(e)
	case toolscript.EventEnd:
		r.end(e)
	default:
	}
	return r.failed
}

// write appends console output, up to maxConsole bytes in total. It cuts only between runes.
func (r *scriptRun) write(text string) {
	room := maxConsole - r.console.Len()
	if len(text) > room {
		r.cut += len(text) - room
		text = texts.Cut(text, room)
	}
	r.console.WriteString(text)
}

// asks asks a person about a call that waits for an approval. If the tool changes meanwhile, the
// gateway asks again about the same call; asks then ends the earlier request.
func (r *scriptRun) asks(e toolscript.Event) error {
	r.endRequest(e.CallID)
	stop, err := r.waits(r.ctx, r.id, e.CallID, *e.Approval)
	r.asking[e.CallID] = stop
	return err
}

func (r *scriptRun) endRequest(callID string) {
	if stop := r.asking[callID]; stop != nil {
		stop()
		delete(r.asking, callID)
	}
}

func (r *scriptRun) stopAsking() {
	for callID := range r.asking {
		r.endRequest(callID)
	}
}

func (r *scriptRun) called(e toolscript.Event) error {
	r.endRequest(e.CallID)
	ok := e.OK != nil && *e.OK
	r.out.ToolCalls = append(r.out.ToolCalls, ToolCallResult{
		CallID: e.CallID, Tool: e.Tool, Args: e.Args, OK: ok, Result: e.Result, Error: e.Failure, Ms: e.Ms,
	})
	return r.progress(ToolCallEnd{Type: "ToolCallEnd", ScriptID: r.id, CallID: e.CallID, Tool: e.Tool, OK: ok, Ms: e.Ms})
}

// end records how the run ended.
func (r *scriptRun) end(e toolscript.Event) {
	r.ended = true
	if e.End == nil {
		return
	}
	r.out.OK = e.OK != nil && *e.OK
	r.out.Value, r.out.Script, r.out.Plan = e.Value, e.Script, e.Plan
	if m := e.Metrics; m != nil {
		compiled := slices.Contains(m.Cached, "compiled")
		r.out.Metrics = &Metrics{
			DurationMs: m.DurationMs, ToolCallsMade: m.ToolCalls, MemoryUsedMB: m.MemoryMB,
			CacheHit: compiled && slices.Contains(m.Cached, "checked"), CompilationCacheHit: compiled,
		}
	}
	if e.Error != nil {
		r.out.Error = scriptError(e.Error, e.Kind, r.id, r.start)
		r.out.Error.Findings = r.findings
	}
	for _, d := range e.Detached {
		if d.Task {
			r.out.Detached = append(r.out.Detached, d)
		}
	}
}
