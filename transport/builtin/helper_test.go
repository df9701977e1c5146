package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/upstream"
)

// scene is a workspace and a server with all built-in tools for it.
type scene struct {
	*testing.T
	parent string // folder above the root
	root   string
	conn   *builtin.Conn
}

// newScene writes files, whose paths are relative to the root and have slashes, and opens the server.
func newScene(t *testing.T, files map[string]string) *scene {
	t.Helper()
	parent := t.TempDir()
	s := &scene{T: t, parent: parent, root: filepath.Join(parent, "root")}
	s.mkdir(s.root)
	for name, text := range files {
		s.write(name, text)
	}
	s.conn = dial(t, builtin.Dialer{Host: upstream.Host{StateDir: filepath.Join(parent, "state")}}, upstream.Config{Root: s.root, Tools: builtin.NewRegistry().List()}, upstream.Events{})
	return s
}

// dial opens the server "workspace" until the end of the test.
func dial(t *testing.T, d builtin.Dialer, cfg upstream.Config, on upstream.Events) *builtin.Conn {
	t.Helper()
	conn, err := d.Dial(t.Context(), "workspace", cfg, on)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (s *scene) path(name string) string { return filepath.Join(s.root, filepath.FromSlash(name)) }

func (s *scene) mkdir(path string) {
	s.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		s.Fatal(err)
	}
}

func (s *scene) write(name, text string) {
	s.Helper()
	s.mkdir(filepath.Dir(s.path(name)))
	if err := os.WriteFile(s.path(name), []byte(text), 0o644); err != nil {
		s.Fatal(err)
	}
}

// result is a tool result of MCP.
type result struct {
	IsError    bool                    `json:"isError"`
	Content    []struct{ Text string } `json:"content"`
	Structured map[string]any          `json:"structuredContent"`
	raw        json.RawMessage
}

// text returns the member content of the result, or the text of its error.
func (r result) text() string {
	if r.IsError {
		return r.Content[0].Text
	}
	text, _ := r.Structured["content"].(string)
	return text
}

// start makes a call, and returns a function that waits for its end.
func (s *scene) start(ctx context.Context, name string, args any) (upstream.Started, func() (result, error)) {
	s.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		s.Fatal(err)
	}
	var got json.RawMessage
	var failed error
	done := make(chan struct{})
	started := s.conn.Start(upstream.ToolCall{Ctx: ctx, Tool: name, Args: raw, Done: func(r json.RawMessage, err error) {
		got, failed = r, err
		close(done)
	}})
	return started, func() (r result, err error) {
		<-done
		if failed == nil {
			failed = json.Unmarshal(got, &r)
		}
		r.raw = got
		return r, failed
	}
}

// call makes a call and fails the test if there is no result.
func (s *scene) call(name string, args any) result {
	s.Helper()
	_, wait := s.start(s.Context(), name, args)
	r, err := wait()
	if err != nil {
		s.Fatalf("%s: %v", name, err)
	}
	return r
}

type object = map[string]any

func kindOf(err error) toolscript.Kind { return toolscript.KindOf(err) }
