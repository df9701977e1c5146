package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/pace"
	"github.com/toolscript/toolscript/test/fixture/testhost"
)

// cacheDir is the cache of the compiled engine for all tests of a run, because compiling takes
// seconds under the race detector.
var cacheDir string

// TestMain makes the test binary a worker if it is started with worker.Command.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == worker.Command {
		os.Exit(worker.Main(os.Args[2:], conversions...))
	}
	if len(os.Args) > 2 {
		if become, ok := testRoles[os.Args[1]]; ok {
			os.Exit(become(os.Args[2:]))
		}
	}
	os.Exit(runTests(m))
}

// testRoles maps first arguments to the other roles of the test binary.
var testRoles = map[string]func(args []string) int{
	unlimitedCommand: func(args []string) int { return worker.Unlimited(args[1:], false) },
	watchedCommand:   func(args []string) int { return worker.Unlimited(args[1:], true) },
}

// These commands start workers whose engine enforces no time limits, without and with a watchdog.
const (
	unlimitedCommand = "__unlimited"
	watchedCommand   = "__watched"
)

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "worker")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cacheDir = dir
	code := m.Run()
	if left := children(); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "processes left behind:", left)
		return 1
	}
	return code
}

func startChecker(t *testing.T) *worker.Checker {
	t.Helper()
	c, err := worker.StartChecker(t.Context(), worker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func startSandbox(tb testing.TB) *worker.Sandbox {
	tb.Helper()
	s, err := worker.StartSandbox(tb.Context(), worker.Options{CacheDir: cacheDir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// names is a catalog with one server, demo, and its tools echo and add.
var names = &naming.Names{Key: "1", Servers: []naming.Server{{
	Ident: "demo", Name: "demo", Tools: []naming.Tool{{Ident: "echo", ID: "demo__echo"}, {Ident: "add", ID: "demo__add"}},
}}}

// newJob compiles code in the test's own process. A gateway compiles only in checker processes.
func newJob(tb testing.TB, code string) runner.Job {
	tb.Helper()
	compiled, found := script.Compile(runner.Source{Code: "import { tools, stdin } from 'toolscript';\n" + code})
	if len(found) > 0 {
		tb.Fatalf("Compile: %+v", found)
	}
	return runner.Job{
		RunID: tb.Name(), File: script.DefaultFile, Compiled: compiled, Cwd: "/", TZ: "UTC", Names: names,
		Limits: toolscript.Limits{TimeoutMs: pace.Limit(20 * time.Second).Milliseconds(), CPUMs: pace.Limit(20 * time.Second).Milliseconds(), MemoryMB: 64, StackKB: 512, ToolCalls: 1000, Concurrency: 16},
	}
}

// host answers a call with its arguments unless a function is set.
type host struct {
	testhost.Calls
	call  func(ctx context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError)
	stdin func(ctx context.Context) ([]byte, error)
	write func(s runner.Stream, text string)

	mu     sync.Mutex
	output strings.Builder
}

func (h *host) Begin(c runner.Call, done func(runner.Answer)) {
	if h.call == nil {
		done(runner.Answer{Value: c.Args})
		return
	}
	h.Make(c, done, func(ctx context.Context) (json.RawMessage, *toolscript.ToolError) { return h.call(ctx, c) })
}

func (h *host) Write(s runner.Stream, text string) {
	if h.write != nil {
		h.write(s, text)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintf(&h.output, "%d:%s", s, text)
}

func (h *host) ReadStdin(ctx context.Context) ([]byte, error) {
	if h.stdin != nil {
		return h.stdin(ctx)
	}
	return nil, nil
}

func (h *host) printed() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.output.String()
}
