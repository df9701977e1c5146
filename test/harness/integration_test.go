package harness_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/cli"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/builtin"
)

// TestIntegration runs the specification's 10 integration tests, which check the whole system. The
// specification names the first six; each of the others checks one sentence of it.
func TestIntegration(t *testing.T) {
	s := newScene(t, settings{builtin: []string{"readFile", "fileSearch", "applyPatch"}})
	table{
		{name: "Works with Responses API", rule: "Format dictated by API", test: func(s *scene) {
			s.both(`{"object":"response","output":[
				{"type":"reasoning","summary":[{"type":"summary_text","text":"TAGS"}]},
				{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I add.\nSCRIPT"}]},
				{"type":"function_call","call_id":"call_1","name":"add","arguments":"{\"a\":3,\"b\":4}"}]}`,
				answer.Responses, harness.FunctionCallOutput{Type: "function_call_output", CallID: "call_1", Output: `{"sum":7}`})
		}},
		{name: "Works with Chat API", rule: "Format dictated by API", test: func(s *scene) {
			s.both(`{"choices":[{"message":{"role":"assistant","reasoning_content":"TAGS","content":"I add.\nSCRIPT",
				"tool_calls":[{"id":"call_1","type":"function","function":{"name":"workspace__add","arguments":"{\"a\":3,\"b\":4}"}}]}}]}`,
				answer.Chat, harness.ToolMessage{Type: "tool", Role: "tool", ToolCallID: "call_1", Content: `{"sum":7}`})
		}},
		{name: "Works with Messages API", rule: "Format dictated by API", test: func(s *scene) {
			s.both(`{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"TAGS","signature":"x"},{"type":"text","text":"I add.\nSCRIPT"},
				{"type":"tool_use","id":"call_1","name":"workspace__add","input":{"a":3,"b":4}}]}`,
				answer.Messages, harness.ToolResult{Type: "tool_result", ToolUseID: "call_1", Content: `{"sum":7}`})
		}},
		{name: "All registered tools callable", rule: "Centralized registration of all available tools", test: allTools},
		{name: "Tool packs work", rule: "Pre-configured tool collections; Custom packs supported; Inheritance/composition possible", test: packs},
		{name: "Custom tools integrate", rule: "Tool now available in scripts", test: customTool},
		{name: "Hybrid usage", rule: "Models can use both in same conversation", test: func(s *scene) {
			s.put("src/app.js", "const port = 80;\n")
			s.structured("fileSearch", `{"pattern":"app.js"}`, `"path":"src/app.js"`)
			s.value("const { files } = await tools.fileSearch({ pattern: 'app.js' }); const all = await Promise.all(files.map((f) => tools.readFile({ filePath: f.path }))); return all.map((r) => r.content)", `["L1: const port = 80;"]`)
			s.structured("readFile", `{"filePath":"src/app.js"}`, "L1: const port = 80;")
		}},
		{name: "Single implementation, dual invocation paths", rule: "Tools don't know which harness called them", test: func(s *scene) {
			const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Add File: new/b.txt\n+b\n*** End Patch\n"
			args, err := json.Marshal(map[string]string{"patch": patch})
			if err != nil {
				s.Fatal(err)
			}
			var results, files []string
			for _, way := range []func() string{
				func() string { return string(s.run("return await tools.applyPatch(" + string(args) + ")").Value) },
				func() string { return s.structured("applyPatch", string(args), "success") },
			} {
				s.put("a.txt", "zero\none\n")
				_ = os.RemoveAll(filepath.Join(s.root, "new")) // the second way creates it again
				results, files = append(results, way()), append(files, s.get("a.txt")+s.get("new/b.txt"))
			}
			if results[0] != results[1] || !cmp.Equal(files, []string{"zero\ntwo\nb\n", "zero\ntwo\nb\n"}) {
				s.Errorf("results %q, files %q", results, files)
			}
		}},
		{name: "Feature flag control", rule: "Three modes: disabled, dry-run, enabled; Per-provider configuration", test: modes},
		{name: "Same approval system", rule: "Both use same approval system; Each waits for approval", test: func(s *scene) {
			s.notes()
			done := s.asking("return (await Promise.allSettled(['a', 'b', 'c', 'd'].map((text) => tools.guarded({ text })))).map((r) => r.status)")
			call := make(chan harness.Item, 1)
			go func() {
				a := answer.Answer{API: answer.Messages, Parts: []answer.Part{{Call: &answer.Call{ID: "1", Name: "guarded", Args: json.RawMessage(`{"text":"e"}`)}}}}
				_ = harness.Process(s.Context(), s.gateway, a, harness.Options{}, func(item harness.Item) error {
					if item.History() {
						call <- item
					}
					return nil
				}) // if there is no item, the test fails
			}()
			for range 5 {
				r := s.next()
				action := toolscript.ApprovalAllow
				if strings.Contains(r.Args, `"b"`) {
					action = toolscript.ApprovalDeny
				}
				if err := s.answer(r, action, "", ""); err != nil {
					s.Error(err)
				}
			}
			o, item := <-done, <-call
			made := s.notes()
			slices.Sort(made)
			if string(o.Value) != `["fulfilled","rejected","fulfilled","fulfilled"]` || !cmp.Equal(made, []string{"a", "c", "d", "e"}) {
				s.Errorf("output %s, %+v; calls %q", o.Value, o.Error, made)
			}
			if r, ok := item.(harness.ToolResult); !ok || r.Content != `{"noted":"e"}` {
				s.Errorf("structured call: %+v", item)
			}
		}},
	}.run(t, s, 10)
}

