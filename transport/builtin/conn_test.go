package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/builtin/tool"
	"github.com/toolscript/toolscript/transport/upstream"
)

func TestListedTools(t *testing.T) {
	s := newScene(t, nil)
	tools, err := s.conn.ListTools(t.Context())
	if err != nil || len(tools) != len(builtin.NewRegistry().List()) {
		t.Fatalf("ListTools: %d tools, %v", len(tools), err)
	}
	for _, tool := range tools {
		if tool.Server != "workspace" || tool.Description == "" || tool.Annotations.ReadOnly == nil || tool.Annotations.Destructive == nil {
			t.Errorf("%s lacks its server, a description or annotations", tool.Name)
		}
		for name, schema := range map[string]json.RawMessage{"input": tool.InputSchema, "output": tool.OutputSchema} {
			var parsed struct{ Type string }
			if err := json.Unmarshal(schema, &parsed); err != nil || parsed.Type != "object" {
				t.Errorf("%s: the %s schema is not that of an object: %v", tool.Name, name, err)
			}
		}
	}
}

func TestRegistry(t *testing.T) {
	r := builtin.NewRegistry()
	if r.Has("mine") {
		t.Fatal("mine is registered")
	}
	r.Register(tool.Tool{Name: "mine", Title: "first"})
	r.Register(tool.Tool{Name: "mine", Title: "second"})
	got, known := r.Get("mine")
	if !known || got.Title != "second" || !r.Has("mine") {
		t.Errorf("Get = %+v, %t", got, known)
	}
	all := r.List()
	if all[0] != "readFile" || all[len(all)-1] != "mine" {
		t.Errorf("List = %q", all)
	}
	selected, err := r.Select(nil, []string{"mine", "file-ops"})
	if err != nil || len(selected) < 3 || selected[0] != "mine" || selected[1] != "readFile" {
		t.Errorf("Select = %q, %v", selected, err)
	}
	if everything, err := r.Select(nil, []string{"all"}); err != nil || cmp.Diff(all, everything) != "" {
		t.Errorf("Select all = %q, %v", everything, err)
	}
	if selected, err = r.Select(nil, nil); err != nil || selected[0] != "readFile" {
		t.Errorf("Select without entries = %q, %v", selected, err)
	}
	if _, err := r.Select(nil, []string{"readFlie"}); kindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), "readFile") {
		t.Errorf("Select of a misspelt name: %v", err)
	}
}

// dialOne opens a built-in server with only one tool.
func dialOne(t *testing.T, one tool.Tool) *scene {
	t.Helper()
	r := builtin.NewRegistry()
	r.Register(one)
	return &scene{T: t, conn: dial(t, builtin.Dialer{Registry: r}, upstream.Config{Root: t.TempDir(), Tools: []string{one.Name}}, upstream.Events{})}
}

func TestCallsEnd(t *testing.T) {
	running := make(chan struct{}, 3)
	s := dialOne(t, tool.Tool{Name: "wait", Run: func(ctx context.Context, _ *tool.Workspace, _ json.RawMessage) (any, error) {
		running <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	reason := &toolscript.Error{Kind: toolscript.Timeout, Err: errors.New("too slow")}
	started, wait := s.start(context.Background(), "wait", object{})
	<-running
	started.Cancel("too slow", reason)
	if _, err := wait(); !errors.Is(err, reason) {
		t.Errorf("after Cancel: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, wait = s.start(ctx, "wait", object{})
	<-running
	cancel()
	if _, err := wait(); kindOf(err) != toolscript.Cancelled {
		t.Errorf("after the end of the context: %v", err)
	}
	_, wait = s.start(context.Background(), "wait", object{})
	<-running
	if err := errors.Join(s.conn.Err(), s.conn.Close(), s.conn.Close()); err != nil {
		t.Error(err)
	}
	if _, err := wait(); kindOf(err) != toolscript.Unavailable {
		t.Errorf("after Close: %v", err)
	}
	<-s.conn.Lost()
	if _, wait = s.start(context.Background(), "wait", object{}); kindOf(s.conn.Err()) != toolscript.Unavailable {
		t.Errorf("Err = %v", s.conn.Err())
	}
	if _, err := wait(); kindOf(err) != toolscript.Unavailable {
		t.Errorf("a call after Close: %v", err)
	}
}

func TestAPanicEndsOneCall(t *testing.T) {
	s := dialOne(t, tool.Tool{Name: "fault", Run: func(context.Context, *tool.Workspace, json.RawMessage) (any, error) { panic("x") }})
	for range 2 {
		if r := s.call("fault", object{}); !r.IsError || !strings.Contains(r.text(), "fault of the tool") {
			t.Errorf("result %s", r.raw)
		}
	}
	_, wait := s.start(t.Context(), "other", object{})
	if _, err := wait(); kindOf(err) != toolscript.NotFound {
		t.Errorf("a call of an unknown tool: %v", err)
	}
}

func TestTheRootIsReplaced(t *testing.T) {
	s := newScene(t, map[string]string{"a": "1"})
	if err := s.conn.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.root, s.root+"2"); err != nil {
		t.Skip(err) // Windows does not rename a folder that is open
	}
	if err := s.conn.Ping(t.Context()); !errors.Is(err, upstream.ErrUnreachable) {
		t.Errorf("Ping without the folder: %v", err)
	}
	s.write("b", "2")
	if err := s.conn.Ping(t.Context()); !errors.Is(err, upstream.ErrUnreachable) {
		t.Errorf("Ping with another folder: %v", err)
	}
	_, err := builtin.Dialer{}.Dial(t.Context(), "w", upstream.Config{Root: filepath.Join(s.parent, "none")}, upstream.Events{})
	if kindOf(err) != toolscript.Unavailable {
		t.Errorf("Dial without the folder: %v", err)
	}
	_, err = builtin.Dialer{}.Dial(t.Context(), "w", upstream.Config{Root: s.root, Tools: []string{"none"}}, upstream.Events{})
	if kindOf(err) != toolscript.Invalid {
		t.Errorf("Dial with an unknown tool: %v", err)
	}
}

// TestResultsFitTheSchema validates the result of each tool that needs no network against the
// tool's output schema.
func TestResultsFitTheSchema(t *testing.T) {
	s := newScene(t, map[string]string{"a.txt": "one\n", "dir/b.txt": "two\n"})
	var check validate.Validator
	for name, args := range map[string]object{
		"readFile":   {"filePath": "a.txt"},
		"listDir":    {"dirPath": "."},
		"grepFiles":  {"pattern": "one"},
		"fileSearch": {"pattern": "btxt"},
		"writeFile":  {"filePath": "new.txt", "content": "x"},
		"applyPatch": {"patch": "*** Begin Patch\n*** Delete File: dir/b.txt\n*** End Patch\n"},
	} {
		known, _ := builtin.NewRegistry().Get(name)
		value, err := json.Marshal(s.call(name, args).Structured)
		if err != nil {
			t.Fatal(err)
		}
		if wrong, err := check.Check(t.Context(), json.RawMessage(known.Output), value); err != nil || len(wrong) > 0 {
			t.Errorf("%s: %s: %v %v", name, value, wrong, err)
		}
	}
}
