package remote_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
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

var cacheDir string

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == worker.Command {
		os.Exit(worker.Main(os.Args[2:]))
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

// startNATS starts a NATS server and returns its address.
func startNATS(t *testing.T) string {
	t.Helper()
	return natstest.Start(t, &server.Options{}).ClientURL()
}

// connector makes connections to a NATS server. The last one is nc.
type connector struct {
	url string
	nc  *nats.Conn
}

func (c *connector) connect(_ context.Context, o ...nats.Option) (nc *nats.Conn, err error) {
	c.nc, err = nats.Connect(c.url, o...)
	return c.nc, err
}

// serve starts a runner in this process, whose sandboxes serve one run each.
func serve(t *testing.T, url string, runners int) (*remote.Server, *connector) {
	t.Helper()
	c := &connector{url: url}
	s, err := remote.Join(kit.Within(t), c.connect, remote.Options{Runners: runners, Host: "there", Version: "test", Log: slog.Default(), Lend: func(ctx context.Context) (runner.Runner, func(bool), error) {
		s, err := worker.StartSandbox(ctx, worker.Options{CacheDir: cacheDir})
		if err != nil {
			return nil, nil, err
		}
		return s, func(bool) { s.Close() }, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, c
}

// newFleet returns the access of a gateway to the runners.
func newFleet(t *testing.T, url string) (*remote.Fleet, *connector) {
	t.Helper()
	c := &connector{url: url}
	f := remote.NewFleet(func() string { return "user1" }, c.connect, slog.Default())
	t.Cleanup(f.Reset)
	return f, c
}

// take reserves a sandbox of a runner.
func take(t *testing.T, url string) *remote.Sandbox {
	t.Helper()
	f, _ := newFleet(t, url)
	s, err := f.Take(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	return s
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

// remoteRun runs a job on a runner.
func remoteRun(t *testing.T, url string, j runner.Job, h *host) (runner.Outcome, error) {
	t.Helper()
	s := take(t, url)
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
	out, err := remoteRun(t, url, newJob(t, `export default [await tools.demo.echo({}), await tools.$with({ idempotencyKey: "order-4711" }).demo.echo({})]`), h)
	if want := `["","order-4711"]`; err != nil || string(out.Value) != want {
		t.Errorf("value %s, %+v, %v; want %s", out.Value, out.Err, err, want)
	}
}

// TestRun checks the value, the calls, the output and the errors of scripts that run on a
// runner.
func TestRun(t *testing.T) {
	url := startNATS(t)
	serve(t, url, 2)
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
			o, err := remoteRun(t, url, j, h)
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
	o, err := remoteRun(t, url, newJob(t, `try { await tools.demo.echo({}) } catch (e) { console.log(e.code, e.message) }`), h)
	if err != nil || o.Err != nil || h.printed() != "forbidden not allowed\n" {
		t.Errorf("%q, %+v, %v", h.printed(), o.Err, err)
	}
}

// TestCancel checks that the end of the context ends the run on the runner, and that its
// sandbox is free again.
func TestCancel(t *testing.T) {
	url := startNATS(t)
	s, _ := serve(t, url, 1)
	ctx, cancel := context.WithCancelCause(kit.Within(t))
	h := &host{call: func(calling context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		cancel(errors.New("enough"))
		<-calling.Done()
		return nil, &toolscript.ToolError{Code: toolscript.Cancelled, Message: "cancelled"}
	}}
	sandbox := take(t, url)
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
	o, err := remoteRun(t, url, j, &host{})
	if err != nil || o.Err == nil || o.Err.Code != toolscript.LimitTime {
		t.Errorf("%+v, %v", o.Err, err)
	}
}

// TestNoRunner checks the error if there is no runner.
func TestNoRunner(t *testing.T) {
	f, _ := newFleet(t, startNATS(t))
	_, err := f.Take(kit.Within(t))
	if toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), "--runners") {
		t.Errorf("error %v", err)
	}
}

// TestStdin checks that a run with standard input is refused before it is sent.
func TestStdin(t *testing.T) {
	url := startNATS(t)
	s, _ := serve(t, url, 1)
	j := newJob(t, `export default 1`)
	j.Stdin = true
	_, err := remoteRun(t, url, j, &host{})
	if toolscript.KindOf(err) != toolscript.Unsupported || s.Stats().Runs != 0 {
		t.Errorf("error %v after %d runs", err, s.Stats().Runs)
	}
}

// TestBusy checks that a run waits until a runner is free.
func TestBusy(t *testing.T) {
	url := startNATS(t)
	s, _ := serve(t, url, 1)
	first := take(t, url)
	p, _ := newFleet(t, url)
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

// TestLostRunner checks that a run whose runner is lost fails with a typed error, and is not started again even if
// another runner is free.
func TestLostRunner(t *testing.T) {
	url := startNATS(t)
	_, runners := serve(t, url, 1)
	sandbox := take(t, url)
	defer sandbox.Close()
	other, _ := serve(t, url, 1)
	var begun atomic.Int64
	h := &host{call: func(ctx context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		begun.Add(1)
		runners.nc.Close() // like the end of its process
		<-ctx.Done()
		return nil, nil
	}}
	_, err := sandbox.Run(kit.Within(t), newJob(t, `await tools.demo.echo({})`), h)
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
	s, _ := serve(t, url, 1)
	f, gateway := newFleet(t, url)
	sandbox, err := f.Take(kit.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	defer sandbox.Close()
	h := &host{call: func(ctx context.Context, _ runner.Call) (json.RawMessage, *toolscript.ToolError) {
		gateway.nc.Close()
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
