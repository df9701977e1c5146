package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/transport/upstream"
)

// call makes a structured call and emits its output. If the call fails, the output is the error.
func (p *process) call(ctx context.Context, c answer.Call) error {
	text, err := p.made(ctx, c)
	if ended := context.Cause(ctx); ended != nil {
		return ended
	}
	if err != nil {
		text = "error: " + err.Error()
	}
	switch p.api {
	case answer.Chat:
		return p.emit(ToolMessage{Type: "tool", Role: "tool", ToolCallID: c.ID, Content: text})
	case answer.Messages:
		return p.emit(ToolResult{Type: "tool_result", ToolUseID: c.ID, Content: text, IsError: err != nil})
	default:
		return p.emit(FunctionCallOutput{Type: "function_call_output", CallID: c.ID, Output: text})
	}
}

// made makes a call and returns its result as text.
func (p *process) made(ctx context.Context, c answer.Call) (string, error) {
	if c.Problem != "" {
		return "", errors.New(c.Problem)
	}
	id, err := p.toolID(ctx, c.Name)
	switch {
	case err != nil:
		return "", err
	case p.options.Mode == DryRun:
		return "dry run: " + id + " was not called", nil
	case p.options.Plan && !p.readsOnly(id):
		return "plan: " + id + " was not called", nil
	}
	var failed error
	raw, err := p.gateway.CallTool(upstream.WithAllow(ctx, p.options.Allow), toolscript.Call{
		ID: id, Args: c.Args, Wait: toolscript.ConnectWait, CallID: c.ID,
		Waiting: func() (asked func(toolscript.Approval), resume func(bool)) {
			stop := func() {}
			asked = func(a toolscript.Approval) { stop, failed = p.waits(ctx, "", c.ID, a) }
			return asked, func(bool) { stop() }
		},
	})
	if failed != nil {
		return "", failed
	}
	if err != nil {
		return "", err
	}
	return resultText(raw)
}

// toolID returns the id of the tool that a structured call names. If no tool has the name, toolID
// waits for servers that are connecting, because one of them may have the tool, and tries again.
func (p *process) toolID(ctx context.Context, name string) (string, error) {
	id, known, err := p.lookUp(name)
	if err == nil && !known && !strings.Contains(id, toolscript.Separator) {
		waiting, cancel := context.WithTimeout(ctx, toolscript.ConnectWait)
		p.gateway.Await(waiting, p.options.Allow)
		cancel()
		id, known, err = p.lookUp(name)
	}
	if err == nil && !known && !p.options.Allow.Covers(id) {
		err = noTool(name)
	}
	return id, err
}

func noTool(name string) error { return fmt.Errorf("there is no tool %s", name) }

// lookUp finds a tool by its id, by its name in scripts, or by the last part of one of
// them if that is unique among the tools that may be called.
func (p *process) lookUp(name string) (id string, known bool, err error) {
	names, catalog := p.gateway.Names(), p.gateway.Catalog()
	id = names.Resolve(name)
	if tool, known := catalog.Lookup(id); known {
		if !p.options.Allow.Match(tool) {
			return id, known, noTool(name)
		}
		return id, known, nil
	}
	var same []string
	for other, tool := range catalog.Filter(p.options.Allow).OneAccount().All() {
		if tool.Name == name || strings.HasSuffix(names.Call(tool), "."+name) {
			same = append(same, other)
		}
	}
	switch len(same) {
	case 0:
		return id, false, nil
	case 1:
		return same[0], true, nil
	}
	return "", false, fmt.Errorf("several tools are called %s: use one of %s", name, strings.Join(same, ", "))
}

func (p *process) readsOnly(id string) bool {
	tool, known := p.gateway.Catalog().Lookup(id)
	return known && tool.Annotations.ReadOnly != nil && *tool.Annotations.ReadOnly
}

// resultText returns an MCP result as text: structuredContent, or otherwise the text
// blocks and other blocks as JSON. For a result with isError it returns an error.
func resultText(raw json.RawMessage) (string, error) {
	var result struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		IsError           bool              `json:"isError"`
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return "", fmt.Errorf("the result is not one of MCP: %w", err)
	}
	var parts []string
	for _, block := range result.Content {
		var text struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(block, &text) == nil && text.Type == "text" {
			parts = append(parts, text.Text)
		} else {
			parts = append(parts, string(block))
		}
	}
	text := strings.Join(parts, "\n")
	switch {
	case result.IsError:
		return "", errors.New(text)
	case len(result.StructuredContent) > 0 && string(result.StructuredContent) != "null":
		return string(result.StructuredContent), nil
	}
	return text, nil
}
