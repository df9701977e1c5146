package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestAgent uses a fake model that writes a script and then repeats the output of the script.
// The demo server is real; the model is a Chat Completions endpoint.
func TestAgent(t *testing.T) {
	var (
		mu       sync.Mutex
		requests []string
	)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if got := r.Header.Get("Authorization"); got != "Bearer k-123" {
			t.Errorf("Authorization: %q", got)
		}
		mu.Lock()
		requests = append(requests, string(body))
		mu.Unlock()
		text := "I count.\n<tool-calls>\nconst { files } = await tools.demo.listFiles({});\nreturn { counted: files.length };\n</tool-calls>"
		if counted := regexp.MustCompile(`counted\\+":(\d+)`).FindSubmatch(body); counted != nil && strings.Contains(string(body), "ScriptToolCallOutput") {
			text = "There are " + string(counted[1]) + " files."
		}
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, quoted)
	}))
	t.Cleanup(model.Close)
	w := newWorld(t, map[string]string{
		"home/.toolscript.json": fmt.Sprintf(`{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}},
			"providers": {"local": {"api": "chat", "url": %q, "model": "m", "key": "${KEY}"}, "unused": {"scriptHarness": {"enabled": true}}}}`, model.URL+"/v1"),
		"work/one.txt": "1", "work/two.txt": "2",
	})
	w.env = append(w.env, "KEY=k-123")
	r := w.run(t, "agent", "How many files are there?")
	if r.code != 0 || r.stdout != "There are 2 files.\n" {
		t.Errorf("exit code %d\n%s\n%s", r.code, r.stdout, r.stderr)
	}
	if r := w.run(t, "agent", "--turns", "1", "again"); r.code != 1 || !strings.Contains(r.stderr, "within 1 answers") {
		t.Errorf("one turn: exit code %d\n%s", r.code, r.stderr)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(requests) != 3 || !strings.Contains(requests[0], "The servers are: demo.") || !strings.Contains(requests[0], "How many files") {
		t.Errorf("%d requests: %s", len(requests), requests)
	}
}

func TestAgentWithoutAModel(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		args         []string
		code         int
		want         string
	}{
		{"no task", `{"mcpServers": {}}`, []string{"agent"}, 2, "TASK"},
		{"no turns", `{"mcpServers": {}}`, []string{"agent", "--turns", "0", "x"}, 2, "--turns"},
		{"no provider", `{"mcpServers": {}}`, []string{"agent", "x"}, 1, `"providers"`},
		{"two providers", `{"mcpServers": {}, "providers": {"anthropic": {"model": "a"}, "openai": {"model": "b"}}}`, []string{"agent", "x"}, 1, "--provider"},
		{"no URL", `{"mcpServers": {}, "providers": {"local": {"model": "a", "api": "chat"}}}`, []string{"agent", "x"}, 1, `provider "local": the URL`},
		{"variable not set", `{"mcpServers": {}, "providers": {"openai": {"model": "a", "key": "${NO_SUCH_KEY}"}}}`, []string{"agent", "--provider", "openai", "x"}, 1, "not set"},
		{"not reachable", `{"mcpServers": {}, "providers": {"local": {"model": "a", "api": "chat", "url": "http://127.0.0.1:1"}}}`, []string{"agent", "x"}, 1, "cannot be reached"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": tt.config})
			if r := w.run(t, tt.args...); r.code != tt.code || !strings.Contains(r.stderr, tt.want) || r.stdout != "" {
				t.Errorf("exit code %d, want %d and %q\n%s%s", r.code, tt.code, tt.want, r.stdout, r.stderr)
			}
		})
	}
}
