package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// usable is a script that returns the names of the servers that answer a call.
const usable = `
const names: string[] = [];
for (const [name, server] of Object.entries<any>(tools)) {
  await server.tree({}).then(() => names.push(name), () => {});
}
return names`

// TestMCPTakesChanges: if a command adds or disables a server, or an editor adds one before a
// reload, the agent of toolscript mcp gets the change and a notification.
func TestMCPTakesChanges(t *testing.T) {
	for _, entrance := range []string{"stdio", "http", "a named file"} {
		t.Run(entrance, func(t *testing.T) {
			w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
			w.env = append(w.env, "TOOLSCRIPT_DATA_DIR="+newData(t))
			file := filepath.Join(filepath.Dir(w.dir), "home", ".toolscript.json")
			if entrance == "a named file" {
				named := filepath.Join(filepath.Dir(w.dir), "home", "servers.json")
				if err := os.Rename(file, named); err != nil {
					t.Fatal(err)
				}
				file = named
				w.env = append(w.env, "TOOLSCRIPT_CONFIG="+file)
			}
			transport := stdio
			if entrance == "http" {
				gatewayAtTerminal(t, w)
				transport = overHTTP
			}
			changed := make(chan struct{}, 16)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			session, err := client.Connect(t.Context(), transport(t, w), nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() }) // the server reports its end
			names := func() string {
				t.Helper()
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "run_script", Arguments: map[string]any{"code": usable}})
				if err != nil {
					t.Fatal(err)
				}
				var run struct{ Value json.RawMessage }
				text := textOf(t, result)
				if err := json.Unmarshal([]byte(text), &run); err != nil || run.Value == nil {
					t.Fatalf("%s: %v", text, err)
				}
				return string(run.Value)
			}
			if got := names(); got != `["demo"]` {
				t.Fatalf("the servers are %q", got)
			}
			for _, step := range []struct{ command, want string }{
				{"disable demo --yes", `[]`},
				{"enable demo --yes", `["demo"]`},
				{"add more --yes -- toolscript mcp-demo", `["demo","more"]`},
				{"remove more --yes", `["demo"]`},
			} {
				r := w.run(t, strings.Fields(step.command)...)
				if r.code != 0 || !strings.Contains(r.stderr, "gateway at 127.0.0.1:") {
					t.Errorf("%s: %+v, want the gateway that has taken the change", step.command, r)
				}
				<-changed
				if got := names(); got != step.want {
					t.Errorf("after %s, the servers are %s, want %s", step.command, got, step.want)
				}
			}
			if err := os.WriteFile(file, []byte(`{"mcpServers": {"other": {"command": "toolscript", "args": ["mcp-demo"]}}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			r := w.run(t, "gateway", "reload", "--dry-run")
			if r.code != 5 || !strings.Contains(r.stdout, "other\tadd") || !strings.Contains(r.stdout, "demo\tremove") {
				t.Errorf("gateway reload --dry-run: %+v", r)
			}
			if line := "): demo: remove; other: add\n"; strings.Contains(r.stderr, line) != (entrance != "http") {
				t.Errorf("gateway reload --dry-run: %+v, want a line with %q for toolscript mcp", r, line)
			}
			if got := names(); got != `["demo"]` {
				t.Errorf("after gateway reload --dry-run, the servers are %s", got)
			}
			if r := w.run(t, "gateway", "reload"); r.code != 0 || !strings.Contains(r.stdout, "added other; removed demo;") {
				t.Errorf("gateway reload: %+v", r)
			}
			<-changed
			if got := names(); got != `["other"]` {
				t.Errorf("after gateway reload, the servers are %s", got)
			}
		})
	}
}

// TestChangeWithoutAGateway: a command that changes a file says that no gateway applied the change.
func TestChangeWithoutAGateway(t *testing.T) {
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	if r := w.run(t, "disable", "demo", "--yes"); r.code != 0 || !strings.Contains(r.stderr, "no running gateway has taken the change") {
		t.Errorf("disable: %+v", r)
	}
}
