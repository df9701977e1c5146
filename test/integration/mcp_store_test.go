//go:build integration

package integration

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type described struct {
	Types  string
	Errors []string
}

// TestMCPStore: values of the store are kept between scripts, and describe_tools shows their types.
func TestMCPStore(t *testing.T) {
	for _, entrance := range entrances {
		t.Run(entrance, func(t *testing.T) {
			s := mcpClient(t, entrance, program(t), `{"mcpServers": {}}`, nil)
			kept, failed := callTool[runAnswer](t, s, "run_script", map[string]any{"code": `await store.set("seen", [{ id: 1 }])`})
			if failed {
				t.Fatalf("set: %+v", kept)
			}
			if read, failed := callTool[runAnswer](t, s, "run_script", map[string]any{"code": `return await store.get("seen")`}); failed || string(read.Value) != `[{"id":1}]` {
				t.Errorf("the next script: %+v", read)
			}
			for _, name := range []string{"store", "$store"} {
				d, failed := callTool[described](t, s, "describe_tools", map[string]any{"names": []string{name}})
				if failed || !strings.Contains(d.Types, "update<T = any>") || !strings.Contains(d.Types, `{ id?: number; [key: string]: any }[] */`+"\n"+`  get(key: "seen"`) {
					t.Errorf("%s: %+v", name, d)
				}
			}
		})
	}
}

// TestMCPSessions: each MCP client of the gateway has its own values.
func TestMCPSessions(t *testing.T) {
	const version = "2025-06-18" // a version of MCP with sessions
	p := program(t)
	one := mcpClient(t, "http", p, `{"mcpServers": {}}`, nil, version)
	address := mcpAddressOf(t, p, filepath.Join(p.Dir, "config.json"))
	two := session(t, &mcp.StreamableClientTransport{Endpoint: address.Endpoint, HTTPClient: &http.Client{Transport: address}}, nil, version)
	get := map[string]any{"code": `return (await store.get("mine")) ?? "nothing"`}
	if _, failed := callTool[runAnswer](t, one, "run_script", map[string]any{"code": `await store.set("mine", 1)`}); failed {
		t.Fatal("set failed")
	}
	for s, want := range map[*mcp.ClientSession]string{one: `1`, two: `"nothing"`} {
		if read, failed := callTool[runAnswer](t, s, "run_script", get); failed || string(read.Value) != want {
			t.Errorf("got %s, want %s: %+v", read.Value, want, read.Error)
		}
	}
}
