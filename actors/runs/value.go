package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rawjson"
)

// result is the part of an MCP tools/call result that decides the value for the script.
// Its fields are slices of the answer.
type result struct {
	content    json.RawMessage // the content array; nil if it is missing
	blocks     []block
	structured json.RawMessage
	meta       json.RawMessage
	isError    bool
}

// block is a content block.
type block struct {
	whole json.RawMessage
	text  json.RawMessage // text of a text block, a JSON string; nil for other blocks
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

// outcome is the value of a tool's answer for the script.
type outcome struct {
	value   json.RawMessage
	content json.RawMessage // the content blocks, if they have more than the value; otherwise nil
	broken  bool            // the answer does not satisfy the output schema of the tool
}

// value returns the value of a tool's answer: its structuredContent; without that, for a tool
// with an output schema, its only text if the text is JSON that satisfies the schema; otherwise
// the result of content. A structuredContent of null or an empty object counts only if the
// answer has no content blocks, or if it satisfies the output schema.
func value(tool toolscript.Tool, raw json.RawMessage, fit fits) (outcome, *toolscript.ToolError) {
	fail := func(kind toolscript.Kind, message string) *toolscript.ToolError {
		return &toolscript.ToolError{Server: tool.Server, Tool: tool.ID(), Code: kind, Message: message, Sent: toolscript.SentYes}
	}
	r, err := parseResult(raw)
	if err != nil {
		return outcome{}, fail(toolscript.InvalidResult, fmt.Sprintf("%s returned an invalid tool result: %v", tool.Server, err))
	}
	if r.isError {
		return outcome{}, failedTool(fail(toolscript.ToolFailed, ""), r, len(raw))
	}
	typed := tool.OutputSchema != nil
	switch {
	case r.structured == nil:
	case present(r.structured) && (len(r.blocks) == 0 || !isEmpty(r.structured)):
		return outcome{value: r.structured, content: r.beyond(r.structured)}, nil
	case len(r.blocks) == 0, typed && fit(tool.OutputSchema, r.structured):
		return outcome{value: r.structured, content: r.beyond(r.structured)}, nil
	}
	if !typed {
		return outcome{value: content(r)}, nil
	}
	if text := r.onlyText(); text != nil && rawjson.Valid(text) && fit(tool.OutputSchema, text) {
		return outcome{value: text}, nil
	}
	return outcome{value: content(r), broken: true}, nil
}

// content returns the value of the content blocks: the value of the only text, a list of the
// values of several texts, or the blocks themselves if not all are texts. The value of a text is
// the JSON object or array in it, otherwise the text.
func content(r result) json.RawMessage {
	if len(r.blocks) == 0 {
		return json.RawMessage("[]")
	}
	for _, b := range r.blocks {
		if b.text == nil {
			return r.content
		}
	}
	if len(r.blocks) == 1 {
		return textValue(r.blocks[0].text)
	}
	list := make([]byte, 0, len(r.content))
	for _, b := range r.blocks {
		list = append(append(list, ','), textValue(b.text)...)
	}
	list[0] = '['
	return append(list, ']')
}

func textValue(literal json.RawMessage) json.RawMessage {
	if mayBeContainer(literal) {
		if text := rawjson.Unquote(literal); rawjson.Valid(text) {
			return text
		}
	}
	return textLiteral(literal)
}

// onlyText returns the text of an answer with a single text block; nil for other answers.
func (r result) onlyText() []byte {
	if len(r.blocks) != 1 || r.blocks[0].text == nil {
		return nil
	}
	return rawjson.Unquote(r.blocks[0].text)
}

// beyond returns the content blocks if one of them has something that the structured value does
// not have, such as an image or a sentence. MCP asks servers to repeat the structured value
// as a text.
func (r result) beyond(structured json.RawMessage) json.RawMessage {
	var compact []byte
	for _, b := range r.blocks {
		if b.text == nil {
			return r.content
		}
		if bytes.Contains(structured, b.text) { // the structured value has the text as a string
			continue
		}
		text := rawjson.Unquote(b.text)
		if bytes.Equal(text, structured) {
			continue
		}
		if compact == nil {
			compact, _ = rawjson.Compact(bytes.Clone(structured))
		}
		if text, valid := rawjson.Compact(text); !valid || !bytes.Contains(compact, text) {
			return r.content
		}
	}
	return nil
}

// isEmpty reports whether a value is an object without members.
func isEmpty(value json.RawMessage) bool {
	return len(value) >= 2 && value[0] == '{' && len(bytes.TrimSpace(value[1:len(value)-1])) == 0
}

// Untyped returns the value that a script gets for an answer of a tool without an output
// schema. It returns false for other tools and for errors.
func Untyped(tool toolscript.Tool, raw json.RawMessage) (json.RawMessage, bool) {
	if tool.OutputSchema != nil {
		return nil, false
	}
	v, failure := value(tool, raw, nil)
	return v.value, failure == nil
}

// hasStructured reports whether an answer may have structuredContent.
func hasStructured(raw json.RawMessage) bool {
	return bytes.Contains(raw, []byte(`"structuredContent"`))
}

func present(v json.RawMessage) bool { return len(v) > 0 && !bytes.Equal(v, []byte("null")) }

// textLiteral returns a JSON string with valid UTF-8, unchanged if possible.
func textLiteral(literal json.RawMessage) json.RawMessage {
	if utf8.Valid(literal) {
		return literal
	}
	return quote(string(rawjson.Unquote(literal)))
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
	b, err := toolscript.PlainJSON(text)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return b
}
