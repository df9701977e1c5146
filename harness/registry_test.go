package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

func nothing(context.Context, json.RawMessage) (any, error) { return nil, nil }

func TestRegister(t *testing.T) {
	var r harness.Registry
	for _, tt := range []struct {
		what string
		tool harness.Tool
		want string // part of the error; "" for none
	}{
		{"the least", harness.Tool{Name: "one", Run: nothing}, ""},
		{"schemas", harness.Tool{Name: "two.b", Run: nothing, Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}}}`), Output: json.RawMessage(` {"type":"object"} `)}, ""},
		{"a name that is taken", harness.Tool{Name: "one", Run: nothing}, "taken"},
		{"no name", harness.Tool{Run: nothing}, "a name is"},
		{"a name with a space", harness.Tool{Name: "a b", Run: nothing}, "a name is"},
		{"a name that begins with a digit", harness.Tool{Name: "1a", Run: nothing}, "a name is"},
		{"a long name", harness.Tool{Name: strings.Repeat("a", 65), Run: nothing}, "a name is"},
		{"a name of toolscript", harness.Tool{Name: "spawn", Run: nothing}, "tools.spawn"},
		{"no function", harness.Tool{Name: "x"}, "no function"},
		{"no JSON", harness.Tool{Name: "x", Run: nothing, Input: json.RawMessage(`{`)}, "input schema"},
		{"null", harness.Tool{Name: "x", Run: nothing, Input: json.RawMessage(`null`)}, "input schema"},
		{"another type", harness.Tool{Name: "x", Run: nothing, Output: json.RawMessage(`{"type":"array"}`)}, `output schema: its type must be "object"`},
		{"no schema", harness.Tool{Name: "x", Run: nothing, Input: json.RawMessage(`{"type":"object","properties":{"a":{"type":"text"}}}`)}, "not valid"},
		{"another document", harness.Tool{Name: "x", Run: nothing, Input: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}`)}, "never fetched"},
	} {
		err := r.Register(tt.tool)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.want)
		}
		if kind := toolscript.KindOf(err); err != nil && kind != toolscript.Invalid && kind != toolscript.Conflict {
			t.Errorf("%s: kind %s", tt.what, kind)
		}
	}
	if diff := cmp.Diff([]string{"one", "two.b"}, r.List()); diff != "" {
		t.Errorf("List (-want +got):\n%s", diff)
	}
	if got, known := r.Get("one"); !known || string(got.Input) != `{"type":"object"}` || !r.Has("two.b") || r.Has("x") {
		t.Errorf("Get: %+v, %v; Has: %v, %v", got, known, r.Has("two.b"), r.Has("x"))
	}
}

// local starts a gateway with tools of this program.
func local(t *testing.T, c harness.Config, tools ...harness.Tool) *harness.Local {
	t.Helper()
	if c.Registry == nil {
		c.Registry = &harness.Registry{}
	}
	for _, one := range tools {
		if err := c.Registry.Register(one); err != nil {
			t.Fatal(err)
		}
	}
	c.Dir = folder // the engine is compiled once
	l, err := harness.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	l.Await(t.Context(), nil)
	return l
}

