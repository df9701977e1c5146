//go:build integration && linux

package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tiktoken-go/tokenizer"

	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/harness"
)

// entrances are the ways to reach the MCP server: `toolscript mcp`, and /mcp of a gateway.
var entrances = []string{"stdio", "http"}

// mcpClient connects a client of the official Go SDK to the MCP server.
func mcpClient(t *testing.T, entrance string, p harness.Program, config string, o *mcp.ClientOptions, version ...string) *mcp.ClientSession {
	t.Helper()
	path := p.Configured(t, config)
	var transport mcp.Transport = &mcp.CommandTransport{Command: p.Command(context.WithoutCancel(t.Context()), "mcp", "--config", path)}
	if entrance == "http" {
		p.Serve(t, "--config", path)
		a := mcpAddressOf(t, p, path)
		transport = &mcp.StreamableClientTransport{Endpoint: a.Endpoint, HTTPClient: &http.Client{Transport: a}}
	}
	return session(t, transport, o, version...)
}

func session(t *testing.T, transport mcp.Transport, o *mcp.ClientOptions, version ...string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: strings.Join(version, "")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return session
}

// mcpAddress is the output of `toolscript mcp --http --json`.
type mcpAddress struct {
	URL, Endpoint string
	Headers       map[string]string
}

func mcpAddressOf(t *testing.T, p harness.Program, config string) (a mcpAddress) {
	t.Helper()
	out, err := p.Command(t.Context(), "mcp", "--http", "--json", "--config", config).Output()
	if err == nil {
		err = json.Unmarshal(out, &a)
	}
	if err != nil || len(a.Headers) != 1 || !strings.HasSuffix(a.URL, strings.TrimPrefix(a.Headers["Authorization"], "Bearer ")+"/mcp") {
		t.Fatalf("toolscript mcp --http printed %q: %v", out, err)
	}
	return a
}

// RoundTrip implements http.RoundTripper. It adds the headers to a request.
func (a mcpAddress) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range a.Headers {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// callTool calls a tool and decodes the text of its result.
func callTool[R any](t *testing.T, s *mcp.ClientSession, name string, args map[string]any) (r R, failed bool) {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, is := result.Content[0].(*mcp.TextContent)
	if !is || json.Unmarshal([]byte(text.Text), &r) != nil {
		t.Fatalf("%s: %s", name, content(result))
	}
	return r, result.IsError
}

func content(result *mcp.CallToolResult) string {
	text, _ := json.Marshal(result.Content) // it was decoded from JSON
	return string(text)
}

type runAnswer struct {
	OK      bool            `json:"ok"`
	Value   json.RawMessage `json:"value"`
	Output  string          `json:"output"`
	Error   *struct{ Code, Message string }
	Notices []string
	Run     string
	Rest    string
}

// TestMCPEntrance uses the three tools as an agent would: with the command's own gateway, with another
// gateway of the same configuration, and over HTTP. The test has no short form, because each of the
// three has its own gateway.
func TestMCPEntrance(t *testing.T) {
	for _, entrance := range []string{"stdio", "stdio with a shared gateway", "http"} {
		t.Run(entrance, func(t *testing.T) {
			p, config := program(t), servers(t)
			if entrance == "stdio with a shared gateway" {
				path := p.Configured(t, config)
				p.Serve(t, "--config", path)
			}
			s := mcpClient(t, entrance, p, config, nil)
			useTools(t, s)
			useNeeds(t, s)
		})
	}
}

func useTools(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	found, _ := callTool[struct {
		Results []struct{ Name, Description string }
	}](t, s, "search_tools", map[string]any{"query": "read a text file", "limit": 3})
	if len(found.Results) == 0 || !strings.HasPrefix(found.Results[0].Name, "filesystem.read") {
		t.Fatalf("found %+v", found)
	}
	described, failed := callTool[struct {
		Types  string
		Errors []string
	}](t, s, "describe_tools", map[string]any{"names": []string{found.Results[0].Name, "memory.nothing"}})
	if failed || !strings.Contains(described.Types, "path") || len(described.Errors) != 1 {
		t.Errorf("described %+v", described)
	}
	run, failed := callTool[runAnswer](t, s, "run_script", map[string]any{"code": `console.log("here"); return (await tools.everything.echo({ message: "hello" }))`})
	if failed || !run.OK || !strings.Contains(string(run.Value), "hello") || run.Output != "here\n" || run.Run == "" {
		t.Errorf("run %+v", run)
	}
	for code, kind := range map[string]string{"return tools.everything.echo({ mesage: 1 })": "check", "throw new Error('no')": "threw"} {
		run, failed = callTool[runAnswer](t, s, "run_script", map[string]any{"code": code})
		if !failed || run.OK || run.Error == nil || run.Error.Code != kind || !strings.Contains(run.Error.Message, "script.ts:1:") {
			t.Errorf("%s: %+v %+v", code, run, run.Error)
		}
	}
	run, failed = callTool[runAnswer](t, s, "run_script", map[string]any{"code": `const all: string[] = [];
["a", "b"].forEach(async (message, i) => { all[i] = await tools.everything.echo({ message }); }); return all`})
	if failed || !run.OK || len(run.Notices) > 0 || strings.Count(string(run.Value), "Echo") != 2 {
		t.Errorf("calls without await: %+v", run)
	}
	run, failed = callTool[runAnswer](t, s, "run_script", map[string]any{"code": `tools.everything.triggerLongRunningOperation({ duration: 60, steps: 2 }); await tools.everything.echo({ message: "x" }); exit(0)`})
	if failed || len(run.Notices) != 1 || !strings.HasSuffix(run.Notices[0], "were cancelled: everything__trigger-long-running-operation") {
		t.Errorf("an exit during a call: %+v", run)
	}
	run, _ = callTool[runAnswer](t, s, "run_script", map[string]any{"code": "for (;;);", "timeout": 0.5})
	if run.Error == nil || run.Error.Code != "limit_time" {
		t.Errorf("timeout: %+v", run)
	}
}

// readLargeValue reads the rest of a value without a limit of tokens as a resource.
func readLargeValue(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	run, failed := callTool[runAnswer](t, s, "run_script", map[string]any{"code": "return Array.from({ length: 20_000 }, (_, i) => i)"})
	if failed || len(run.Value) > 30_000 || len(run.Notices) != 1 {
		t.Fatalf("%d bytes, notices %q, error %+v", len(run.Value), run.Notices, run.Error)
	}
	_, uri, _ := strings.Cut(run.Notices[0], "resource ")
	uri, _, _ = strings.Cut(uri, "?")
	read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri + "?range=100000-100019"})
	if err != nil || len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, ",") || len(read.Contents[0].Text) != 20 {
		t.Errorf("%s: %+v, %v", uri, read, err)
	}
}

