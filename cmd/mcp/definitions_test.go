package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/mcp"
)

// The tools are marked so that Claude Code gives them to the model at once, without a search.
func TestToolsAreLoadedAtOnce(t *testing.T) {
	h := overHTTP(t, mcp.Options{})
	session := h.session()
	text := h.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).Body.String()
	if _, data, ok := strings.Cut(text, "data: "); ok {
		text = data
	}
	var answer struct {
		Result struct {
			Tools []struct {
				Name string
				Meta map[string]any `json:"_meta"`
			}
		}
	}
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&answer); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(answer.Result.Tools) != 3 {
		t.Errorf("%d tools, want 3: %s", len(answer.Result.Tools), text)
	}
	for _, tool := range answer.Result.Tools {
		if tool.Meta["anthropic/alwaysLoad"] != true {
			t.Errorf("%s: _meta is %v", tool.Name, tool.Meta)
		}
	}
}
