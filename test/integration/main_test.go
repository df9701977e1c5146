//go:build integration && linux

// Package integration runs the built program against real MCP servers from npm, which
// test/package-lock.json pins and `task peers` installs.
package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/harness"
)

// bin is the path of the program under test, and peers the folder of the npm programs.
var bin, peers string

// asServer is the argument that makes the test an MCP server.
const asServer = "be-a-server"

func TestMain(m *testing.M) {
	if slices.Contains(os.Args[1:], asServer) {
		os.Exit(mcpserver.Main())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "toolscript-integration-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	bin = filepath.Join(dir, "toolscript")
	if err := harness.Build(bin, true); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if peers, err = filepath.Abs("../node_modules/.bin"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if _, err := os.Stat(filepath.Join(peers, "mcp-server-everything")); err != nil {
		fmt.Fprintf(os.Stderr, "%v\nthe real MCP servers are not here; fetch them: npm ci --prefix test\n", err)
		return 1
	}
	return m.Run()
}

// semantic enables semantic search, which needs seconds of computation under the race detector.
const semantic = "TOOLSCRIPT_SEARCH_SEMANTIC=on"

// program returns the program with its own home folder. It searches by words only.
func program(t *testing.T) harness.Program {
	t.Helper()
	p, err := harness.Quick(bin, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// gateway starts a gateway with a configuration and additional environment variables,
// and stops it at the end of the test.
func gateway(t *testing.T, config string, env ...string) *harness.Gateway {
	t.Helper()
	p := program(t)
	p.Env = env
	path := p.Configured(t, config)
	g := p.Serve(t, "--config", path)
	return g
}

// servers returns the configuration of the three real servers.
func servers(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	return serversIn(dir)
}

// serversIn returns the configuration of three npm servers, of which two use the folder dir.
func serversIn(dir string) string {
	return fmt.Sprintf(`{"mcpServers": {
		"everything": {"command": %q, "args": ["stdio"]},
		"filesystem": {"command": %q, "args": [%q]},
		"memory": {"command": %q, "env": {"MEMORY_FILE_PATH": %q}}
	}}`, filepath.Join(peers, "mcp-server-everything"), filepath.Join(peers, "mcp-server-filesystem"), dir,
		filepath.Join(peers, "mcp-server-memory"), filepath.Join(dir, "memory.jsonl"))
}
