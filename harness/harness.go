// Package harness makes what the answer of a model asks for: it runs the scripts
// between <tool-calls> and </tool-calls>, makes the structured calls, and returns the
// items to append to the conversation. Scripts and structured calls use the same tools.
//
// Package answer reads the answer, package detect finds the scripts in its text, and a
// Gateway runs them. No script is parsed or run in this process.
package harness

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/harness/detect"
	"github.com/toolscript/toolscript/naming"
)

// Gateway runs scripts and calls tools. *actors.System is one.
type Gateway interface {
	// Exec runs a script to its end and emits its events in order. It fails only if
	// the run could not begin.
	Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error
	// CallTool makes one call and returns the whole MCP result, also if it has isError.
	CallTool(ctx context.Context, call toolscript.Call) (json.RawMessage, error)
	// PendingApproval is a call that waits for a person, with all of its arguments.
	PendingApproval(ctx context.Context, id string) (toolscript.Approval, error)
	// AnswerApproval answers such a call. approver: the answer comes
	// from a person, so that it needs no code.
	AnswerApproval(ctx context.Context, id string, answer toolscript.ApprovalAnswer, approver bool) error
	// Await waits until no server that f selects is connecting, or until ctx ends.
	Await(ctx context.Context, f toolscript.Filter) (waitedFor, pending []string)
	// Catalog and Names are the current tools and their names in scripts.
	Catalog() toolscript.Catalog
	Names() *naming.Names
}

// Mode says what happens with scripts.
type Mode string

// The modes. In a dry run no tool is called.
const (
	Disabled Mode = "disabled" // scripts are text; structured calls are made
	DryRun   Mode = "dry-run"  // scripts are parsed and their types are checked
	Enabled  Mode = "enabled"
)

// ParseMode reads a mode. "" is Enabled.
func ParseMode(name string) (Mode, error) {
	switch mode := Mode(name); mode {
	case "":
		return Enabled, nil
	case Disabled, DryRun, Enabled:
		return mode, nil
	}
	return "", fmt.Errorf("%.50q is no mode: use %s, %s or %s", name, Disabled, DryRun, Enabled)
}

// Limits bound one script. They do not grow with the limits of the gateway.
var Limits = toolscript.Limits{
	TimeoutMs: 30_000, MemoryMB: 96, StackKB: 512, ToolCalls: 32, Concurrency: 4,
	SourceBytes: 20 << 10, ValueBytes: 128 << 10,
}

// Options say how an answer is processed.
type Options struct {
	Mode    Mode              // "": Enabled
	Plan    bool              // only tools that read are called; other calls are listed
	Cwd     string            // what scripts see as their working directory and context.workingDir
	Record  bool              // keep what each script was given, for toolscript runs replay; a gateway in this process keeps nothing
	Allow   toolscript.Filter // servers and ids of the tools that may be called; nil: all
	Profile string            // that has narrowed Allow, for the records of the runs

	// ToolPack and AllowedTools narrow Allow to the tools of a pack and those of a list,
	// together. An entry of the list is a tool id, a server, or the name of a built-in tool or
	// of a tool of a Registry. "" and nil: all. Calls of other
	// tools are refused.
	ToolPack     string
	AllowedTools []string
	Packs        toolscript.ToolPacks // in addition to the standard packs

	// Approve decides about calls that have to be approved. It may block, is called in
	// goroutines of its own, and stands for a person: no answer of a model or result of a
	// tool may decide for it. ctx ends when the request has expired or the call has
	// ended. Nil: requests are answered elsewhere, or expire.
	Approve func(ctx context.Context, a toolscript.Approval) toolscript.ApprovalAnswer

	// Progress receives the items that are no part of the conversation, in their place
	// among the others. Nil: the function of Process receives them.
	Progress func(Item)

	ConversationID string // what scripts see as context.conversationId
}

// Process makes what an answer asks for: its scripts and calls, one after the other in
// the order of the answer. An error in one does not stop the next. emit receives the
// items in order, and the progress between them; it is never called concurrently. An
// error of emit, or the end of ctx, ends Process and the script that runs.
func Process(ctx context.Context, g Gateway, a answer.Answer, o Options, emit func(Item) error) error {
	p := process{gateway: g, options: o, api: a.API, emit: emit}
	if err := p.narrow(ctx); err != nil {
		return err
	}
	var at detect.Position
	for _, part := range a.Parts {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var err error
		if part.Call != nil {
			err = p.call(ctx, *part.Call)
		} else {
			if !part.Text.Continues {
				at = detect.Position{}
			}
			at, err = p.text(ctx, part.Text.Text, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// process is one Process.
type process struct {
	gateway Gateway
	options Options
	api     answer.API
	emit    func(Item) error
}

// text processes a text of the answer that begins at a place of its message, and
// returns its end.
func (p *process) text(ctx context.Context, text string, at detect.Position) (detect.Position, error) {
	d := detect.New(at)
	pieces := detect.Join(append(d.Write([]byte(text)), d.Close()...))
	if p.options.Mode == Disabled {
		return pieces[len(pieces)-1].End, p.emit(Text{Type: "text", Text: text})
	}
	for _, piece := range pieces {
		at = piece.End
		var err error
		if piece.Kind == detect.Text {
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
