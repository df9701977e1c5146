//go:build integration && linux

// Package inspector tests the MCP server of the built program with the command line of the MCP
// Inspector, which package-lock.json in this folder pins.
package inspector

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript/test/harness"
)

const (
	inspector = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
	node      = "../node_modules/node/bin/node"
	bound     = 2 * time.Minute
)

// TestInspector lists the tools, runs a script and gets an error, over stdio and over HTTP.
func TestInspector(t *testing.T) {
	for _, path := range []string{inspector, node} {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("%v\nthe test needs it: npm ci --prefix test/inspector; npm ci --prefix test", err)
		}
	}
	p := harness.Program{Bin: filepath.Join(t.TempDir(), "toolscript"), Home: t.TempDir()}
	if err := harness.Build(p.Bin, false); err != nil {
		t.Fatal(err)
	}
	config, err := p.Config("config.json", `{"mcpServers": {"demo": {"command": "toolscript", "args": ["mcp-demo"]}}}`)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.StartGateway(context.WithoutCancel(t.Context()), "--config", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Stop(); err != nil {
			t.Error(err)
		}
	})
	base, capability := g.URL[:strings.LastIndexByte(g.URL, '/')], g.URL[strings.LastIndexByte(g.URL, '/')+1:]
	for name, target := range map[string][]string{
		"stdio":                        {p.Bin, "mcp", "-e", "TOOLSCRIPT_CONFIG=" + config, "-e", "HOME=" + p.Home, "-e", "TOOLSCRIPT_RUNTIME_DIR=" + filepath.Join(p.Home, "run")},
		"http, the capability in path": {g.URL + "/mcp", "--transport", "http"},
		"http, the capability in a header": {
			base + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + capability,
		},
	} {
		t.Run(name, func(t *testing.T) { inspect(t, p, target) })
	}
}

func inspect(t *testing.T, p harness.Program, target []string) {
	t.Helper()
	var listed struct{ Tools []struct{ Name string } }
	ask(t, p, target, &listed, "tools/list")
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if want := "describe_tools run_script search_tools"; strings.Join(names, " ") != want {
		t.Errorf("tools = %q, want %q", names, want)
	}
	var ran struct{ Content []struct{ Text string } }
	ask(t, p, target, &ran, "tools/call", "--tool-name", "run_script", "--tool-arg", "code=return (await tools.demo.listFiles({})) !== null")
	if len(ran.Content) != 1 || !strings.Contains(ran.Content[0].Text, `"ok":true,"value":true`) {
		t.Errorf("run_script = %+v", ran)
	}
}

// ask calls one method through the Inspector and decodes the result.
func ask(t *testing.T, p harness.Program, target []string, result any, method string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), bound)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, slices.Concat([]string{inspector, "--cli"}, target, []string{"--method", method}, args)...)
	cmd.Env = append(p.Command(ctx).Env, "MCP_CATALOG_PATH="+filepath.Join(p.Home, "catalog.json"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, result)
	}
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w\n%s%s", method, err, out, stderr.String()))
	}
}
