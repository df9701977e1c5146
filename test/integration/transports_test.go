//go:build integration && linux

package integration

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/test/harness"
)

// node returns the path of the pinned Node, because some servers need a newer one than may be installed.
func node() string { return filepath.Join(peers, "..", "node", "bin", "node") }

// freePort returns a port on which nothing listens.
func freePort(t *testing.T) int {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}

// listening starts server-everything on a free port and returns the port.
func listening(t *testing.T, mode string) int {
	t.Helper()
	port := freePort(t)
	cmd := exec.Command(node(), filepath.Join(peers, "mcp-server-everything"), mode)
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("PORT=%d", port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
	})
	return port
}

// TestOneServerOverThreeTransports connects to the same server over each transport, and over HTTP+SSE
// as the fallback of streamable HTTP.
func TestOneServerOverThreeTransports(t *testing.T) {
	stream, events := listening(t, "streamableHttp"), listening(t, "sse")
	g := gateway(t, fmt.Sprintf(`{"mcpServers": {
		"stdio": {"command": %q, "args": [%q, "stdio"]},
		"http": {"url": "http://127.0.0.1:%d/mcp"},
		"sse": {"type": "sse", "url": "http://127.0.0.1:%d/sse"},
		"fallback": {"type": "http", "url": "http://127.0.0.1:%d/sse"}
	}}`, node(), filepath.Join(peers, "mcp-server-everything"), stream, events, events))
	ready(t, g)
	tools := state(t, g, "http").Tools
	for _, name := range []string{"stdio", "http", "sse", "fallback"} {
		if s := state(t, g, name); s.State != "ready" || s.Tools != tools || tools < 5 {
			t.Errorf("%+v, want ready with %d tools", s, tools)
		}
		if status, r := call(t, g, name+"__echo", map[string]any{"message": "hi"}); status != http.StatusOK || r.Content[0].Text != "Echo: hi" {
			t.Errorf("%s: echo: %d %+v", name, status, r)
		}
		long := map[string]any{"duration": 0.3, "steps": 3}
		if status, r := call(t, g, name+"__trigger-long-running-operation", long); status != http.StatusOK || r.IsError {
			t.Errorf("%s: long running operation: %d %+v", name, status, r)
		}
	}
	reported, err := g.Exec(t.Context(), map[string]any{"code": `
import { tools } from "toolscript";
return await Promise.all([tools.stdio, tools.http, tools.sse, tools.fallback].map(server => server.echo({ message: "hi" })));`})
	if err != nil {
		t.Fatal(err)
	}
	if end := reported[len(reported)-1]; end["ok"] != true || fmt.Sprint(end["value"]) != "[Echo: hi Echo: hi Echo: hi Echo: hi]" {
		t.Errorf("a script: %v", end)
	}
}

// offline are real servers that start and list their tools without a network and without valid
// credentials. Some have a call that also needs neither.
var offline = []struct {
	name, program string
	args          []string
	env           string
	tool          string
	call          map[string]any
	want          string
}{
	{name: "everything", program: "mcp-server-everything", args: []string{"stdio"}, tool: "echo", call: map[string]any{"message": "hi"}, want: "Echo: hi"},
	{name: "filesystem", program: "mcp-server-filesystem", args: []string{"."}, tool: "list_allowed_directories", call: map[string]any{}, want: "Allowed directories"},
	{name: "memory", program: "mcp-server-memory", tool: "read_graph", call: map[string]any{}, want: "entities"},
	{name: "thinking", program: "mcp-server-sequential-thinking", tool: "sequentialthinking",
		call: map[string]any{"thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}, want: "thoughtNumber"},
	{name: "github", program: "mcp-server-github", env: "GITHUB_PERSONAL_ACCESS_TOKEN"},
	{name: "notion", program: "notion-mcp-server", env: "NOTION_TOKEN"},
	{name: "context7", program: "context7-mcp"},
	{name: "firecrawl", program: "firecrawl-mcp", env: "FIRECRAWL_API_KEY"},
	{name: "airtable", program: "airtable-mcp-server", env: "AIRTABLE_API_KEY"},
	{name: "tavily", program: "tavily-mcp", env: "TAVILY_API_KEY"},
	{name: "playwright", program: "playwright-mcp", args: []string{"--headless"}},
}

// TestElevenServersAtOnce starts all of them, lists and calls tools, stops the gateway, and checks
// that none of their processes remains.
func TestElevenServersAtOnce(t *testing.T) {
	var servers []string
	for _, s := range offline {
		args, err := json.Marshal(append([]string{filepath.Join(peers, s.program)}, s.args...))
		if err != nil {
			t.Fatal(err)
		}
		env := ""
		if s.env != "" {
			env = fmt.Sprintf(`, "env": {%q: "none-0123456789"}`, s.env)
		}
		servers = append(servers, fmt.Sprintf(`%q: {"command": %q, "args": %s%s}`, s.name, node(), args, env))
	}
	g := gateway(t, `{"mcpServers": {`+strings.Join(servers, ",\n")+`}}`)
	ready(t, g)
	total := 0
	for _, s := range offline {
		now := state(t, g, s.name)
		if now.State != "ready" || now.Tools == 0 {
			t.Errorf("%+v", now)
		}
		total += now.Tools
		if s.tool == "" {
			continue
		}
		status, r := call(t, g, s.name+"__"+s.tool, s.call)
		if status != http.StatusOK || r.IsError || len(r.Content) == 0 || !strings.Contains(r.Content[0].Text, s.want) {
			t.Errorf("%s: %d %+v", s.tool, status, r)
		}
	}
	below := harness.Descendants(g.PID())
	t.Logf("%d servers, %d tools, %d processes", len(offline), total, len(below))
	if len(below) < len(offline) {
		t.Errorf("%d processes of %d servers", len(below), len(offline))
	}
	if err := g.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := g.Wait(); err != nil {
		t.Errorf("the gateway ended with %v", err)
	}
	if alive := harness.Alive(below); len(alive) > 0 {
		t.Errorf("still there: %+v", alive)
	}
}
