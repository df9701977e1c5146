package harness_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestServersOfAllTypes calls the tool of a server that is neither an MCP server nor built in.
func TestServersOfAllTypes(t *testing.T) {
	g, err := harness.Start(harness.Config{Servers: map[string]upstream.Config{"programs": {
		Type: upstream.Command, Root: t.TempDir(), Commands: json.RawMessage(`{"greet": {"run": ["echo", "hello"]}}`),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // the test is over
	got, err := g.CallTool(t.Context(), toolscript.Call{ID: "programs__greet", Args: json.RawMessage(`{}`), Wait: time.Minute})
	if err != nil || !strings.Contains(string(got), "hello") {
		t.Errorf("%s %v", got, err)
	}
}
