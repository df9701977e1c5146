package codegen_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
)

// answered is the outcome of a call of the full module: a value, or the fields of its
// ToolError.
type answered struct {
	URL   string          `json:"url,omitempty"`
	Body  string          `json:"body,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
	Name  string          `json:"name,omitempty"`
	Code  string          `json:"code,omitempty"`
	Text  string          `json:"text,omitempty"`
	Tool  string          `json:"tool,omitempty"`
	Sent  string          `json:"sent,omitempty"`
}

// driver calls a tool and fakes the answer of the gateway.
const driver = `
let sent = {};
globalThis.fetch = async (url, init) => {
  if (process.env.ANSWER === "gone") throw new TypeError("connection refused");
  sent = { url, body: init.body, key: init.headers["Idempotency-Key"] };
  if (process.env.ANSWER === "never") {
    return new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)));
  }
  return new Response(process.env.ANSWER, { status: Number(process.env.STATUS) });
};
const { tools, ToolError } = await import("./full.mjs");
try {
  const spawned = process.env.TOOL.startsWith("spawn ");
  const task = spawned && tools.spawn.s[process.env.TOOL.slice(6)]({ a: 1 });
  if (process.env.ANSWER === "never") await task.cancel();
  if (process.env.TOOL.startsWith("pages ")) {
    const answers = JSON.parse(process.env.ANSWER);
    const bodies = [];
    globalThis.fetch = async (url, init) => (bodies.push(init.body), new Response(JSON.stringify(answers.shift()), { status: 200 }));
    const seen = [];
    const args = { a: 1 };
    for await (const page of tools.s[process.env.TOOL.slice(6)].pages(args)) {
      seen.push(page);
      args.a = 2;
    }
    console.log(JSON.stringify({ value: seen, body: bodies.join(" "), url: "x" }));
    process.exit(0);
  }
  if (process.env.TOOL.startsWith("wrong ")) {
    const wrong = [{}, { idempotencyKey: "" }, { idempotencyKey: "a b" }, { idempotencyKey: "k", more: 1 }].map((options) => {
      try {
        return tools.$with(options);
      } catch (e) {
        return String(e);
      }
    });
    console.log(JSON.stringify({ value: [wrong, typeof tools.$with({ idempotencyKey: "k" }).s.paged.pages] }));
    process.exit(0);
  }
  if (process.env.TOOL.startsWith("keyed ")) {
    const keys = [];
    for (const of of [tools.$with({ idempotencyKey: "order-4711" }), tools]) {
      await of.s[process.env.TOOL.slice(6)]({ a: 1 });
      keys.push(sent.key ?? null);
    }
    console.log(JSON.stringify({ value: keys }));
    process.exit(0);
  }
  const value = await (spawned ? task.done : tools.s[process.env.TOOL]({ a: 1 }));
  console.log(JSON.stringify({ value, url: sent.url, body: sent.body }));
} catch (e) {
  if (!(e instanceof ToolError) || e.server !== "s") throw e;
  console.log(JSON.stringify({ name: e.name, code: e.code, text: e.message, tool: e.tool, sent: e.sent }));
}
`

// TestResultsOfTheFullModule checks GEN-20 to GEN-22 in Node.
func TestResultsOfTheFullModule(t *testing.T) {
	node := findNode(t)
	dir := t.TempDir()
	typed := json.RawMessage(`{"type": "object"}`)
	c := catalog(
		toolscript.Tool{Server: "s", Name: "typed", InputSchema: typed, OutputSchema: typed},
		toolscript.Tool{Server: "s", Name: "untyped", InputSchema: typed},
		toolscript.Tool{Server: "s", Name: "ü/ber", InputSchema: typed},
		toolscript.Tool{Server: "s", Name: "paged", InputSchema: typed, OutputSchema: typed, Pages: true},
	)
	javascript, _ := parse(t, "full.ts", module(c, codegen.Options{}).Text)
	write(t, filepath.Join(dir, "full.mjs"), javascript)
	write(t, filepath.Join(dir, "driver.mjs"), driver)
	value := func(v string) answered { return answered{Value: json.RawMessage(v)} }
	failure := func(tool, code, sent, text string) answered {
		return answered{Name: "ToolError", Code: code, Sent: sent, Text: text, Tool: "s__" + tool}
	}
	text := func(s string) string {
		b, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	tests := []struct {
		name, tool, status, answer string
		want                       answered
	}{
		{
			"what goes on the wire", "üBer", "200", `{"structuredContent": {}}`,
			answered{Value: json.RawMessage(`{}`), URL: "http://127.0.0.1:1/secret/tools/s__%C3%BC%2Fber", Body: `{"a":1}`},
		},
		{"structured content", "untyped", "200", `{"content": [], "structuredContent": {"n": 1}}`, value(`{"n":1}`)},
		{"text that is an object", "untyped", "200", text(`{"a": [1]}`), value(`{"a":[1]}`)},
		{"text that is a list", "untyped", "200", text(` [1] `), value(`[1]`)},
		{"text that is a number stays text", "untyped", "200", text(`123`), value(`"123"`)},
		{"text that is null stays text", "untyped", "200", text(`null`), value(`"null"`)},
		{"text", "untyped", "200", text(`{ no JSON`), value(`"{ no JSON"`)},
		{"several blocks", "untyped", "200", `{"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}`, value(`["a","b"]`)},
		{"a text and an image", "untyped", "200", `{"content": [{"type": "text", "text": "a"}, {"type": "image", "data": ""}]}`, value(`[{"type":"text","text":"a"},{"type":"image","data":""}]`)},
		{"an empty object does not hide the answer", "untyped", "200", `{"content": [{"type": "text", "text": "a"}], "structuredContent": {}}`, value(`"a"`)},
		{"a block that is no text", "untyped", "200", `{"content": [{"type": "image", "data": ""}]}`, value(`[{"type":"image","data":""}]`)},
		{"typed text", "typed", "200", text(`{"n": 1}`), value(`{"n":1}`)},
		{"typed without JSON", "typed", "200", text(`hello`), value(`"hello"`)},
		{"isError", "typed", "200", `{"isError": true, "content": [{"type": "text", "text": "no such file"}]}`, failure("typed", "tool_failed", "yes", "no such file")},
		{"gateway error", "untyped", "404", `{"error": "no tool x", "kind": "not_found", "sent": "no"}`, failure("untyped", "not_found", "no", "no tool x")},
		{"an answer without sent", "untyped", "502", `{"error": "no luck", "kind": "unavailable"}`, failure("untyped", "unavailable", "unknown", "no luck")},
		{"task", "spawn untyped", "200", `{"content": [], "structuredContent": {"n": 1}}`, value(`{"n":1}`)},
		{"task that fails", "spawn untyped", "404", `{"error": "no tool x", "kind": "not_found", "sent": "no"}`, failure("untyped", "not_found", "no", "no tool x")},
		{"cancelled task", "spawn untyped", "200", "never", failure("untyped", "cancelled", "unknown", "the task was cancelled")},
		{"an idempotency key", "keyed paged", "200", `{"content": []}`, value(`["order-4711",null]`)},
		{
			"wrong options", "wrong ", "200", `{}`,
			value(`[["TypeError: an idempotencyKey is a text of 1 to 255 visible characters of ASCII","TypeError: an idempotencyKey is a text of 1 to 255 visible characters of ASCII","TypeError: an idempotencyKey is a text of 1 to 255 visible characters of ASCII","TypeError: tools.$with has no option more; it has idempotencyKey"],"undefined"]`),
		},
		{"a tool with pages", "paged", "200", `{"content": [], "structuredContent": {"n": 1}}`, value(`{"n":1}`)},
		{
			"pages", "pages paged", "", `[{"structuredContent": {"n": 1}, "_meta": {"toolscript/page": {"self": "p", "next": "q"}}}, {"structuredContent": {"n": 2}, "_meta": {"toolscript/page": {"self": "q"}}}]`,
			answered{Value: json.RawMessage(`[{"n":1},{"n":2}]`), URL: "x", Body: `{"a":1,"toolscript/page":""} {"a":1,"toolscript/page":"q"}`},
		},
		{
			"pages that repeat", "pages paged", "", `[{"structuredContent": {"n": 1}, "_meta": {"toolscript/page": {"self": "p", "next": "p"}}}]`,
			failure("paged", "invalid_result", "yes", "the link after page 1 leads to a page that was read before"),
		},
		{"gateway gone", "untyped", "200", "gone", failure("untyped", "unavailable", "unknown", "the gateway does not answer: connection refused")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), node, "driver.mjs")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TOOLSCRIPT_GATEWAY_URL=http://127.0.0.1:1/secret/", "TOOL="+tt.tool, "STATUS="+tt.status, "ANSWER="+tt.answer)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			var got answered
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			if tt.want.URL == "" {
				got.URL, got.Body = "", ""
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// findNode returns the Node binary pinned by the test folder, or the one in PATH.
func findNode(t *testing.T) string {
	t.Helper()
	pinned, err := filepath.Abs(filepath.Join("..", "test", "node_modules", ".bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pinned, "node"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("the full module is not run: no node; run: task peers")
	return ""
}
