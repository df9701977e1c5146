package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMCPProfile: each script of an MCP client runs under the profile, even one that continues
// after its request has ended.
func TestMCPProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("it is slow")
	}
	files := map[string]string{"home/.toolscript.json": `{
		"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}},
		"profiles": {"reader": {"allow": ["demo__read_file"]}}}`}
	for name, transport := range map[string]func(*testing.T, *world) mcp.Transport{
		"stdio": stdio,
		"stdio with a gateway": func(t *testing.T, w *world) mcp.Transport {
			t.Helper()
			gatewayAtTerminal(t, w)
			return stdio(t, w)
		},
		"http": func(t *testing.T, w *world) mcp.Transport {
			t.Helper()
			gatewayAtTerminal(t, w)
			return overHTTP(t, w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, files)
			w.env = append(w.env, "TOOLSCRIPT_PROFILE=reader")
			session := connectTo(t, transport(t, w), nil, "2025-11-25")
			for _, wait := range []string{"", "1m"} {
				args := map[string]any{"code": "return Object.keys(tools.demo)"}
				if wait != "" {
					args["wait"] = wait
				}
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: args})
				if err != nil {
					t.Fatal(err)
				}
				text := textOf(t, result)
				var run struct{ Value json.RawMessage }
				if json.Unmarshal([]byte(text), &run) != nil || string(run.Value) != `["readFile"]` {
					t.Errorf("wait %q: %s; want the tool of the profile", wait, text)
				}
			}
		})
	}
}
