package execution

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// result is the part of an MCP tools/call result that decides what a script sees.
type result struct {
	Content           []json.RawMessage `json:"content"`
	StructuredContent json.RawMessage   `json:"structuredContent"`
	IsError           bool              `json:"isError"`
}

// fits reports whether a value satisfies a schema.
type fits func(schema, value json.RawMessage) bool

// value is what a script gets from a tool's answer: structuredContent when
// there is one; else, of a tool with an output schema, its single text if that
// is JSON of the promised shape; else, of any other tool, the single text,
// parsed when it is a JSON object or array; else the content blocks.
func value(tool toolscript.Tool, raw json.RawMessage, fit fits) (json.RawMessage, *toolscript.ToolError) {
	fail := func(kind toolscript.Kind, message string) *toolscript.ToolError {
		return &toolscript.ToolError{Server: tool.Server, Tool: tool.ID(), Code: kind, Message: message}
	}
	var r result
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fail(toolscript.InvalidResult, fmt.Sprintf("%s answered with something that is no tool result: %v", tool.Server, err))
	}
	text, single := singleText(r.Content)
	if r.IsError {
		e := fail(toolscript.ToolFailed, textsOf(r.Content))
		e.Content = r.Content
		return nil, e
	}
	switch {
	case present(r.StructuredContent):
		return r.StructuredContent, nil
	case tool.OutputSchema != nil:
		if single && json.Valid([]byte(text)) && fit(tool.OutputSchema, json.RawMessage(text)) {
			return json.RawMessage(text), nil
		}
		return nil, fail(toolscript.InvalidResult, tool.ID()+" promises structured content but answered without it")
	case single && isObjectOrArray(text):
		return json.RawMessage(text), nil
	case single:
		return quote(text), nil
	default:
		return blocks(r.Content), nil
	}
}

// Untyped is what a script gets from the answer of a tool without an output
// schema. It is false of other tools, and of answers that are errors.
func Untyped(tool toolscript.Tool, raw json.RawMessage) (json.RawMessage, bool) {
	if tool.OutputSchema != nil {
		return nil, false
	}
	v, failure := value(tool, raw, nil)
	return v, failure == nil
}

// kindOfResult is the kind of a call that was answered with a result.
func kindOfResult(raw json.RawMessage) toolscript.Kind {
	var r struct {
		IsError bool `json:"isError"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return toolscript.InvalidResult
	}
	if r.IsError {
		return toolscript.ToolFailed
	}
	return ""
}

func present(v json.RawMessage) bool { return len(v) > 0 && !bytes.Equal(v, []byte("null")) }

// singleText is the text of an answer that is one text block.
func singleText(content []json.RawMessage) (string, bool) {
	if len(content) != 1 {
		return "", false
	}
	return textOf(content[0])
}

func textOf(block json.RawMessage) (string, bool) {
	var b struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if json.Unmarshal(block, &b) != nil || b.Type != "text" || b.Text == nil {
		return "", false
	}
	return *b.Text, true
}

// textsOf joins the text blocks: the message of an isError answer.
func textsOf(content []json.RawMessage) string {
	var texts []string
	for _, block := range content {
		if text, ok := textOf(block); ok {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "the tool reported an error without a text"
	}
	return strings.Join(texts, "\n")
}

// isObjectOrArray leaves "123" and "true" alone: a text that happens to look
// like a number stays a text.
func isObjectOrArray(text string) bool {
	t := strings.TrimLeft(text, " \t\r\n")
	return t != "" && (t[0] == '{' || t[0] == '[') && json.Valid([]byte(t))
}

func quote(text string) json.RawMessage {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return b
}

// blocks is the JSON array of the content blocks, each as the server sent it.
func blocks(content []json.RawMessage) json.RawMessage {
	items := make([][]byte, len(content))
	for i, block := range content {
		items[i] = block
	}
	return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
}

// toolError is what a script catches for an error of the gateway.
func toolError(tool toolscript.Tool, id string, err error) *toolscript.ToolError {
	t := &toolscript.ToolError{Server: tool.Server, Tool: id, Code: toolscript.KindOf(err), Message: err.Error()}
	var e *toolscript.Error
	if errors.As(err, &e) {
		t.RPCCode, t.Details = e.RPCCode, e.Details
		t.Server = cmp.Or(t.Server, e.Server)
	}
	return t
}