// both processes a response of an API that contains a script and a call. TAGS in the response becomes a
// script in a place where scripts are not run.
func (s *scene) both(response string, api answer.API, want harness.Item) {
	s.Helper()
	s.notes()
	response = strings.NewReplacer(
		"SCRIPT", "<tool-calls>return (await tools.add({ a: 1, b: 2 })).sum</tool-calls>\\nDone.", "TAGS", "<tool-calls>await tools.note({ text: 'x' })</tool-calls>",
	).Replace(response)
	a, err := answer.Read([]byte(response), "")
	if err != nil || a.API != api {
		s.Fatalf("API %q, %v", a.API, err)
	}
	var got []string
	var last harness.Item
	for _, item := range s.processed(a, harness.Options{}) {
		switch i := item.(type) {
		case harness.Text:
			got = append(got, i.Text)
		case harness.ScriptToolCallOutput:
			got = append(got, string(i.Value))
		}
		last = item
	}
	if diff := cmp.Diff([]string{"I add.\n", "3", "\nDone."}, got); diff != "" {
		s.Errorf("items (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, last); diff != "" {
		s.Errorf("the output of the call (-want +got):\n%s", diff)
	}
	if got := s.notes(); len(got) > 0 {
		s.Errorf("calls %q", got)
	}
}

// structured makes a structured call whose output must contain want, and returns the output.
func (s *scene) structured(name, args, want string) string {
	s.Helper()
	items := s.processed(answer.Answer{API: answer.Messages, Parts: []answer.Part{{Call: &answer.Call{ID: "1", Name: name, Args: json.RawMessage(args)}}}}, harness.Options{})
	r, ok := items[0].(harness.ToolResult)
	if !ok || r.IsError || !strings.Contains(r.Content, want) {
		s.Errorf("%s %s: %+v", name, args, items)
	}
	return r.Content
}

// put writes a file in the workspace.
func (s *scene) put(name, content string) {
	s.Helper()
	file := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) get(name string) string {
	s.Helper()
	content, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		s.Error(err)
	}
	return string(content)
}

// allTools calls each built-in tool by its flat name. A server on this machine takes the place of the web.
func allTools(s *scene) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/search" {
			_, _ = fmt.Fprint(w, `{"results":[{"url":"https://example.test/","title":"T","content":"C"}]}`)
			return
		}
		if r.URL.Path == "/v1/chat/completions" {
			_, _ = fmt.Fprint(w, `{"choices":[{"message":{"role":"assistant","content":"done"}}]}`)
			return
		}
		_, _ = fmt.Fprint(w, "<title>Page</title><p>text</p>")
	}))
	s.Cleanup(web.Close)
	registered := slices.Collect(maps.Keys(callsOf(web.URL)))
	for _, t := range builtin.NewRegistry().List() {
		if !slices.Contains(registered, t) {
			s.Errorf("no call of the registered tool %s", t)
		}
	}
	root := s.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\n"), 0o600); err != nil {
		s.Fatal(err)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewRGBA(image.Rect(0, 0, 1, 1))); err != nil {
		s.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "p.png"), picture.Bytes(), 0o600); err != nil {
		s.Fatal(err)
	}
	config := fmt.Sprintf(`{"approvals": {"default": "allow"}, "mcpServers": {"workspace": {"type": "builtin", "root": %q, "tools": "all",
		"web": {"allowHosts": [%q], "search": {"provider": "searxng", "url": %q}}}},
		"providers": {"local": {"api": "chat", "url": "%s/v1", "model": "m"}}}`, root, strings.TrimPrefix(web.URL, "http://"), web.URL, web.URL)
	var text strings.Builder
	names := slices.Sorted(maps.Keys(callsOf(web.URL)))
	for _, name := range names {
		text.WriteString(block("return await tools." + name + "(" + callsOf(web.URL)[name] + ")"))
	}
	for line := range strings.Lines(program(s.T, config, scriptAnswer(s.T, text.String()), "harness")) {
		if !strings.Contains(line, `"ScriptToolCallOutput"`) {
			continue
		}
		var o harness.ScriptToolCallOutput
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			s.Fatal(err)
		}
		if !o.OK || len(o.ToolCalls) != 1 || len(o.Value) < 2 {
			s.Errorf("tools.%s: %s", names[0], line)
		}
		names = names[1:]
	}
	if len(names) > 0 {
		s.Errorf("no output of %q", names)
	}
}

