//go:build integration && linux

package plugin_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// TestMCPEntrance uses toolscript as an MCP server of the client, without the plugin: over stdio and
// over HTTP, configured by the project's .mcp.json.
func TestMCPEntrance(t *testing.T) {
	t.Run("stdio", func(t *testing.T) {
		w := newWorld(t, map[string]string{"home/.toolscript.json": everything})
		w.useEntrance(t, `{"type": "stdio", "command": "toolscript", "args": ["mcp"]}`)
	})
	t.Run("http", func(t *testing.T) {
		w := newWorld(t, map[string]string{"home/.toolscript.json": everything})
		p := harness.Program{Bin: program, Home: w.home, Env: w.env}
		g, err := p.StartGateway(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := g.Stop(); err != nil {
				t.Error(err)
			}
		})
		w.useEntrance(t, `{"type": "http", "url": "`+g.URL+`/mcp"}`)
	})
}

// useEntrance makes the client call run_script of a server that .mcp.json configures.
func (w *world) useEntrance(t *testing.T, server string) {
	t.Helper()
	path := filepath.Join(w.project, ".mcp.json")
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"toolscript": `+server+`}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const tool = "mcp__toolscript__run_script"
	w.model.then([]block{{tool: tool, input: object{"code": `return tools.everything.echo({ message: "hello" })`, "timeout": 100}}}, say("done"))
	s := w.start(t, "--mcp-config", path, "--strict-mcp-config", "--allowedTools", tool)
	if r := s.prompt(t, "go"); r.Result != "done" || r.IsError || len(r.Denials) > 0 {
		t.Errorf("result = %+v", r)
	}
	if r := w.model.last(t); r.error || !strings.Contains(r.text, "Echo: hello") || !strings.Contains(r.text, `"ok":true`) {
		t.Errorf("the model was shown %+v", r)
	}
	s.end(t)
}
