package execution

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/rawjson"
)

// result is the part of an MCP tools/call result that decides the value for the script.
// Its fields are slices of the answer.
type result struct {
	content    json.RawMessage // the array; nil: none
	blocks     []json.RawMessage
	structured json.RawMessage
	isError    bool
}

// parseResult reads an answer without copying it.
func parseResult(raw json.RawMessage) (r result, err error) {
	if !rawjson.Valid(raw) {
		return r, json.Unmarshal(raw, &struct{}{}) // the error of the decoder
	}
	is := rawjson.Object(raw, func(name string, value json.RawMessage) {
		switch name {
		case "content":
			r.content, r.blocks = value, nil
			if !rawjson.Array(value, func(block json.RawMessage) { r.blocks = append(r.blocks, block) }) {
				if r.content = nil; present(value) {
					err = errors.New("content is not an array")
				}
			}
		case "structuredContent":
			r.structured = value
		case "isError":
			var is bool
			if wrong := json.Unmarshal(value, &is); wrong != nil {
				err = wrong
			}
			r.isError = is
		}
	})
	if !is {
		err = errors.New("it is not an object")
	}
	return r, err
}

// fits reports whether a value satisfies a schema.
type fits func(schema, value json.RawMessage) bool

// value returns the value of a tool's answer for the script: structuredContent; otherwise,
// for a tool with an output schema, its only text if it is JSON that satisfies the
// schema; otherwise the only text, parsed if it is a JSON object or array; otherwise
// the content blocks.
func value(tool toolscript.Tool, raw json.RawMessage, fit fits) (json.RawMessage, *toolscript.ToolError) {
	fail := func(kind toolscript.Kind, message string) *toolscript.ToolError {
		return &toolscript.ToolError{Server: tool.Server, Tool: tool.ID(), Code: kind, Message: message}
	}
	r, err := parseResult(raw)
	if err != nil {
		return nil, fail(toolscript.InvalidResult, fmt.Sprintf("%s returned an invalid tool result: %v", tool.Server, err))
	}
	if r.isError {
		return nil, failedTool(fail(toolscript.ToolFailed, ""), r, len(raw))
	}
	if present(r.structured) {
		return r.structured, nil
	}
	literal, single := singleText(r.blocks)
	if tool.OutputSchema == nil && !single {
		return blocks(r), nil
	}
	if tool.OutputSchema == nil && !mayBeContainer(literal) {
		return asText(literal), nil
	}
	var text []byte
	if single {
		text = rawjson.Unquote(literal)
	}
	switch {
	case tool.OutputSchema != nil:
		if single && rawjson.Valid(text) && fit(tool.OutputSchema, text) {
			return text, nil
		}
		return nil, fail(toolscript.InvalidResult, tool.ID()+" promises structured content but answered without it")
	case rawjson.Valid(text):
		return text, nil
	default:
		return asText(literal), nil
	}
}

// maxFailed is the size of an answer up to which its error has the content blocks.
const maxFailed = 1 << 20

// failedTool completes the error of an answer with isError. For a large answer the error
// has the beginning of the text only.
func failedTool(e *toolscript.ToolError, r result, size int) *toolscript.ToolError {
	if e.Message = textsOf(r.blocks); size > maxFailed {
		e.Message = cut(e.Message)
		return e
	}
	e.Content = r.blocks
	return e
}

// Untyped returns the value for the script of an answer of a tool without an output
// schema. It reports false for other tools and for errors.
func Untyped(tool toolscript.Tool, raw json.RawMessage) (json.RawMessage, bool) {
	if tool.OutputSchema != nil {
		return nil, false
	}
	v, failure := value(tool, raw, nil)
	return v, failure == nil
}

// kindOfResult returns the kind of a result; "" for success.
func kindOfResult(raw json.RawMessage) toolscript.Kind {
	r, err := parseResult(raw)
	if err != nil {
		return toolscript.InvalidResult
	}
	if r.isError {
		return toolscript.ToolFailed
	}
	return ""
}

// FailureOf returns the text of a result with isError, and whether it has isError.
func FailureOf(raw json.RawMessage) (text string, failed bool) {
	if !bytes.Contains(raw, []byte(`"isError"`)) { // most results need not be decoded
		return "", false
	}
	var r struct {
		IsError bool              `json:"isError"`
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(raw, &r) != nil || !r.IsError {
		return "", false
	}
	return textsOf(r.Content), true
}

// hasStructured reports whether an answer may have structuredContent.
func hasStructured(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`"structuredContent"`))
}

func present(v json.RawMessage) bool { return len(v) > 0 && !bytes.Equal(v, []byte("null")) }

// singleText returns the text of an answer with one text block, as a JSON string.
func singleText(content []json.RawMessage) (literal json.RawMessage, ok bool) {
	if len(content) != 1 {
		return nil, false
	}
	return textOf(content[0])
}

func textOf(block json.RawMessage) (literal json.RawMessage, ok bool) {
	isText := false
	rawjson.Object(block, func(name string, value json.RawMessage) {
		switch name {
		case "type":
			isText = string(value) == `"text"` || value[0] == '"' && string(rawjson.Unquote(value)) == "text"
		case "text":
			literal = value
		}
	})
	if !isText || len(literal) == 0 || literal[0] != '"' {
		return nil, false
	}
	return literal, true
}

// asText returns a JSON string with valid UTF-8, unchanged if possible.
func asText(literal json.RawMessage) json.RawMessage {
	if utf8.Valid(literal) {
		return literal
	}
	return quote(string(rawjson.Unquote(literal)))
}

// textsOf joins the text blocks to the message of an error.
func textsOf(content []json.RawMessage) string {
	var texts []string
	for _, block := range content {
		if literal, ok := textOf(block); ok {
			texts = append(texts, string(rawjson.Unquote(literal)))
		}
	}
	if len(texts) == 0 {
		return "the tool reported an error without a text"
	}
	return strings.Join(texts, "\n")
}

// mayBeContainer reports whether the text in a JSON string begins like an object or an
// array. Texts such as "123" and "true" stay texts.
func mayBeContainer(literal json.RawMessage) bool {
	inside := literal[1:]
	for {
		switch {
		case inside[0] == ' ':
			inside = inside[1:]
		case inside[0] == '\\' && strings.IndexByte("tnr", inside[1]) >= 0:
			inside = inside[2:]
		default:
			return inside[0] == '{' || inside[0] == '[' || inside[0] == '\\' && inside[1] == 'u'
		}
	}
}

func quote(text string) json.RawMessage {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return b
}

// blocks returns the JSON array of the content blocks.
func blocks(r result) json.RawMessage {
	if r.content == nil {
		return json.RawMessage("[]")
	}
	return r.content
}

// toolError converts an error of the gateway to the error that a script catches.
func toolError(tool toolscript.Tool, id string, err error) *toolscript.ToolError {
	t := &toolscript.ToolError{Server: tool.Server, Tool: id, Code: toolscript.KindOf(err), Message: err.Error()}
	var e *toolscript.Error
	if errors.As(err, &e) {
		t.RPCCode, t.Details = e.RPCCode, e.Details
		t.Server = cmp.Or(t.Server, e.Server)
	}
	return t
}
