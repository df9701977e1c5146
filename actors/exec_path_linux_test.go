package actors_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/worker"
)

// offPath maps files that appear on those stacks but are not on the path of an exec
// to the reason.
var offPath = map[string]string{
	"actors/internal/mailbox/goroutine.go": "starts goroutines",
	"internal/rescue/rescue.go":            "starts goroutines",
	"actors/internal/mailbox/mailbox.go":   "waits for the answer of an actor",
	"runner/worker/process.go":             "waits for the end of the process",
	"internal/rawio/file_unix.go":          "reads from a pipe",
	"runner/worker/clock.go":               "stops the clock of the script",
}

var frameFile = regexp.MustCompile(`(?m)^\t(\S+\.go):\d+`)

// TestPathOfOneExecIsListed checks that, during a tool call, the stacks of the run
// have only files that CONTRIBUTING.md lists in the path of one exec.
func TestPathOfOneExecIsListed(t *testing.T) {
	list, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var stacks string
	conn := newConn("a")
	conn.inline = true
	conn.call = func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		// The first call compiles the check of its arguments in a goroutine, which may not have ended yet.
		text := make([]byte, 1<<20)
		for stacks = ""; stacks == "" || string(args) != `{"n":0}` && strings.Contains(stacks, ".startInGoroutine."); runtime.Gosched() {
			stacks = string(text[:runtime.Stack(text, true)])
		}
		return args, nil
	}
	cache := t.TempDir()
	o := actors.Options{Servers: configs("a"), Dial: dialer{"a": answers(conn, nil)}.dial}
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartChecker(ctx, worker.Options{CacheDir: cache})
	}
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartSandbox(ctx, worker.Options{CacheDir: cache})
	}
	s := startWith(t, o)
	settle(t, s) // a call that waits for its server takes another path
	err = s.Exec(t.Context(), toolscript.ExecRequest{Code: "for (let n = 0; n < 2; n++) await tools.a.echo({ n })", Rules: toolscript.Rules{Check: toolscript.CheckOff}},
		func(toolscript.Event) error { return nil })
	if err != nil || stacks == "" {
		t.Fatalf("Exec: %v, stacks of %d bytes", err, len(stacks))
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for goroutine := range strings.SplitSeq(stacks, "\n\n") {
		stack, _, _ := strings.Cut(goroutine, "\ncreated by ")
		if !strings.Contains(stack, "/actors/runs/") && !strings.Contains(stack, "/runner/session/") {
			continue
		}
		for _, frame := range frameFile.FindAllStringSubmatch(stack, -1) {
			file, ours := strings.CutPrefix(frame[1], root+"/")
			if !ours { // a program built with -trimpath
				file, ours = strings.CutPrefix(frame[1], "github.com/toolscript/toolscript/")
			}
			if !ours || strings.HasSuffix(file, "_test.go") || offPath[file] != "" {
				continue
			}
			found[file] = true
			if !strings.Contains(string(list), "\n* `"+file+"` ") {
				t.Errorf("%s is on a stack of the run, and not in the path that CONTRIBUTING.md lists:\n%s", file, stack)
			}
		}
	}
	for _, file := range []string{"actors/runs/calls.go", "actors/exec.go", "actors/server/pending_call.go", "runner/session/call.go", "runner/worker/run.go"} {
		if !found[file] {
			t.Errorf("%s is on no stack; the test looks at the wrong ones:\n%s", file, stacks)
		}
	}
}
