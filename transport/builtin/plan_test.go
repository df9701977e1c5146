package builtin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestUpdatePlan(t *testing.T) {
	s := newScene(t, nil)
	step := func(text, status string) object { return object{"step": text, "status": status} }
	r := s.call("updatePlan", object{"explanation": " why\nnow ", "plan": []object{step("a\nb", "completed"), step("c", "in_progress"), step("d", "pending")}})
	if r.text() != "why now\n[x] a b\n[>] c\n[ ] d" || r.Structured["success"] != true {
		t.Errorf("the result is %s", r.raw)
	}
	if r := s.call("updatePlan", object{"plan": []object{}}); r.IsError || r.text() != "" {
		t.Errorf("an empty plan: %s", r.raw)
	}
	if r := s.call("updatePlan", object{"plan": []object{step("c", "in_progress"), step("d", "in_progress")}}); !r.IsError || !strings.Contains(r.text(), "at most one step") {
		t.Errorf("two steps in progress: %s", r.raw)
	}
}

func TestViewImage(t *testing.T) {
	picture := image.NewPaletted(image.Rect(0, 0, 4, 3), color.Palette{color.Black})
	encoded := func(encode func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	s := newScene(t, map[string]string{
		"a/p.png":  encoded(func(b *bytes.Buffer) error { return png.Encode(b, picture) }),
		"p.jpg":    encoded(func(b *bytes.Buffer) error { return jpeg.Encode(b, picture, nil) }),
		"p.gif":    encoded(func(b *bytes.Buffer) error { return gif.Encode(b, picture, nil) }),
		"p.webp":   "RIFF\x00\x00\x00\x00WEBPVP8 ",
		"text.png": "no image", "empty.png": "",
	})
	for path, want := range map[string]string{
		"p.jpg": `"mimeType":"image/jpeg"`, "p.gif": `"mimeType":"image/gif"`, "a/p.png": `"mimeType":"image/png"`, "p.webp": `"mimeType":"image/webp"`,
	} {
		r := s.call("viewImage", object{"path": path})
		if sized := strings.Contains(r.text(), `"width":4,"height":3`); !strings.Contains(r.text(), want) || sized == (path == "p.webp") || r.Structured["success"] != true {
			t.Errorf("%s: %s", path, r.raw)
		}
	}
	if r := s.call("viewImage", object{"path": "p.png", "workdir": "a"}); !strings.Contains(r.text(), `"path":"a/p.png"`) {
		t.Errorf("in a folder: %s", r.raw)
	}
	large, err := os.Create(s.path("large.png"))
	if err == nil {
		err = large.Truncate(20<<20 + 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = large.Close()
	for path, want := range map[string]string{
		"text.png": `"text.png" is not an image`, "empty.png": "is not an image", "none.png": "does not exist", "a": "is a folder",
		"../x.png": "outside of the workspace", "large.png": "an image has at most",
	} {
		if r := s.call("viewImage", object{"path": path}); !r.IsError || !strings.Contains(r.text(), want) {
			t.Errorf("%s: %s, want %q", path, r.raw, want)
		}
	}
}

// TestResources checks what the resource tools request from the gateway.
func TestResources(t *testing.T) {
	var asked toolscript.FetchRequest
	answer := ""
	host := upstream.Host{Fetch: func(_ context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
		asked = o
		return json.RawMessage(answer), nil
	}}
	names := []string{"listMcpResources", "listMcpResourceTemplates", "readMcpResource"}
	conn := dial(t, builtin.Dialer{Host: host}, upstream.Config{Root: t.TempDir(), Tools: names}, upstream.Events{})
	for _, test := range []struct {
		tool         string
		args         object
		asks         toolscript.FetchRequest
		answer, want string
	}{
		{"listMcpResources", object{}, toolscript.FetchRequest{ID: toolscript.ListResources}, `{"resources":[1]}`, `{"resources":[1]}`},
		{"listMcpResources", object{"server": "s", "cursor": "c"}, toolscript.FetchRequest{ID: toolscript.ListResources, Server: "s", Cursor: "c"},
			`{"resources":[12345678901234567890],"nextCursor":"n"}`, `{"nextCursor":"n","resources":[12345678901234567890],"server":"s"}`},
		{"listMcpResourceTemplates", object{"server": "s"}, toolscript.FetchRequest{ID: toolscript.ListTemplates, Server: "s"},
			`{"resourceTemplates":[]}`, `{"resourceTemplates":[],"server":"s"}`},
		{"readMcpResource", object{"server": "s", "uri": "u"}, toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "s", URI: "u"},
			`{"contents":[{"uri":"u","text":"t"}]}`, "t"},
		{"readMcpResource", object{"server": "s", "uri": "u"}, toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "s", URI: "u"},
			`{"contents":[{"text":"a"},{"text":"b"}]}`, `{"contents":[{"text":"a"},{"text":"b"}]}`},
		{"readMcpResource", object{"server": "s", "uri": "u"}, toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "s", URI: "u"},
			`{"contents":[{"blob":"AA=="}]}`, `{"contents":[{"blob":"AA=="}]}`},
	} {
		answer = test.answer
		for _, run := range []string{"", "run_1"} {
			raw, err := json.Marshal(test.args)
			if err != nil {
				t.Fatal(err)
			}
			got := make(chan json.RawMessage, 1)
			conn.Start(upstream.ToolCall{Ctx: t.Context(), Tool: test.tool, Args: raw, Run: run, Done: func(result json.RawMessage, _ error) { got <- result }})
			var r result
			if err := json.Unmarshal(<-got, &r); err != nil || r.text() != test.want {
				t.Errorf("%s %v: %s, %v, want %s", test.tool, test.args, r.text(), err, test.want)
			}
			test.asks.Run = run
			if test.asks.Server != "" {
				test.asks.Wait = toolscript.ConnectWait
			}
			if asks, want := mustJSON(t, asked), mustJSON(t, test.asks); asks != want {
				t.Errorf("%s %v asks for %s, want %s", test.tool, test.args, asks, want)
			}
		}
	}
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