// TestMCPBudget limits the tokens of a value and of the console output, and reads the rest as resources.
func TestMCPBudget(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			s := mcpClient(t, entrance, program(t), `{"mcpServers": {}}`, nil)
			limitTokens(t, s)
			readLargeValue(t, s)
		})
	}
}

func limitTokens(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	const budget = 100
	run, failed := callTool[runAnswer](t, s, "run_script", map[string]any{
		"code": `for (let i = 0; i < 1000; i++) console.log("line " + i + " ä"); return Array.from({ length: 1000 }, (_, n) => ({ n, text: "ö" }))`, "maxTokens": budget,
	})
	// 4 bytes per token, and the markers of the parts that are left out.
	if failed || len(run.Value) > budget*4+60 || !json.Valid(run.Value) || len(run.Output) > budget*4+60 || len(run.Notices) != 2 {
		t.Fatalf("value of %d bytes, output of %d bytes, notices %q, error %+v", len(run.Value), len(run.Output), run.Notices, run.Error)
	}
	for line := range strings.SplitSeq(strings.TrimSpace(run.Output), "\n") {
		if !strings.HasSuffix(line, " ä") && !strings.Contains(line, " bytes are left out") {
			t.Errorf("part of a line: %q", line)
		}
	}
	for i, want := range []string{"line 500 ä\n", `{"n":500,"text":"ö"}`} {
		_, uri, _ := strings.Cut(run.Notices[i], "read resource ")
		uri, _, _ = strings.Cut(uri, "?")
		read, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri + "?range=0-60000"})
		if err != nil || len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, want) {
			t.Errorf("%s: %v", run.Notices[i], err)
		}
	}
	readOn(t, s, run)
}

// readOn reads the rest of a value with run_script, without resources.
func readOn(t *testing.T, s *mcp.ClientSession, run runAnswer) {
	t.Helper()
	var whole []byte
	for n := range 1000 {
		whole = fmt.Appendf(whole, `,{"n":%d,"text":"ö"}`, n)
	}
	whole[0] = '['
	whole = append(whole, ']')
	got := ""
	for notice := run.Notices[1]; ; {
		_, text, more := strings.Cut(notice, "run_script ")
		if !more {
			break
		}
		var next struct {
			Run  string
			From int
		}
		if err := json.Unmarshal([]byte(text), &next); err != nil || next.From == 0 {
			t.Fatalf("%s: %v", notice, err)
		}
		if got == "" {
			whole = whole[next.From:]
		}
		part, failed := callTool[runAnswer](t, s, "run_script", map[string]any{"run": next.Run, "from": next.From, "maxTokens": 1501})
		if failed || !part.OK || len(part.Rest) > 1501*4 || len(part.Notices) != 1 {
			t.Fatalf("from %d: %+v", next.From, part)
		}
		got += part.Rest
		notice = part.Notices[0]
	}
	if got != string(whole) {
		t.Errorf("the rest is %.200q and %d bytes, want %.200q and %d", got, len(got), whole, len(whole))
	}
	if part, failed := callTool[runAnswer](t, s, "run_script", map[string]any{"run": run.Run, "from": 0}); failed || !strings.HasPrefix(part.Rest, `[{"n":0,"text":"ö"}`) {
		t.Errorf("from the beginning: %+v", part)
	}
	for _, wrong := range []map[string]any{{"from": 5}, {"run": "run_0123456789abcdef", "from": 5}, {"run": run.Run, "from": -1}} {
		if result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: wrong}); err != nil || !result.IsError {
			t.Errorf("%v: %+v, %v", wrong, result, err)
		}
	}
}

