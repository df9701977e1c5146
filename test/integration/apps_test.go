//go:build integration && linux

package integration

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscript/toolscript/test/harness"
)

// shownApps is what a client of the official Go SDK with apps has got.
type shownApps struct {
	tools   map[string]any // _meta.ui by name
	results map[string]string
	page    string
}

// TestAppsOfBothEntrances: a client with apps lists and calls the tools of apps, and reads their pages, at
// `toolscript mcp` with its own gateway and with a running one, and at /mcp, in both generations of MCP. A profile
// narrows them.
func TestAppsOfBothEntrances(t *testing.T) {
	for _, entrance := range []string{"own", "running", "http"} {
		for _, version := range []string{"2025-11-25", "2026-07-28"} {
			t.Run(entrance+" "+version, func(t *testing.T) {
				got := appsAt(t, entrance, version, "")
				if diff := fmt.Sprint(got.tools); !strings.Contains(diff, "board__show:map[resourceUri:ui://board/board/page.html]") ||
					!strings.Contains(diff, "count:map[visibility:[app]]") || !strings.Contains(diff, "board__count:map[visibility:[app]]") || len(got.tools) != 9 {
					t.Errorf("tools %v", got.tools)
				}
				if !strings.Contains(got.results["ask"], `"text":"refused: `) {
					t.Errorf("the question of a server: %s", got.results["ask"])
				}
				for name, text := range map[string]string{"board__show": "shown", "show": "shown", "count": "counted", "board__count": "counted"} {
					for _, want := range []string{`"structuredContent":{"text":"` + text + `"}`, `"board/private":"` + text + `"`} {
						if !strings.Contains(got.results[name], want) {
							t.Errorf("%s: %s", name, got.results[name])
						}
					}
				}
				if !strings.Contains(got.page, `"uri":"ui://board/board/page.html"`) || !strings.Contains(got.page, `"ui":{"csp":{"connectDomains":["https://a.example"]}}`) {
					t.Errorf("the page: %s", got.page)
				}
			})
		}
		t.Run(entrance+" narrow", func(t *testing.T) {
			got := appsAt(t, entrance, "2025-11-25", "narrow")
			if _, has := got.tools["count"]; has || len(got.tools) != 5 || !strings.Contains(got.results["count"], "there is no tool") || !strings.Contains(got.page, "board/page.html") {
				t.Errorf("%+v", got)
			}
		})
	}
}

func appsAt(t *testing.T, entrance, version, profile string) shownApps {
	t.Helper()
	p := program(t)
	server, err := filepath.Abs("apps_server.mjs")
	if err != nil {
		t.Fatal(err)
	}
	path := p.Configured(t, fmt.Sprintf(`{"mcpServers": {"board": {"command": %q, "args": [%q]}}, "profiles": {"narrow": {"allow": ["board__show"]}}}`, node(), server))
	if entrance != "own" {
		p.Serve(t, "--config", path)
	}
	o := &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}
	o.Capabilities.AddExtension("io.modelcontextprotocol/ui", map[string]any{"mimeTypes": []string{"text/html;profile=mcp-app"}})
	return readApps(t, session(t, appsTransport(t, entrance, p, path, profile), o, version))
}

func appsTransport(t *testing.T, entrance string, p harness.Program, path, profile string) mcp.Transport {
	t.Helper()
	args := []string{"mcp", "--config", path}
	if profile != "" {
		args = append(args, "--profile", profile)
	}
	if entrance != "http" {
		return &mcp.CommandTransport{Command: p.Command(context.WithoutCancel(t.Context()), args...)}
	}
	a := mcpAddressOf(t, p, path)
	if profile != "" {
		a.Endpoint += "?profile=" + profile
	}
	return &mcp.StreamableClientTransport{Endpoint: a.Endpoint, HTTPClient: &http.Client{Transport: a}}
}

func readApps(t *testing.T, s *mcp.ClientSession) shownApps {
	t.Helper()
	got := shownApps{map[string]any{}, map[string]string{}, ""}
	tools, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		got.tools[tool.Name] = tool.Meta["ui"]
	}
	for _, name := range []string{"board__show", "show", "count", "board__count", "ask"} {
		result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
		text, _ := json.Marshal(result) // it was decoded from JSON
		got.results[name] = fmt.Sprintf("%s %v", text, err)
	}
	page, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ui://board/board/page.html"})
	text, _ := json.Marshal(page) // it was decoded from JSON
	got.page = fmt.Sprintf("%s %v", text, err)
	return got
}