// callsOf returns arguments for each built-in tool.
func callsOf(web string) map[string]string {
	return map[string]string{
		"readFile": `{ filePath: "a.txt" }`, "listDir": `{ dirPath: "." }`, "grepFiles": `{ pattern: "one" }`, "fileSearch": `{ pattern: "a" }`,
		"applyPatch": `{ patch: "*** Begin Patch\n*** Add File: b.txt\n+b\n*** End Patch\n" }`, "writeFile": `{ filePath: "c.txt", content: "c" }`,
		"exec": `{ command: ["hostname"] }`, "updatePlan": `{ plan: [{ step: "one", status: "pending" }] }`, "viewImage": `{ path: "p.png" }`,
		"listMcpResources": `{}`, "listMcpResourceTemplates": `{}`, "readMcpResource": `{ server: "none", uri: "x:y" }).catch((e: Error) => [e.message]`,
		"saveToFC": `{ content: "text", fileKey: "k" }`, "fetchFromFC": `{}`, "prompts.save": `{ content: "text", promptKey: "p" }`,
		"prompts.get": `{ promptKey: "p" }).catch((e: Error) => [e.message]`, // may run before prompts.save
		"webSearch":   `{ query: "q", prefetch: 0 }`, "fetchUrl": `{ urls: "` + web + `/page" }`,
		"agents.llm.chat": `{ prompt: "p" }`, "agents.launch.sync": `{ task: "t" }`, "agents.launch.async": `{ task: "t" }`,
		"agents.launch.result": `{ id: "none" }).catch((e: Error) => [e.message]`,
	}
}

// program runs a toolscript command with a configuration of the user, and returns its output.
func program(t *testing.T, config, stdin string, args ...string) (stdout string) {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"home", "work", "run"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "home", ".toolscript.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, failed kit.Buffer
	code := cli.Run(app.State{
		Args: args, Dir: filepath.Join(dir, "work"), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &failed,
		Env: []string{
			"HOME=" + filepath.Join(dir, "home"), "USERPROFILE=" + filepath.Join(dir, "home"), // Windows has the second one
			"TOOLSCRIPT_RUNTIME_DIR=" + filepath.Join(dir, "run"), "TOOLSCRIPT_DATA_DIR=" + engine,
			"TOOLSCRIPT_SEARCH_SEMANTIC=off", "PATH=" + os.Getenv("PATH"),
		},
	})
	if code != 0 {
		t.Errorf("toolscript %s ended with %d: %s", strings.Join(args, " "), code, failed.String())
	}
	return out.String()
}

