package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/remote"
	"github.com/toolscript/toolscript/runner/script"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/fixture/testhost"
	"github.com/toolscript/toolscript/test/kit"
)

// runnerRole makes the test binary a runner that connects to the NATS server at the next argument
// and serves until it is killed.
const runnerRole = "__runner"

var cacheDir string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == worker.Command {
		os.Exit(worker.Main(os.Args[2:]))
	}
	if len(os.Args) > 3 && os.Args[1] == runnerRole {
		os.Exit(serveRole(os.Args[2], os.Args[3]))
	}
	dir, err := os.MkdirTemp("", "remote")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cacheDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func serveRole(url, cache string) int {
	nc, err := nats.Connect(url)
	if err == nil {
		_, err = remote.Serve(nc, options(1, cache))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	select {}
}

// options returns the options of a runner whose sandboxes serve one run each.
func options(runners int, cache string) remote.Options {
	return remote.Options{Runners: runners, Host: "there", Version: "test", Log: slog.Default(), Lend: func(ctx context.Context) (runner.Runner, func(bool), error) {
		s, err := worker.StartSandbox(ctx, worker.Options{CacheDir: cache})
		if err != nil {
			return nil, nil, err
		}
		return s, func(bool) { s.Close() }, nil
	}}
}

// startNATS starts a NATS server and returns its address.
func startNATS(t *testing.T) string {
	t.Helper()
	return natstest.Start(t, &server.Options{}).ClientURL()
}

func connect(t *testing.T, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// serve starts a runner in this process.
func serve(t *testing.T, url string, runners int) *remote.Server {
	t.Helper()
	s, err := remote.Serve(connect(t, url), options(runners, cacheDir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newPool(t *testing.T, url string) *remote.Pool {
	t.Helper()
	return remote.NewPool(connect(t, url), "user1.gateway1", slog.Default())
}

// host answers a call with its arguments unless call is set.
type host struct {
	testhost.Calls
	call func(ctx context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError)

	mu     sync.Mutex
	output strings.Builder
}

func (h *host) Begin(c runner.Call, done func(runner.Answer)) {
	h.Make(c, done, func(ctx context.Context) (json.RawMessage, *toolscript.ToolError) {
		if h.call == nil {
			return c.Args, nil
		}
		return h.call(ctx, c)
	})
}

func (h *host) Write(_ runner.Stream, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.output.WriteString(text)
}

func (h *host) ReadStdin(context.Context) ([]byte, error) { return nil, nil }

func (h *host) printed() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.output.String()
}

func newJob(t *testing.T, code string) runner.Job {
	t.Helper()
	compiled, found := script.Compile(runner.Source{Code: "import { tools, args } from 'toolscript';\n" + code})
	if len(found) > 0 {
		t.Fatalf("Compile: %+v", found)
	}
	return runner.Job{
		RunID: t.Name(), File: script.DefaultFile, Compiled: compiled, Cwd: "/", TZ: "UTC",
		Names: &naming.Names{Key: "1", Servers: []naming.Server{{
			Ident: "demo", Name: "demo", Tools: []naming.Tool{{Ident: "echo", ID: "demo__echo"}},
		}}},
		Limits: toolscript.Limits{TimeoutMs: 30_000, CPUMs: 30_000, MemoryMB: 128, StackKB: 512, ToolCalls: 10_000, Concurrency: 16, OutputBytes: 16 << 20, ValueBytes: 16 << 20, LogLines: 100_000},
	}
}

// remoteRun runs a job on a runner of the pool.
func remoteRun(t *testing.T, p *remote.Pool, j runner.Job, h *host) (runner.Outcome, error) {
	t.Helper()
	s, err := p.Take(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return s.Run(kit.Within(t), j, h)
}

// TestIdempotencyKey checks that the gateway receives the key of a call that a runner makes.
func TestIdempotencyKey(t *testing.T) {
	url := startNATS(t)
	serve(t, url, 1)
	h := &host{call: func(_ context.Context, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
		key, _ := json.Marshal(c.Key)
		return key, nil
	}}
	out, err := remoteRun(t, newPool(t, url), newJob(t, `export default [await tools.demo.echo({}), await tools.$with({ idempotencyKey: "order-4711" }).demo.echo({})]`), h)
	if want := `["","order-4711"]`; err != nil || string(out.Value) != want {
		t.Errorf("value %s, %+v, %v; want %s", out.Value, out.Err, err, want)
	}
}

// TestRun checks the value, the calls, the output and the errors of scripts that run on a
// runner.
func TestRun(t *testing.T) {
	url := startNATS(t)
	serve(t, url, 2)
	p := newPool(t, url)
	large := strings.Repeat("x", 3<<20)
	for _, c := range []struct{ name, code, value, output, failure string }{
		{"value", `export default (await tools.demo.echo({ a: 1 })).a + 1`, "2", "", ""},
		{"arguments", `export default args`, `["one"]`, "", ""},
		{"output", `console.log("text"); export default null`, "null", "text\n", ""},
		{"many calls", `export default (await Promise.all([...Array(200).keys()].map((i) => tools.demo.echo({ i })))).length`, "200", "", ""},
		{"large call", `export default (await tools.demo.echo({ text: "x".repeat(3 << 20) })).text.length`, "3145728", "", ""},
		{"large value", `export default "x".repeat(3 << 20)`, `"` + large + `"`, "", ""},
		{"much output", `for (let i = 0; i < 300; i++) console.log("x".repeat(9999)); export default 1`, "1", strings.Repeat(strings.Repeat("x", 9999)+"\n", 300), ""},
		{"throw", `throw new TypeError("no")`, "", "", "no"},
		{"no value", `console.log(1)`, "", "1\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, j := &host{}, newJob(t, c.code)
			j.Args = []string{"one"}
			o, err := remoteRun(t, p, j, h)
			if err != nil {
				t.Fatal(err)
			}
			if string(o.Value) != c.value {
				t.Errorf("a value of %d bytes, want %d; %+v", len(o.Value), len(c.value), o.Err)
			}
			if h.printed() != c.output {
				t.Errorf("%d bytes of output, want %d", len(h.printed()), len(c.output))
			}
			if (o.Err != nil) != (c.failure != "") || o.Err != nil && !strings.Contains(o.Err.Message, c.failure) {
				t.Errorf("error %+v, want %q", o.Err, c.failure)
			}
		})
	}
}

// TestFailedCall checks that a script catches the error of a call with its fields.
func TestFailedCall(t *testing.T) {
	url := startNATS(t)
	serve(t, url, 1)
	h := &host{call: func(context.Context, runner.Call) (json.RawMessage, *toolscript.ToolError) {
		return nil, &toolscript.ToolError{Tool: "demo__echo", Code: toolscript.Forbidden, Message: "not allowed"}
	}}
	o, err := remoteRun(t, newPool(t, url), newJob(t, `try { await tools.demo.echo({}) } catch (e) { console.log(e.code, e.message) }`), h)
	if err != nil || o.Err != nil || h.printed() != "forbidden not allowed\n" {
		t.Errorf("%q, %+v, %v", h.printed(), o.Err, err)
	}
}

// TestCancel checks that the end of the context ends the run on the runner, and that its
// sandbox is free again.
func TestCancel(t *testing.T) {
	url := startNATS(t)
	s := serve(t, url, 1)
	p := newPool(t, url)
	ctx, cancel := context.WithCancelCause(kit.Within(t))
	h := &host{call: func(calling context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		cancel(errors.New("enough"))
		<-calling.Done()
		return nil, &toolscript.ToolError{Code: toolscript.Cancelled, Message: "cancelled"}
	}}
	sandbox, err := p.Take(ctx)
	if err != nil {
		t.Fatal(err)
	}
	o, err := sandbox.Run(ctx, newJob(t, `await tools.demo.echo({})`), h)
	sandbox.Close()
	if err != nil || o.Err == nil || o.Err.Code != toolscript.Cancelled {
		t.Errorf("%+v, %v", o.Err, err)
	}
	kit.Eventually(t, "the runner is free", func() bool { return s.Stats().Busy == 0 })
}

// TestLimit checks that the runner enforces the limits of a run.
func TestLimit(t *testing.T) {
	url := startNATS(t)
	serve(t, url, 1)
	j := newJob(t, `for (;;) {}`)
	j.Limits.TimeoutMs = 300
	o, err := remoteRun(t, newPool(t, url), j, &host{})
	if err != nil || o.Err == nil || o.Err.Code != toolscript.LimitTime {
		t.Errorf("%+v, %v", o.Err, err)
	}
}

// TestNoRunner checks the error if there is no runner.
func TestNoRunner(t *testing.T) {
	_, err := newPool(t, startNATS(t)).Take(kit.Within(t))
	if toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), "--runners") {
		t.Errorf("error %v", err)
	}
}

// TestStdin checks that a run with standard input is refused before it is sent.
func TestStdin(t *testing.T) {
	url := startNATS(t)
	s := serve(t, url, 1)
	j := newJob(t, `export default 1`)
	j.Stdin = true
	_, err := remoteRun(t, newPool(t, url), j, &host{})
	if toolscript.KindOf(err) != toolscript.Unsupported || s.Stats().Runs != 0 {
		t.Errorf("error %v after %d runs", err, s.Stats().Runs)
	}
}

// TestBusy checks that a run waits until a runner is free.
func TestBusy(t *testing.T) {
	url := startNATS(t)
	s := serve(t, url, 1)
	p := newPool(t, url)
	first, err := p.Take(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if second, err := p.Take(short); err == nil {
		second.Close()
		t.Error("a busy runner was taken")
	}
	first.Close()
	second, err := p.Take(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	second.Close()
	kit.Eventually(t, "the runner is free", func() bool { return s.Stats().Busy == 0 })
}

// TestKilledRunner checks that a run whose runner is killed fails with a typed error, and is not
// started again even if another runner is free.
func TestKilledRunner(t *testing.T) {
	url := startNATS(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, runnerRole, url, cacheDir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed, so an error is expected
	}()
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	p := newPool(t, url)
	sandbox, err := p.Take(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer sandbox.Close()
	other := serve(t, url, 1)
	var begun atomic.Int64
	h := &host{call: func(ctx context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		begun.Add(1)
		_ = cmd.Process.Kill() // still running
		<-ctx.Done()
		return nil, nil
	}}
	_, err = sandbox.Run(kit.Within(t), newJob(t, `await tools.demo.echo({})`), h)
	if toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), "not started again") {
		t.Errorf("error %v", err)
	}
	if begun.Load() != 1 || other.Stats().Runs != 0 {
		t.Errorf("%d calls, %d runs on the other runner", begun.Load(), other.Stats().Runs)
	}
}

// TestLostGateway checks that a runner ends a run whose gateway has disappeared.
func TestLostGateway(t *testing.T) {
	url := startNATS(t)
	s := serve(t, url, 1)
	nc := connect(t, url)
	sandbox, err := remote.NewPool(nc, "user1.gateway1", slog.Default()).Take(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer sandbox.Close()
	h := &host{call: func(ctx context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		nc.Close()
		<-ctx.Done()
		return nil, nil
	}}
	failed := make(chan error, 1)
	go func() {
		_, err := sandbox.Run(kit.Within(t), newJob(t, `await tools.demo.echo({})`), h)
		failed <- err
	}()
	kit.Eventually(t, "the runner is free", func() bool { st := s.Stats(); return st.Runs == 1 && st.Busy == 0 })
	if err := <-failed; toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("error %v", err)
	}
}

// TestClosedRunner checks that Close ends the runs of a runner.
func TestClosedRunner(t *testing.T) {
	url := startNATS(t)
	s, err := remote.Serve(connect(t, url), options(1, cacheDir))
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	h := &host{call: func(ctx context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		go func() { closed <- s.Close() }()
		<-ctx.Done()
		return nil, nil
	}}
	_, err = remoteRun(t, newPool(t, url), newJob(t, `await tools.demo.echo({})`), h)
	if toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("error %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