// useNeeds: if a required tool is missing, nothing of the script runs.
func useNeeds(t *testing.T, s *mcp.ClientSession) {
	t.Helper()
	code := `console.log("begun"); return await tools.everything.echo({ message: "x" })`
	run, failed := callTool[runAnswer](t, s, "run_script", map[string]any{"code": code, "needs": []string{"everything__echo", "everything.nothing"}})
	if !failed || run.OK || run.Output != "" || run.Error == nil || run.Error.Code != "missing_tools" || !strings.Contains(run.Error.Message, "everything.nothing: server everything has no such tool") {
		t.Errorf("%+v %+v", run, run.Error)
	}
	run, failed = callTool[runAnswer](t, s, "run_script", map[string]any{"code": code, "needs": []string{"everything.ec*"}})
	if failed || !run.OK || run.Output != "begun\n" {
		t.Errorf("%+v %+v", run, run.Error)
	}
}

// TestMCPQuestions passes a question of a server through to the client: as a request to the client,
// and in MCP 2026-07-28 as a result that asks for input.
func TestMCPQuestions(t *testing.T) {
	for _, entrance := range entrances {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(entrance+" "+version, func(t *testing.T) { askQuestions(t, entrance, version) })
		}
	}
}

func askQuestions(t *testing.T, entrance, version string) {
	t.Helper()
	var asked atomic.Int64
	s := mcpClient(t, entrance, program(t), servers(t), &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked.Add(1)
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	}, version)
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Fatalf("protocol %s", got)
	}
	run, failed := callTool[runAnswer](t, s, "run_script", map[string]any{
		"code":    `const ask = () => tools.everything.triggerElicitationRequest({}); return [await ask(), await ask()]`,
		"timeout": 60,
	})
	if failed || asked.Load() != 2 || strings.Count(string(run.Value), "declined") != 2 {
		t.Errorf("asked %d times: %+v %+v", asked.Load(), run, run.Error)
	}
}

// TestMCPDefinitionsAreSmall counts the tokens of all definitions and instructions as a model reads
// them, and those of `toolscript prompt`.
func TestMCPDefinitionsAreSmall(t *testing.T) {
	p := program(t)
	s := mcpClient(t, "stdio", p, `{"mcpServers": {}}`, nil)
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		tool.Meta = nil // read by the client, not by the model
	}
	text, err := json.Marshal(tools.Tools)
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := p.Command(t.Context(), "prompt").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, limited := range []struct {
		name, text string
		most       int
	}{{"definitions", string(text) + s.InitializeResult().Instructions, 700}, {"prompt", string(prompt), 400}} {
		n, err := codec.Count(limited.text)
		if err != nil || n > limited.most {
			t.Errorf("%s: %d tokens, want at most %d: %v", limited.name, n, limited.most, err)
		}
		t.Logf("%s: %d tokens", limited.name, n)
	}
}

// TestMCPProgressAndCancel receives progress of the calls of a script and then cancels it.
func TestMCPProgressAndCancel(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) { cancelRun(t, entrance) })
	}
}

func cancelRun(t *testing.T, entrance string) {
	t.Helper()
	calling := make(chan string, 100)
	s := mcpClient(t, entrance, program(t), servers(t), &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { calling <- r.Params.Message },
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	params := &mcp.CallToolParams{Name: "run_script", Arguments: map[string]any{
		"code": `await tools.everything.echo({ message: "x" }); await new Promise(() => setTimeout(() => {}, 600_000))`, "timeout": 600,
	}}
	params.SetProgressToken("token")
	ended := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, params)
		ended <- err
	}()
	for message := range calling {
		if strings.Contains(message, "everything__echo") {
			break
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call was not cancelled")
	}
	// The server still answers, and the cancelled run has ended.
	deadline, stop := context.WithTimeout(t.Context(), pace.Limit(30*time.Second))
	defer stop()
	if err := harness.Until(deadline, func() (bool, error) {
		run, _ := callTool[runAnswer](t, s, "run_script", map[string]any{"code": "return 1"})
		return run.OK, nil
	}); err != nil {
		t.Error(err)
	}
}
