package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/cmd/demo"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// folder creates a directory to serve and a directory outside of it.
func folder(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	for name, text := range map[string]string{
		"secret.txt":                     "outside",
		"served/README.md":               "# Hello\n\nA needle here.\n",
		"served/src/main.go":             "package main\n\nfunc main() {} // Needle\n",
		"served/src/deep/er/util.go":     "package er\n",
		"served/data/blob.bin":           "needle\x00\x01",
		"served/data/long.txt":           strings.Repeat("x", 1000) + "needle" + strings.Repeat("y", 1000) + "\n",
		"served/.git/config":             "needle",
		"served/node_modules/a/index.js": "needle",
	} {
		path := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(base, "served")
}

// connect starts the demo server for dir and returns a client of it. Both end with the test.
func connect(t *testing.T, dir string) *client.Client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- demo.Serve(context.Background(), dir, toServer, fromServer) }()
	c := client.NewClient(transport.NewIO(toClient, fromClient, nil), client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	t.Cleanup(func() {
		_ = c.Close() // ends the input of the server
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		_ = fromServer.Close() // ends the client's reader
	})
	if err := c.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// call calls a tool and returns its structured content, or the text of its error.
func call(t *testing.T, c *client.Client, tool string, args map[string]any) (structured map[string]any, failure string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	request := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: args}}
	result, err := c.CallTool(ctx, request)
	if err != nil {
		t.Fatalf("%s(%v): %v", tool, args, err)
	}
	if result.IsError {
		return nil, result.Content[0].(mcp.TextContent).Text
	}
	raw, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &structured); err != nil {
		t.Fatalf("%s(%v) = %s: %v", tool, args, raw, err)
	}
	return structured, ""
}

// paths returns the member path of each object in a list.
func paths(t *testing.T, list any) []string {
	t.Helper()
	entries, ok := list.([]any)
	if !ok {
		t.Fatalf("%v is no list", list)
	}
	out := []string{}
	for _, entry := range entries {
		out = append(out, entry.(map[string]any)["path"].(string))
	}
	return out
}

