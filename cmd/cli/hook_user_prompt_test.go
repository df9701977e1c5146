package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// submit sends a prompt to the hook and returns what the model is shown.
func (w *world) submit(t *testing.T, session, prompt string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"session_id": session, "cwd": w.dir, "hook_event_name": "UserPromptSubmit", "prompt": prompt})
	if err != nil {
		t.Fatal(err)
	}
	r := w.hook(t, "user-prompt-submit", string(text))
	if r.code != 0 || r.stderr != "" {
		t.Errorf("%q: code %d; stderr:\n%s", prompt, r.code, r.stderr)
	}
	if r.stdout == "" {
		return ""
	}
	var answer struct {
		Output struct {
			Event string `json:"hookEventName"`
			Text  string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(r.stdout), &answer); err != nil || answer.Output.Event != "UserPromptSubmit" {
		t.Errorf("stdout = %q, %v", r.stdout, err)
	}
	return answer.Output.Text
}

// promptWorld returns a world whose data folder has the tool list of the demo server.
func promptWorld(t *testing.T, settings string) *world {
	t.Helper()
	config := `{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}}` + settings + `}`
	w := newWorld(t, map[string]string{"home/.toolscript.json": config})
	w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
	if r := w.run(t, "search", "anything"); r.code != 0 {
		t.Fatalf("search: %+v", r)
	}
	return w
}

// fitting is a prompt that needs a tool of the demo server.
const fitting = "Search the text TODO with the demo server and count the lines per file"

func TestUserPromptSubmit(t *testing.T) {
	w := promptWorld(t, "")
	for _, prompt := range []string{"", "  \n", "/demo search text", "thanks, that works", "refactor this function to use generics"} {
		if shown := w.submit(t, "one", prompt); shown != "" {
			t.Errorf("%q: the model is shown %q", prompt, shown)
		}
	}
	shown := w.submit(t, "one", fitting)
	if !strings.Contains(shown, "demo.searchText") {
		t.Errorf("the model is shown %q", shown)
	}
	if again := w.submit(t, "one", fitting); again != "" {
		t.Errorf("the second time the model is shown %q", again)
	}
	if other := w.submit(t, "two", fitting); other != shown {
		t.Errorf("in another session the model is shown %q, want %q", other, shown)
	}
	if r := w.hook(t, "user-prompt-submit", "{"); r != (result{}) {
		t.Errorf("an input that is not JSON: %+v", r)
	}
}

func TestUserPromptSubmitIsSilent(t *testing.T) {
	const demo = `{"command": "toolscript", "args": ["mcp-demo"]`
	for _, tt := range []struct{ name, home, project, variable string }{
		{name: "switched off", home: `{"mcpServers": {"demo": ` + demo + `}}, "suggestions": {"enabled": false}}`},
		{name: "a broken configuration", home: `{"mcpServers": `},
		{name: "another configuration of the server", home: `{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo", "/"]}}}`},
		{name: "the server is disabled", home: `{"mcpServers": {"demo": ` + demo + `, "disabled": true}}}`},
		{name: "the tools are excluded", home: `{"mcpServers": {"demo": ` + demo + `, "excludeTools": ["*"]}}}`},
		{name: "a project that is not trusted replaces the server", project: `{"mcpServers": {"demo": ` + demo + `}}}`},
		{name: "no data folder", variable: "TOOLSCRIPT_DATA_DIR=/dev/null/x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := promptWorld(t, "")
			base := filepath.Dir(w.dir)
			for path, text := range map[string]string{filepath.Join(base, "home"): tt.home, w.dir: tt.project} {
				if text == "" {
					continue
				}
				if err := os.WriteFile(filepath.Join(path, ".toolscript.json"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			w.env = append(w.env, tt.variable)
			if shown := w.submit(t, "one", fitting); shown != "" {
				t.Errorf("the model is shown %q", shown)
			}
		})
	}
}

// TestUserPromptSubmitWithAModel checks that the model's queries replace the prompt, and
// that the prompt is searched when the model fails.
func TestUserPromptSubmitWithAModel(t *testing.T) {
	var mu sync.Mutex
	var answer, path, key string
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		path, key = r.URL.Path, r.Header.Get("Authorization")
		w.WriteHeader(status)
		text, _ := json.Marshal(answer)
		_, _ = w.Write([]byte(`{"choices": [{"message": {"role": "assistant", "content": ` + string(text) + `}}]}`))
	}))
	defer server.Close()
	w := promptWorld(t, `, "suggestions": {"model": {"url": "`+server.URL+`/v1", "model": "m", "key": "${MODEL_KEY}"}}`)
	w.env = append(w.env, "MODEL_KEY=s3cret")
	for _, tt := range []struct {
		session, prompt, answer string
		status                  int
		want                    bool
	}{
		{"queries", "where are my open points?", "```json\n{\"toolQueries\": [\"demo search text\"]}\n```", http.StatusOK, true},
		{"no query", fitting, `{"toolQueries": []}`, http.StatusOK, false},
		{"no JSON", fitting, "I cannot", http.StatusOK, true},
		{"no field", fitting, "{}", http.StatusOK, true},
		{"an error", fitting, "", http.StatusTooManyRequests, true},
	} {
		mu.Lock()
		answer, status = tt.answer, tt.status
		mu.Unlock()
		for try := range 10 { // on a busy machine the model may not answer within a second
			shown := w.submit(t, fmt.Sprint(tt.session, try), tt.prompt)
			if strings.Contains(shown, "demo.searchText") == tt.want {
				break
			}
			if try == 9 {
				t.Errorf("%s: the model is shown %q", tt.session, shown)
			}
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if path != "/v1/chat/completions" || key != "Bearer s3cret" {
		t.Errorf("path %q, authorization %q", path, key)
	}
}
