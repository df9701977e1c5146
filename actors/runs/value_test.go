package runs

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript"
)

// TestValuesOfEveryForm has the values that scripts see. Nothing of an answer is lost, and a text that
// looks like a number stays a text.
func TestValuesOfEveryForm(t *testing.T) {
	typed := toolscript.Tool{Server: "s", Name: "t", OutputSchema: json.RawMessage(`{"type":"object"}`)}
	untyped := toolscript.Tool{Server: "s", Name: "t"}
	orNull := toolscript.Tool{Server: "s", Name: "t", OutputSchema: json.RawMessage(`{"type":["object","null"]}`)}
	fitsObject := func(schema, v json.RawMessage) bool {
		return len(v) > 0 && v[0] == '{' || string(v) == "null" && bytes.Contains(schema, v)
	}
	for _, c := range []struct {
		name   string
		tool   toolscript.Tool
		result string
		want   string          // the value
		code   toolscript.Kind // or the error

		content string
		broken  bool
	}{
		{name: "structured content wins", tool: untyped, result: `{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}}`, want: `{"a":1}`, content: `[{"type":"text","text":"x"}]`},
		{name: "big integers are kept", tool: untyped, result: `{"content":[],"structuredContent":{"a":12345678901234567890}}`, want: `{"a":12345678901234567890}`},
		{name: "a number in a text stays a text", tool: untyped, result: `{"content":[{"type":"text","text":"123"}]}`, want: `"123"`},
		{name: "true in a text stays a text", tool: untyped, result: `{"content":[{"type":"text","text":"true"}]}`, want: `"true"`},
		{name: "an object in a text is parsed", tool: untyped, result: `{"content":[{"type":"text","text":" {\"a\":1}"}]}`, want: ` {"a":1}`},
		{name: "an array in a text is parsed", tool: untyped, result: `{"content":[{"type":"text","text":"[1,2]"}]}`, want: `[1,2]`},
		{name: "a text that only begins like JSON stays a text", tool: untyped, result: `{"content":[{"type":"text","text":"[note] hi"}]}`, want: `"[note] hi"`},
		{name: "several texts are a list of their values", tool: untyped, result: `{"content":[{"type":"text","text":"a"},{"type":"text","text":"{\"b\": 1}"},{"type":"text","text":"3"}]}`, want: `["a",{"b": 1},"3"]`},
		{name: "a text and an image come as blocks", tool: untyped, result: `{"content":[{"type":"text","text":"a"},{"type":"image","data":"eA=="}]}`, want: `[{"type":"text","text":"a"},{"type":"image","data":"eA=="}]`},
		{name: "an empty object does not hide the answer", tool: untyped, result: `{"content":[{"type":"text","text":"the answer"}],"structuredContent":{ }}`, want: `"the answer"`},
		{name: "an empty object alone", tool: untyped, result: `{"content":[],"structuredContent":{}}`, want: `{}`},
		{name: "an empty object that the schema wants", tool: typed, result: `{"content":[{"type":"text","text":"the answer"}],"structuredContent":{}}`, want: `{}`, content: `[{"type":"text","text":"the answer"}]`},
		{name: "an image beside structured content", tool: typed, result: `{"content":[{"type":"text","text":"{\"a\":1}"},{"type":"image","data":"eA=="}],"structuredContent":{"a":1}}`, want: `{"a":1}`, content: `[{"type":"text","text":"{\"a\":1}"},{"type":"image","data":"eA=="}]`},
		{name: "a sentence beside structured content", tool: untyped, result: `{"content":[{"type":"text","text":"note: x"}],"structuredContent":{"a":1}}`, want: `{"a":1}`, content: `[{"type":"text","text":"note: x"}]`},
		{name: "structured content repeated with spaces", tool: typed, result: `{"content":[{"type":"text","text":"{\n  \"a\": 1\n}"}],"structuredContent":{"a":1}}`, want: `{"a":1}`},
		{name: "a part of structured content repeated", tool: typed, result: `{"content":[{"type":"text","text":"hello"},{"type":"text","text":"[1, 2]"}],"structuredContent":{"result": "hello", "list": [1,2]}}`, want: `{"result": "hello", "list": [1,2]}`},
		{name: "an image comes as a block", tool: untyped, result: `{"content":[{"type":"image","data":"eA==","mimeType":"image/png"}]}`, want: `[{"type":"image","data":"eA==","mimeType":"image/png"}]`},
		{name: "an unknown block is kept", tool: untyped, result: `{"content":[{"type":"hologram","x":1}]}`, want: `[{"type":"hologram","x":1}]`},
		{name: "no content is no block", tool: untyped, result: `{"content":[]}`, want: `[]`},
		{name: "null content is no block", tool: untyped, result: `{"content":null}`, want: `[]`},
		{name: "a typed tool may answer in its text", tool: typed, result: `{"content":[{"type":"text","text":"{\"a\":1}"}]}`, want: `{"a":1}`},
		{name: "a typed tool that answers otherwise", tool: typed, result: `{"content":[{"type":"text","text":"done"}]}`, want: `"done"`, broken: true},
		{name: "a typed tool whose text does not fit", tool: typed, result: `{"content":[{"type":"text","text":"[1]"}]}`, want: `[1]`, broken: true},
		{name: "null alone is the result", tool: untyped, result: `{"content":[],"structuredContent":null}`, want: `null`},
		{name: "null that fits is the result", tool: orNull, result: `{"content":[],"structuredContent":null}`, want: `null`},
		{name: "null that does not fit", tool: typed, result: `{"content":[],"structuredContent":null}`, want: `null`},
		{name: "null beside a text says nothing", tool: untyped, result: `{"content":[{"type":"text","text":"x"}],"structuredContent":null}`, want: `"x"`},
		{name: "isError throws", tool: untyped, result: `{"isError":true,"content":[{"type":"text","text":"no such file"}]}`, code: toolscript.ToolFailed},
		{name: "isError of a typed tool throws", tool: typed, result: `{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":{}}`, code: toolscript.ToolFailed},
		{name: "no result at all", tool: untyped, result: `[]`, code: toolscript.InvalidResult},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, failure := value(c.tool, json.RawMessage(c.result), fitsObject)
			if c.code != "" {
				if failure == nil || failure.Code != c.code {
					t.Fatalf("value = %s, %+v; want an error of kind %s", got.value, failure, c.code)
				}
				return
			}
			if failure != nil {
				t.Fatalf("value failed: %+v", failure)
			}
			if string(got.value) != c.want || string(got.content) != c.content || got.broken != c.broken {
				t.Errorf("value = %s, content %s, broken %t; want %s, %s, %t", got.value, got.content, got.broken, c.want, c.content, c.broken)
			}
		})
	}
}

// TestErrorsKeepTextAndContent: an error of a tool reaches the script with its text and content.
func TestErrorsKeepTextAndContent(t *testing.T) {
	tool := toolscript.Tool{Server: "files", Name: "read"}
	_, failure := value(tool, json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no such file"}],"structuredContent":{"errno":2}}`), nil)
	if failure == nil {
		t.Fatal("isError gave a value")
	}
	if failure.Message != "no such file" || failure.Server != "files" || failure.Tool != "files__read" || len(failure.Content) != 1 || string(failure.Structured) != `{"errno":2}` {
		t.Errorf("failure = %+v", failure)
	}
}

func FuzzValue(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"[1"}]}`), true)
	f.Fuzz(func(t *testing.T, raw []byte, typed bool) {
		tool := toolscript.Tool{Server: "s", Name: "t"}
		if typed {
			tool.OutputSchema = json.RawMessage(`{}`)
		}
		v, failure := value(tool, raw, func(_, _ json.RawMessage) bool { return true })
		if failure == nil && (!json.Valid(v.value) || v.content != nil && !json.Valid(v.content)) {
			t.Errorf("value of %q is not JSON: %q, %q", raw, v.value, v.content)
		}
	})
}