// scriptAnswer returns an answer of Chat Completions with this text.
func scriptAnswer(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal([]map[string]string{{"role": "assistant", "content": text}})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// packs checks the tool lists of servers that each have one pack.
func packs(s *scene) {
	want := map[string][]string{}
	var servers []string
	for name, pack := range toolscript.StandardPacks() {
		want[strings.ReplaceAll(name, "-", "")] = pack.Tools
	}
	want["mine"] = append(slices.Clone(want["anthropicstandard"]), "writeFile")
	for _, name := range []string{"core-codex", "anthropic-standard", "file-ops", "research", "mine", "all"} {
		servers = append(servers, fmt.Sprintf(`%q: {"type": "builtin", "root": ".", "tools": %q}`, strings.ReplaceAll(name, "-", ""), name))
	}
	config := `{"toolPacks": {"mine": {"extends": ["anthropic-standard"], "tools": ["writeFile"]}}, "mcpServers": {` + strings.Join(servers, ", ") + "}}"
	out := program(s.T, config, scriptAnswer(s.T, block("return Object.fromEntries(Object.entries(tools as any).filter(([, v]) => typeof v === 'object' && v !== null).map(([k, v]) => [k, Object.keys(v as any)]))")), "harness")
	var item struct{ Value map[string][]string }
	for line := range strings.Lines(out) {
		if strings.Contains(line, `"ScriptToolCallOutput"`) {
			if err := json.Unmarshal([]byte(line), &item); err != nil {
				s.Fatal(err)
			}
		}
	}
	for name, tools := range want {
		slices.Sort(tools)
		slices.Sort(item.Value[name])
		if diff := cmp.Diff(tools, item.Value[name]); diff != "" {
			s.Errorf("pack %s (-want +got):\n%s\n%s", name, diff, out)
		}
	}
	if n := len(item.Value["all"]); n < 16 {
		s.Errorf("the pack all has %d tools: %q", n, item.Value["all"])
	}
}

// customTool registers a function of a Go program as a tool, like the specification's myCustomTool.
func customTool(s *scene) {
	var registry harness.Registry
	err := registry.Register(harness.Tool{
		Name: "myCustomTool", Description: "Processes input and returns output", RequiresApproval: false,
		Input: json.RawMessage(`{"type": "object", "properties": {"input": {"type": "string", "description": "Input to process"}}, "required": ["input"]}`),
		Run: harness.Func(func(_ context.Context, params struct{ Input string }) (map[string]string, error) {
			return map[string]string{"output": "Processed: " + params.Input}, nil
		}),
	})
	if err != nil {
		s.Fatal(err)
	}
	gateway, err := harness.Start(harness.Config{Registry: &registry, Dir: engine})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := gateway.Close(ctx); err != nil {
			s.Error(err)
		}
	})
	var shown []string
	a := plain(block("return (await tools.app.myCustomTool({ input: 'test' })).output") + block("return await tools.app.myCustomTool({ input: 1 })"))
	a.Parts = append(a.Parts, answer.Part{Call: &answer.Call{ID: "1", Name: "myCustomTool", Args: json.RawMessage(`{"input":"call"}`)}})
	err = harness.Process(s.Context(), gateway, a, harness.Options{}, func(item harness.Item) error {
		switch i := item.(type) {
		case harness.ScriptToolCallOutput:
			text := string(i.Value)
			if i.Error != nil {
				text = i.Error.Code
			}
			shown = append(shown, text)
		case harness.ToolMessage:
			shown = append(shown, i.Content)
		}
		return nil
	})
	if diff := cmp.Diff([]string{`"Processed: test"`, "ScriptCheckError", `{"output":"Processed: call"}`}, shown); err != nil || diff != "" {
		s.Errorf("%v, outputs (-want +got):\n%s", err, diff)
	}
}

// modes processes an answer with a script and a call in each mode.
func modes(s *scene) {
	const answers = `[{"role":"assistant","content":"<tool-calls>return (await tools.workspace.listDir({ dirPath: '.' })).success</tool-calls>",
		"tool_calls":[{"id":"1","function":{"name":"listDir","arguments":"{\"dirPath\":\".\"}"}}]}]`
	for config, want := range map[string][]string{
		``:                                       {"ScriptToolCall", "ScriptToolCallOutput true", "tool"},
		`, "scriptHarness": {"mode": "enabled"}`: {"ScriptToolCall", "ScriptToolCallOutput true", "tool"},
		`, "scriptHarness": {"mode": "dry-run"}`: {"ScriptToolCall", "ScriptToolCallOutput ", "tool"},
		`, "scriptHarness": {"mode": "disabled"}`:                             {"text", "tool"},
		`, "providers": {"openai": {"scriptHarness": {"enabled": false}}}`:    {"text", "tool"},
		`, "providers": {"anthropic": {"scriptHarness": {"enabled": false}}}`: {"ScriptToolCall", "ScriptToolCallOutput true", "tool"},
	} {
		out := program(s.T, `{"mcpServers": {"workspace": {"type": "builtin", "root": ".", "tools": "file-ops"}}`+config+`}`, answers, "harness")
		var got []string
		for line := range strings.Lines(out) {
			var item struct {
				Type  string
				Value json.RawMessage
			}
			if err := json.Unmarshal([]byte(line), &item); err != nil {
				s.Fatal(err)
			}
			text := item.Type
			if text == "ScriptToolCallOutput" {
				text += " " + string(item.Value)
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			s.Errorf("with %q (-want +got):\n%s\n%s", config, diff, out)
		}
	}
}
