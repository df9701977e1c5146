package execution

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/rawjson"
)

// result is the part of an MCP tools/call result that decides the value for the script.
// Its fields are slices of the answer.
type result struct {
	content    json.RawMessage // the array; nil: none
	blocks     []block
	structured json.RawMessage
	meta       json.RawMessage
	isError    bool
}

// block is a content block.
type block struct {
	whole json.RawMessage
	text  json.RawMessage // of a text block: its text, a JSON string; otherwise nil
}

// parseResult reads an answer in one pass, without copying it.
func parseResult(raw json.RawMessage) (r result, err error) {
	is := false
	syntax := rawjson.Read(raw, func(in *rawjson.Reader) {
		is = in.Object(func(name string) {
			switch name {
			case "content":
				r.content, r.blocks = nil, nil
				list := false
				content := in.Text(func() {
					list = in.Array(func() { r.blocks = append(r.blocks, readBlock(in)) })
				})
				if list {
					r.content = content
				} else if present(content) {
					err = errors.New("content is not an array")
				}
			case "structuredContent":
				r.structured = in.Value()
			case "_meta":
				r.meta = in.Value()
			case "isError":
				var is bool
				if wrong := json.Unmarshal(in.Value(), &is); wrong != nil {
					err = wrong
				}
				r.isError = is
			}
		})
	})
	switch {
	case syntax != nil:
		return r, json.Unmarshal(raw, &struct{}{}) // describes the error better
	case !is:
		return r, errors.New("it is not an object")
	}
	return r, err
}

func readBlock(in *rawjson.Reader) (b block) {
	isText := false
	b.whole = in.Text(func() {
		in.Object(func(name string) {
			switch name {
			case "type":
				kind := in.Value()
				isText = string(kind) == `"text"` || len(kind) > 0 && kind[0] == '"' && string(rawjson.Unquote(kind)) == "text"
			case "text":
				b.text = in.Value()
			}
		})
	})
	if !isText || len(b.text) == 0 || b.text[0] != '"' {
		b.text = nil
	}
	return b
}

// fits reports whether a value satisfies a schema.
type fits func(schema, value json.RawMessage) bool

// value returns the value of a tool's answer for the script: structuredContent, also null if
// it is alone and fits the schema; otherwise,
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
	if r.structured != nil && len(r.blocks) == 0 && (tool.OutputSchema == nil || fit(tool.OutputSchema, r.structured)) {
		return r.structured, nil // null, which is the result
	}
	var literal json.RawMessage
	if len(r.blocks) == 1 {
		literal = r.blocks[0].text
	}
	single := literal != nil
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
	r.about(toolscript.StatusKey, &e.Status)
	if e.Message = textsOf(r.blocks); size > maxFailed {
		e.Message = cut(e.Message)
		return e
	}
	for _, b := range r.blocks {
		e.Content = append(e.Content, b.whole)
	}
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
	r, err := parseResult(raw)
	if err != nil || !r.isError {
		return "", false
	}
	return textsOf(r.blocks), true
}

// hasStructured reports whether an answer may have structuredContent.
func hasStructured(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`"structuredContent"`))
}

func present(v json.RawMessage) bool { return len(v) > 0 && !bytes.Equal(v, []byte("null")) }

// asText returns a JSON string with valid UTF-8, unchanged if possible.
func asText(literal json.RawMessage) json.RawMessage {
	if utf8.Valid(literal) {
		return literal
	}
	return quote(string(rawjson.Unquote(literal)))
}

// textsOf joins the text blocks to the message of an error.
func textsOf(content []block) string {
	var texts []string
	for _, b := range content {
		if b.text != nil {
			texts = append(texts, string(rawjson.Unquote(b.text)))
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
		t.RPCCode, t.Details, t.RetryMs = e.RPCCode, e.Details, int64((e.RetryAfter+time.Millisecond-1)/time.Millisecond)
		t.Server = cmp.Or(t.Server, e.Server)
	}
	return t
}
