// Package harness carries out the answers of models: it runs the scripts between
// <tool-calls> and </tool-calls>, makes the structured calls, and returns the items to
// append to the conversation. Scripts and structured calls use the same tools.
//
// Package answer reads the answer and finds the scripts in its text, and a Gateway runs
// them. No script is parsed or run in this process. See docs/design/scripts.md.
package harness

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/internal/naming"
)

// Gateway runs scripts and calls tools. *actors.System implements it.
type Gateway interface {
	// Exec runs a script to its end and emits its events in order. It returns an error
	// only if the run could not be started.
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// CallTool makes a call and returns the whole MCP result, even if it has isError.
	CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error)
	// PendingApproval returns a call that waits for a person, with its complete arguments.
	PendingApproval(ctx context.Context, id string) (toolscript.Approval, error)
	// AnswerApproval answers a pending approval. approver reports that the answer comes
	// from a person, so that it needs no code.
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer, approver bool) error
	// Await waits until no server that f selects is connecting, or until ctx ends.
	Await(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string)
	// Catalog returns the current tools, and Names their names in scripts.
	Catalog() toolscript.Catalog
	Names() *naming.Names
}

// Mode says how scripts are treated.
type Mode string

// The modes.
const (
	Disabled Mode = "disabled" // scripts are text; structured calls are made
	DryRun   Mode = "dry-run"  // scripts are parsed and type-checked; no tool is called
	Enabled  Mode = "enabled"
)

// ParseMode parses a mode. "" means Enabled.
func ParseMode(name string) (Mode, error) {
	switch mode := Mode(name); mode {
	case "":
		return Enabled, nil
	case Disabled, DryRun, Enabled:
		return mode, nil
	}
	return "", fmt.Errorf("%.50q is no mode: use %s, %s or %s", name, Disabled, DryRun, Enabled)
}

// Limits are the limits of one script. They do not depend on the limits of the gateway.
var Limits = toolscript.Limits{
	TimeoutMs: 30_000, MemoryMB: 96, StackKB: 512, ToolCalls: 32, Concurrency: 4,
	SourceBytes: 20 << 10, ValueBytes: 128 << 10,
}

// Options configure how an answer is processed.
type Options struct {
	Mode    Mode              // "" means Enabled
	Plan    bool              // call only tools that read, and list the other calls
	Cwd     string            // working directory that scripts see, also as context.workingDir
	Record  bool              // keep the inputs of each script for toolscript runs replay; a gateway in this process keeps nothing
	Allow   toolscript.Filter // tools that may be called; nil means all
	Profile string            // name of the profile that has narrowed Allow, for the records of the runs

	// ToolPack and AllowedTools narrow Allow to the tools of the pack and of the list,
	// together. An entry of the list is a tool id, a server, or the name of a built-in
	// tool or of a tool of a Registry. If ToolPack is "" and AllowedTools nil, Allow is
	// not narrowed. Calls of other tools fail.
	ToolPack     string
	AllowedTools []string
	Packs        toolscript.ToolPacks // configured packs, in addition to the standard packs

	// Approve decides about calls that need an approval. It may block, runs in its own
	// goroutine, and stands for a person: neither the answer of a model nor the result
	// of a tool may decide for it. ctx ends when the request has expired or the call
	// has ended. If Approve is nil, requests are answered elsewhere, or expire.
	Approve func(ctx context.Context, a toolscript.Approval) toolscript.ApprovalAnswer

	// Progress receives the items that are not part of the conversation, in order with
	// the others. If it is nil, the function emit of Process receives them.
	Progress func(Item)

	ConversationID string // value of context.conversationId in scripts
}

// Process runs the scripts and makes the calls of an answer, one after the other in the
// order of the answer. An error of one does not stop the next. Items are passed to emit
// in order, with the progress between them; emit is never called concurrently. An error
// of emit, or the end of ctx, ends Process and the running script.
func Process(ctx context.Context, g Gateway, a answer.Answer, o Options, emit func(Item) error) error {
	p := process{gateway: g, options: o, api: a.API, emit: emit}
	if err := p.narrow(ctx); err != nil {
		return err
	}
	var at answer.Position
	for _, part := range a.Parts {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var err error
		if part.Call != nil {
			err = p.call(ctx, *part.Call)
		} else {
			if !part.Text.Continues {
				at = answer.Position{}
			}
			at, err = p.text(ctx, part.Text.Text, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// process is the state of one call of Process.
type process struct {
	gateway Gateway
	options Options
	api     answer.API
	emit    func(Item) error
}

// text processes a text of the answer that begins at position at of its message. It
// returns the position after the text.
func (p *process) text(ctx context.Context, text string, at answer.Position) (answer.Position, error) {
	d := answer.NewDetector(at)
	pieces := answer.Join(append(d.Write([]byte(text)), d.Close()...))
	if p.options.Mode == Disabled {
		return pieces[len(pieces)-1].End, p.emit(Text{Type: "text", Text: text})
	}
	for _, piece := range pieces {
		at = piece.End
		var err error
		if piece.Kind == answer.PieceText {
			err = p.emit(Text{Type: "text", Text: piece.Raw})
		} else {
			err = p.block(ctx, piece)
		}
		if err != nil {
			return at, err
		}
		if err := context.Cause(ctx); err != nil {
			return at, err
		}
	}
	return at, nil
}