func TestAnnouncements(t *testing.T) {
	c := connect(t, folder(t))
	list, err := c.ListTools(t.Context(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Annotations.ReadOnlyHint == nil || !*tool.Annotations.ReadOnlyHint {
			t.Errorf("%s is not announced as read-only", tool.Name)
		}
		if tool.Description == "" || tool.Title == "" || tool.OutputSchema.Type != "object" || len(tool.InputSchema.Properties) == 0 {
			t.Errorf("%s is announced without description, title or schemas: %+v", tool.Name, tool)
		}
	}
	if diff := cmp.Diff([]string{"file_stats", "list_files", "read_file", "search_text", "tree"}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestListFiles(t *testing.T) {
	c := connect(t, folder(t))
	all := []string{"README.md", "data/blob.bin", "data/long.txt", "src/deep/er/util.go", "src/main.go"}
	for _, tt := range []struct {
		name      string
		args      map[string]any
		want      []string
		truncated bool
	}{
		{"everything but .git and node_modules", nil, all, false},
		{"a glob for names", map[string]any{"glob": "*.go"}, all[3:], false},
		{"a glob for paths", map[string]any{"glob": "src/**/u*.go"}, all[3:4], false},
		{"no folders between", map[string]any{"glob": "src/**/main.go"}, all[4:], false},
		{"a folder", map[string]any{"dir": "./src/"}, all[3:], false},
		{"a folder and a depth", map[string]any{"dir": "src", "depth": 1}, all[4:], false},
		{"a limit", map[string]any{"limit": 2}, all[:2], true},
		{"a limit that is just enough", map[string]any{"limit": 5}, all, false},
		{"a folder that is passed over", map[string]any{"dir": "node_modules"}, []string{"node_modules/a/index.js"}, false},
		{"nothing", map[string]any{"glob": "*.rs"}, []string{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, failure := call(t, c, "list_files", tt.args)
			if failure != "" {
				t.Fatal(failure)
			}
			if diff := cmp.Diff(tt.want, paths(t, got["files"])); diff != "" || got["truncated"] != tt.truncated {
				t.Errorf("truncated = %v, files (-want +got):\n%s", got["truncated"], diff)
			}
		})
	}
}

func TestResults(t *testing.T) {
	dir := folder(t)
	long := strings.Repeat(strings.Repeat("z", 1023)+"\n", 300)
	if err := os.WriteFile(filepath.Join(dir, "long.txt"), []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, dir)
	for _, tt := range []struct {
		name, tool string
		args, want map[string]any
	}{
		{"all", "read_file", map[string]any{"path": "README.md"}, map[string]any{"path": "README.md", "text": "# Hello\n\nA needle here.\n", "from": 1.0, "to": 3.0, "lines": 3.0, "truncated": false}},
		{"a range", "read_file", map[string]any{"path": "README.md", "from": 2, "to": 3}, map[string]any{"path": "README.md", "text": "\nA needle here.\n", "from": 2.0, "to": 3.0, "lines": 3.0, "truncated": false}},
		{"beyond the end", "read_file", map[string]any{"path": "README.md", "from": 9}, map[string]any{"path": "README.md", "text": "", "from": 9.0, "to": 8.0, "lines": 3.0, "truncated": false}},
		{"too long", "read_file", map[string]any{"path": "long.txt", "from": 11}, map[string]any{"path": "long.txt", "text": long[10*1024 : 266*1024], "from": 11.0, "to": 266.0, "lines": 300.0, "truncated": true}},
		{"statistics", "file_stats", map[string]any{"dir": "src"}, map[string]any{
			"files": 2.0, "bytes": 50.0, "truncated": false,
			"byExtension": []any{map[string]any{"extension": ".go", "files": 2.0, "bytes": 50.0}},
			"largest":     []any{map[string]any{"path": "src/main.go", "bytes": 39.0}, map[string]any{"path": "src/deep/er/util.go", "bytes": 11.0}},
		}},
		{"a tree", "tree", map[string]any{"depth": 2}, map[string]any{
			"text":    "README.md\ndata/\n  blob.bin\n  long.txt\nlong.txt\nsrc/\n  deep/\n  main.go\n",
			"folders": 3.0, "files": 5.0, "truncated": false,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, failure := call(t, c, tt.tool, tt.args)
			if diff := cmp.Diff(tt.want, got); diff != "" || failure != "" {
				t.Errorf("failure %q, result (-want +got):\n%s", failure, diff)
			}
		})
	}
}

func TestSearchText(t *testing.T) {
	c := connect(t, folder(t))
	got, failure := call(t, c, "search_text", map[string]any{"pattern": "needle"})
	if failure != "" {
		t.Fatal(failure)
	}
	if diff := cmp.Diff([]string{"README.md", "data/long.txt"}, paths(t, got["matches"])); diff != "" || got["filesSearched"] != 4.0 {
		t.Errorf("%v files searched, matches (-want +got):\n%s", got["filesSearched"], diff)
	}
	first := map[string]any{"path": "README.md", "line": 3.0, "column": 3.0, "text": "A needle here."}
	if diff := cmp.Diff(first, got["matches"].([]any)[0]); diff != "" {
		t.Errorf("first match (-want +got):\n%s", diff)
	}
	cut := got["matches"].([]any)[1].(map[string]any)["text"].(string)
	if len(cut) != 400 || !strings.Contains(cut, "needle") {
		t.Errorf("a long line is shown as %q", cut)
	}
	got, _ = call(t, c, "search_text", map[string]any{"pattern": "NEEDLE", "ignoreCase": true, "glob": "*.{md,go}"})
	if n := len(got["matches"].([]any)); n != 0 {
		t.Errorf("braces are no alternative in this glob, and yet %d matches", n)
	}
	got, _ = call(t, c, "search_text", map[string]any{"pattern": "NEEDLE", "ignoreCase": true, "limit": 1})
	if n := len(got["matches"].([]any)); n != 1 || got["truncated"] != true {
		t.Errorf("with a limit of 1: %d matches, truncated = %v", n, got["truncated"])
	}
}

func TestNothingOutsideIsReached(t *testing.T) {
	dir := folder(t)
	outside := filepath.Join(filepath.Dir(dir), "secret.txt")
	for link, target := range map[string]string{"absolute": outside, "relative": "../secret.txt", "up": "..", "inside": "README.md"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	c := connect(t, dir)
	for _, path := range []string{"../secret.txt", outside, "src/../../secret.txt", "absolute", "relative", "up/secret.txt"} {
		if got, failure := call(t, c, "read_file", map[string]any{"path": path}); failure == "" {
			t.Errorf("read_file(%s) = %v", path, got)
		}
	}
	for _, tool := range []string{"list_files", "search_text", "file_stats", "tree"} {
		for _, path := range []string{"..", "/", "up"} {
			if got, failure := call(t, c, tool, map[string]any{"dir": path, "pattern": "outside"}); failure == "" {
				t.Errorf("%s(%s) = %v", tool, path, got)
			}
		}
	}
	if got, failure := call(t, c, "search_text", map[string]any{"pattern": "outside"}); failure != "" || len(got["matches"].([]any)) != 0 {
		t.Errorf("search_text = %v, %s", got, failure)
	}
	if got, failure := call(t, c, "read_file", map[string]any{"path": "inside"}); failure != "" || got["lines"] != 3.0 {
		t.Errorf("a link that stays inside: %v, %s", got, failure)
	}
}

func TestFailures(t *testing.T) {
	c := connect(t, folder(t))
	for _, tt := range []struct {
		name, tool string
		args       map[string]any
		want       string
	}{
		{"missing file", "read_file", map[string]any{"path": "nothing"}, "nothing: no such file"},
		{"missing folder", "list_files", map[string]any{"dir": "zz"}, "zz: no such file"},
		{"a folder", "read_file", map[string]any{"path": "src"}, "list_files lists it"},
		{"binary", "read_file", map[string]any{"path": "data/blob.bin"}, "not a text file"},
		{"range", "read_file", map[string]any{"path": "README.md", "from": 3, "to": 2}, "not a range"},
		{"a file for a folder", "list_files", map[string]any{"dir": "README.md"}, "not a folder"},
		{"malformed glob", "list_files", map[string]any{"glob": "[a"}, "malformed"},
		{"malformed pattern", "search_text", map[string]any{"pattern": "("}, "regular expression"},
		{"argument of another type", "read_file", map[string]any{"path": 1}, "path"},
		{"unknown argument", "tree", map[string]any{"deep": 1}, "deep"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, failure := call(t, c, tt.tool, tt.args)
			if !strings.Contains(failure, tt.want) || strings.Contains(failure, "stat") {
				t.Errorf("%s(%v) = %v, failure %q, want %q in it", tt.tool, tt.args, got, failure, tt.want)
			}
		})
	}
}

func TestServeRefusesFiles(t *testing.T) {
	err := demo.Serve(t.Context(), filepath.Join(t.TempDir(), "nothing"), strings.NewReader(""), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "cannot serve the files of") {
		t.Errorf("Serve = %v", err)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, _ := io.Pipe() // never ends
	served := make(chan error, 1)
	go func() { served <- demo.Serve(ctx, t.TempDir(), in, io.Discard) }()
	cancel()
	select {
	case err := <-served:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v, want the end of its context", err)
		}
	case <-time.After(pace.Limit(20 * time.Second)):
		t.Error("Serve goes on")
	}
	_ = in.Close()
}
