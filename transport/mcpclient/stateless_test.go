package mcpclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestStateless uses MCP 2026-07-28 with the server of mcp-go.
func TestStateless(t *testing.T) {
	s := server.NewMCPServer("modern", "1.0.0", server.WithToolCapabilities(true))
	echo := mcp.NewToolWithRawSchema("echo", "Returns its text.",
		json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","x-mcp-header":"Text"}}}`))
	answer := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	}
	s.AddTool(echo, answer)
	over := server.NewStreamableHTTPServer(s)
	var mu sync.Mutex
	seen := map[string]http.Header{}
	front := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Header.Get("Mcp-Method")] = r.Header.Clone()
		mu.Unlock()
		over.ServeHTTP(w, r)
	}))
	header := func(method, name string) string {
		mu.Lock()
		defer mu.Unlock()
		return seen[method].Get(name)
	}

	changed := make(chan struct{}, 10)
	c := dial(t, upstream.Config{Type: upstream.HTTP, URL: front + "/mcp", Protocol: upstream.Stateless},
		upstream.Events{ToolsChanged: func() { changed <- struct{}{} }})
	if got := c.Info().Protocol; got != upstream.Stateless {
		t.Fatalf("protocol %s, want %s", got, upstream.Stateless)
	}
	if tools, err := c.ListTools(kit.Within(t)); err != nil || len(tools) != 1 {
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	if got := text(t, c, "echo", `{"text":"hi"}`); got != "hi" {
		t.Errorf("echo = %q", got)
	}
	if err := c.Ping(kit.Within(t)); err != nil { // this version of MCP has no ping
		t.Errorf("Ping = %v", err)
	}
	for name, want := range map[string]string{"Mcp-Protocol-Version": upstream.Stateless, "Mcp-Name": "echo", "Mcp-Param-Text": "hi", "Mcp-Session-Id": ""} {
		if got := header("tools/call", name); got != want {
			t.Errorf("header %s = %q, want %q", name, got, want)
		}
	}
	kit.Eventually(t, "the subscription", func() bool { return header("subscriptions/listen", "Mcp-Method") != "" })
	kit.Eventually(t, "a changed list", func() bool {
		s.AddTool(mcp.NewTool("another"), answer)
		select {
		case <-changed:
			return true
		default:
			return false
		}
	})
}

// question is a first answer to a call that asks for input.
const question = `{"resultType":"input_required","requestState":"abc","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"who?"}}}}`

// The server asks for input during a call. In MCP 2026-07-28, such results replace requests of the server.
func TestStatelessQuestions(t *testing.T) {
	cfg := upstream.Config{Type: upstream.HTTP, Protocol: upstream.Stateless, URL: serve(t, answering(func(_ http.ResponseWriter, a asked) string {
		var m struct {
			Params struct {
				InputResponses json.RawMessage `json:"inputResponses"`
				RequestState   string          `json:"requestState"`
			} `json:"params"`
		}
		switch _ = json.Unmarshal([]byte(a.text), &m); { // answering has read it
		case a.Method == "server/discover":
			return a.result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		case a.Method != "tools/call":
			return ""
		case m.Params.RequestState != "abc":
			return a.result(question)
		}
		said, _ := json.Marshal(string(m.Params.InputResponses)) // a string always has a JSON form
		return a.result(`{"resultType":"complete","content":[{"type":"text","text":` + string(said) + `}]}`)
	}))}

	_, err := dial(t, cfg, upstream.Events{}).CallTool(kit.Within(t), "x", nil, nil)
	if err == nil {
		t.Fatal("a question that nobody answers has a result")
	}
	wantText(t, "error", err.Error(), "elicitation/create", "not supported")

	person := dial(t, cfg, upstream.Events{Elicit: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"action":"decline"}`), nil
	}})
	if got := text(t, person, "x", `{}`); got != `{"who":{"action":"decline"}}` {
		t.Errorf("the server was told %s", got)
	}
}

// MCP 2026-07-28 forbids two parameters in one HTTP header. The client leaves out such a tool, but only if it
// repeats parameters in headers.
func TestInvalidParameterHeaders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	const twice = `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`
	if err := os.WriteFile(file, []byte(`[{"name":"fine","inputSchema":{"type":"object"}},{"name":"twice","inputSchema":`+twice+`}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, kind := range map[int][]string{1: {upstream.HTTP, "modern"}, 2: {upstream.HTTP}} {
		cfg, _ := started(t, append(kind, "tools="+file)...)
		if tools, err := dial(t, cfg, upstream.Events{}).ListTools(kit.Within(t)); err != nil || len(tools) != want {
			t.Errorf("%q: %d tools, %v, want %d", kind, len(tools), err, want)
		}
	}
}