// on processes one part of an answer and returns the items.
func on(t *testing.T, g harness.Gateway, part answer.Part, o harness.Options) (items []harness.Item) {
	t.Helper()
	err := harness.Process(t.Context(), g, answer.Answer{API: answer.Chat, Parts: []answer.Part{part}}, o, func(item harness.Item) error {
		items = append(items, item)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func scriptOf(code string) answer.Part {
	return answer.Part{Text: &answer.Text{Text: "<tool-calls>" + code + "</tool-calls>"}}
}

// output runs one script and returns its output.
func output(t *testing.T, g harness.Gateway, code string, o harness.Options) harness.ScriptToolCallOutput {
	t.Helper()
	found := outputs(on(t, g, scriptOf(code), o))
	if len(found) != 1 {
		t.Fatalf("%d outputs", len(found))
	}
	return found[0]
}

func greet() harness.Tool {
	return harness.Tool{
		Name: "greet", Input: json.RawMessage(`{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`),
		Output: json.RawMessage(`{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}`),
		Run: harness.Func(func(_ context.Context, a struct {
			Name string `json:"name"`
		},
		) (map[string]string, error) {
			if a.Name == "" {
				return nil, errors.New("the name is empty")
			}
			return map[string]string{"text": "Hello " + a.Name}, nil
		}),
	}
}

// TestGoTools calls functions of this program from scripts and with structured calls.
func TestGoTools(t *testing.T) {
	yes := true
	var written atomic.Int32
	l := local(t, harness.Config{}, greet(),
		harness.Tool{Name: "three", Annotations: toolscript.Annotations{ReadOnly: &yes}, Run: func(context.Context, json.RawMessage) (any, error) { return 3, nil }},
		harness.Tool{Name: "nothing", Run: nothing},
		harness.Tool{Name: "write", Run: func(context.Context, json.RawMessage) (any, error) { return written.Add(1), nil }},
		harness.Tool{Name: "fault", Run: func(context.Context, json.RawMessage) (any, error) { panic("a fault") }},
	)
	for code, want := range map[string]string{
		`return (await tools.app.greet({ name: "Ada" })).text`:                                            `"Hello Ada"`,
		`return (await tools.greet({ name: "Bob" })).text`:                                                `"Hello Bob"`,
		`return [await tools.app.three(), await tools.app.nothing()]`:                                     `[3,{}]`,
		`try { await tools.app.greet({ name: "" }) } catch (e) { return [e.name, e.message] }`:            `["ToolError","the name is empty"]`,
		`try { await tools.app.fault() } catch (e) { return e.message }`:                                  `"a fault of the tool ended the call; the log has its stack"`,
		`const all = await tools.$search("greet"); return all[0].call`:                                    `"tools.app.greet"`,
		`try { await tools.app.greet(JSON.parse("{}")) } catch (e) { return (e as any).code as string; }`: `"invalid"`,
	} {
		if o := output(t, l, code, harness.Options{}); string(o.Value) != want {
			t.Errorf("%s: %s, %+v; want %s", code, o.Value, o.Error, want)
		}
	}
	o := output(t, l, `return (await tools.app.greet({ nam: "Ada" })).txt`, harness.Options{})
	if kind(o) != toolscript.CheckFailed || len(o.Error.Findings) != 2 {
		t.Errorf("types: %+v", o.Error)
	}
	items := on(t, l, answer.Part{Call: &answer.Call{ID: "c1", Name: "greet", Args: json.RawMessage(`{"name":"Bob"}`)}}, harness.Options{})
	want := []harness.Item{harness.ToolMessage{Type: "tool", Role: "tool", ToolCallID: "c1", Content: `{"text":"Hello Bob"}`}}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("a structured call (-want +got):\n%s", diff)
	}
	planned := output(t, l, `await tools.app.write(); return await tools.app.three()`, harness.Options{Plan: true})
	if len(planned.Plan) != 1 || planned.Plan[0].Tool != "app__write" || written.Load() != 0 || string(planned.Value) != "3" {
		t.Errorf("plan %+v, %s; %d calls", planned.Plan, planned.Value, written.Load())
	}
}

// TestRegisterLater: a tool that is registered while the gateway runs is available.
func TestRegisterLater(t *testing.T) {
	var r harness.Registry
	l := local(t, harness.Config{Registry: &r, Name: "mine"})
	if err := r.Register(greet()); err != nil {
		t.Fatal(err)
	}
	for l.Catalog().Len() == 0 { // the actor of the server asks for the list
		if _, err := l.Status(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if o := output(t, l, `return (await tools.mine.greet({ name: "Ada" })).text`, harness.Options{}); string(o.Value) != `"Hello Ada"` {
		t.Errorf("%s, %+v", o.Value, o.Error)
	}
}
