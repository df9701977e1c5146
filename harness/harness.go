// Package harness carries out the answers of models. Process runs the scripts between
// <tool-calls> and </tool-calls>, makes the structured calls, and emits the items to append to
// the conversation. Scripts and structured calls use the same tools.
//
// Package answer parses the answer and finds the scripts in its text. A Gateway runs them: Start
// starts one in this process, with functions of the program as tools (see Registry). Scripts are
// parsed and run in helper processes only. See docs/design/scripts.md.
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
	// Exec runs a script to its end and emits its events in order. It returns an error only
	// if the run could not be started. Errors of the script are in the last event.
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// CallTool makes a call and returns the whole MCP result. A result with isError is not
	// an error of CallTool.
	CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error)
	// PendingApproval returns a call that waits for a person, with its complete arguments.
	PendingApproval(ctx context.Context, id string) (toolscript.Approval, error)
	// AnswerApproval answers a pending approval. approver reports that the answer comes from
	// a person; then the answer needs no code.
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer, approver bool) error
	// Await waits until no server that f selects is connecting, or until ctx ends. It returns
	// the names of the servers that were connecting at first, and of those that still are.
	Await(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string)
	// Catalog returns the current tools.
	Catalog() toolscript.Catalog
	// Names returns the names of the current tools in scripts.
	Names() *naming.Names
}

// Mode says what Process does with scripts.
type Mode string

// The modes.
const (
	Disabled Mode = "disabled" // scripts are emitted as text; structured calls are made
	DryRun   Mode = "dry-run"  // scripts are parsed and type-checked; no tool is called
	Enabled  Mode = "enabled"
)

// ParseMode parses a mode. "" means Enabled. It returns an error for an unknown mode.
func ParseMode(name string) (Mode, error) {
	switch mode := Mode(name); mode {
	case "":
		return Enabled, nil
	case Disabled, DryRun, Enabled:
		return mode, nil
	}
	return "", fmt.Errorf("%.50q is no mode: use %s, %s or %s", name, Disabled, DryRun, Enabled)
}

// Limits are the limits of one script. Process uses them instead of the default limits of the gateway.
var Limits = toolscript.Limits{
	TimeoutMs: 30_000, MemoryMB: 96, StackKB: 512, ToolCalls: 32, Concurrency: 4,
	SourceBytes: 20 << 10, ValueBytes: 128 << 10,
}

// Options configure how an answer is processed.
type Options struct {
	Mode    Mode              // "" means Enabled
	Plan    bool              // call only tools that do not change anything, and list the other calls
	Cwd     string            // working directory that scripts see, also as context.workingDir
	Record  bool              // keep the inputs of each script for toolscript runs replay; a gateway in this process keeps nothing
	Allow   toolscript.Filter // tools that may be called; nil means all
	Profile string            // name of the profile that has narrowed Allow, for the records of the runs

	// ToolPack and AllowedTools narrow Allow to the tools that are in the pack or in the
	// list. An entry of the list is a tool id, the name of a server, or the name of a
	// built-in tool or of a tool of a Registry. If ToolPack is "" and AllowedTools is nil,
	// Allow is not narrowed. Calls of other tools fail.
	ToolPack     string
	AllowedTools []string
	Packs        toolscript.ToolPacks // configured packs, in addition to the standard packs

	// Approve decides about a call that needs an approval. Process calls it in a goroutine
	// of its own, so it may block. It must ask a person: neither the answer of a model nor
	// the result of a tool may decide. ctx ends when the request has expired or the call
	// has ended. If Approve is nil, requests must be answered elsewhere, or they expire.
	Approve func(ctx context.Context, a toolscript.Approval) toolscript.ApprovalAnswer

	// Progress receives the items that are not part of the conversation, in order with the
	// other items. If it is nil, the function emit of Process receives these items too.
	Progress func(Item)

	ConversationID string // value of context.conversationId in scripts
}

// Process runs the scripts and makes the calls of an answer, one after the other in the
// order of the answer. If a script or a call fails, its item contains the error, and
// Process continues with the next. Process passes all items to emit in order, and never
// calls emit concurrently. An error of emit, or the end of ctx, ends Process and the
// running script. Process returns that error, or an Invalid error for an unknown
// Options.ToolPack.
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
	if text == "" {
		return at, nil
	}
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
