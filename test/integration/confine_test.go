//go:build integration && linux

package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type confinedPart struct {
	Name   string
	Active bool
}

type confinedServer struct {
	Name, State, Error string
	Tools              int
	Confined           []confinedPart
}

// TestConfinedServers starts ten npm servers, each confined to what it needs, and calls those that
// need no account.
func TestConfinedServers(t *testing.T) {
	work, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "note.txt"), []byte("note"), 0o600); err != nil {
		t.Fatal(err)
	}
	one := func(program, args, env, confine string) string {
		return fmt.Sprintf(`{"command": %q, "args": [%s], "env": {%s}, "cwd": %q, "confine": %s}`, filepath.Join(peers, program), args, env, work, confine)
	}
	all := []string{
		`"everything": ` + one("mcp-server-everything", `"stdio"`, "", `"readonly"`),
		`"files": ` + one("mcp-server-filesystem", fmt.Sprintf("%q, %q", work, outside), "", `"project"`),
		`"memory": ` + one("mcp-server-memory", "", fmt.Sprintf(`"MEMORY_FILE_PATH": %q`, filepath.Join(work, "memory.jsonl")), fmt.Sprintf(`{"write": [%q]}`, work)),
		`"thinking": ` + one("mcp-server-sequential-thinking", "", "", `{"net": false}`),
		`"github": ` + one("mcp-server-github", "", `"GITHUB_PERSONAL_ACCESS_TOKEN": "none"`, `{"net": ["api.github.com:443"]}`),
		`"airtable": ` + one("airtable-mcp-server", "", `"AIRTABLE_API_KEY": "none"`, `{"net": ["api.airtable.com:443"]}`),
		`"context7": ` + one("context7-mcp", "", "", `{"net": ["context7.com:443"]}`),
		`"firecrawl": ` + one("firecrawl-mcp", "", `"FIRECRAWL_API_KEY": "none"`, `{"net": ["api.firecrawl.dev:443"]}`),
		`"notion": ` + one("notion-mcp-server", "", `"NOTION_TOKEN": "none"`, `{"net": ["api.notion.com:443"]}`),
		`"tavily": ` + one("tavily-mcp", "", `"TAVILY_API_KEY": "none"`, `{"net": ["api.tavily.com:443"]}`),
	}
	g := gateway(t, `{"mcpServers": {`+strings.Join(all, ",")+`}}`)
	ready(t, g)
	var servers []confinedServer
	if status, err := g.Get(t.Context(), "/servers", &servers); err != nil || status != http.StatusOK || len(servers) != len(all) {
		t.Fatalf("GET /servers: %d %+v, %v", status, servers, err)
	}
	for _, s := range servers {
		if s.State != "ready" || s.Tools == 0 || len(s.Confined) != 3 || slices.ContainsFunc(s.Confined, func(p confinedPart) bool { return !p.Active }) {
			t.Errorf("%+v", s)
		}
	}
	for tool, arguments := range map[string]map[string]any{
		"everything__echo": {"message": "x"}, "files__read_text_file": {"path": filepath.Join(work, "note.txt")},
		"files__write_file":            {"path": filepath.Join(work, "new.txt"), "content": "x"},
		"memory__read_graph":           {},
		"thinking__sequentialthinking": {"thought": "x", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1},
	} {
		if status, r := call(t, g, tool, arguments); status != http.StatusOK || r.IsError {
			t.Errorf("%s: %d %+v", tool, status, r)
		}
	}
	if _, r := call(t, g, "memory__create_entities", map[string]any{"entities": []any{map[string]any{"name": "a", "entityType": "b", "observations": []string{}}}}); r.IsError {
		t.Errorf("memory: %+v", r)
	}
	for tool, arguments := range map[string]map[string]any{
		"files__read_text_file": {"path": filepath.Join(outside, "secret.txt")}, "files__write_file": {"path": filepath.Join(outside, "new.txt"), "content": "x"},
	} {
		status, r := call(t, g, tool, arguments)
		text, _ := json.Marshal(r)
		if !r.IsError || strings.Contains(string(text), `"secret"`) || !strings.Contains(string(text), "EACCES") {
			t.Errorf("outside: %s: %d %s", tool, status, text)
		}
	}
}
