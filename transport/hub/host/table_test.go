package host_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestOwnAndShared runs the same tests for a server with its own connection, for one through a hub,
// and for two through a fleet: one that several hubs may run, and one whose owner has a lease.
func TestOwnAndShared(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	cases := []struct {
		name     string
		switches []string
		change   func(*upstream.Config)
		test     func(*testing.T, *actors.System)
	}{
		{"call", nil, nil, testCall},
		{"errors", nil, nil, testErrors},
		{"time limit", nil, func(c *upstream.Config) { c.Timeout = 200 * time.Millisecond }, testTimeLimit},
		{"progress restarts the limit", nil, func(c *upstream.Config) { c.Timeout = 4 * time.Second }, testProgress},
		{"deadline and cancellation", nil, nil, testCancel},
		{"elicitation", []string{"asks"}, nil, testElicit},
		{"changed tools", nil, nil, testChanged},
		{"large results", nil, nil, testLarge},
		{"large arguments", nil, nil, testLargeArguments},
		{"resources and prompts", []string{"offers"}, nil, testFetch},
		{"no resources", nil, nil, testNoResources},
		{"lost server", nil, nil, testLostServer},
		{"server that ends at its start", []string{"exit=3"}, nil, testExit},
		{"queue", nil, func(c *upstream.Config) { c.Concurrency, c.Timeout = 1, time.Second }, testQueue},
		{"trace", nil, nil, testTrace},
		{"filters", nil, func(c *upstream.Config) { c.IncludeTools = []string{"echo"} }, testFilters},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			for _, how := range []string{"own", "shared", "fleet", "leased"} {
				t.Run(how, func(t *testing.T) {
					if tt.name != "large results" { // at the same time, they would leave no time to renew a lease
						t.Parallel()
					}
					cfg := config(t, "", tt.switches...)
					if tt.change != nil {
						tt.change(&cfg)
					}
					tt.test(t, starter(t, how, cfg)())
				})
			}
		})
	}
}

// starter returns a function that starts gateways of a server: with their own process, one in a hub, in hubs of a fleet,
// or in the owner of its lease.
func starter(t *testing.T, how string, cfg upstream.Config) func() *actors.System {
	t.Helper()
	switch how {
	case "own":
		return func() *actors.System { return startGateway(t, nil, cfg) }
	case "shared":
		r := startHub(t, nil)
		cfg.Shared = upstream.SharedHost
		return func() *actors.System { return r.gateway(r.client(nil), cfg) }
	default:
		at, offered := startNATS(t), cfg
		offered.IncludeTools = nil
		mustJoin(t, at, "one", offered, how == "fleet")
		return func() *actors.System { return fleetGateway(t, at, cfg) }
	}
}

func testCall(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	result, err := servedCall(t, s, "echo", `{"text":"hello"}`)
	if got := text(t, result, err); got != "hello" {
		t.Errorf("echo: %q", got)
	}
	result, err = servedCall(t, s, "struct", `{}`)
	if err != nil || !bytes.Contains(result, []byte(`"structuredContent":{"n":12345678901234567890}`)) {
		t.Errorf("the bytes of a result changed: %s, %v", result, err)
	}
	v, _ := s.ViewServer("srv")
	if v.Status.Title == "" || v.Status.Protocol == "" {
		t.Errorf("no description of the server: %+v", v.Status)
	}
}

func testErrors(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	_, err := servedCall(t, s, "rpcerror", `{"code":-32011,"message":"on request"}`)
	kindIs(t, err, toolscript.ToolFailed, "on request")
	var known *toolscript.Error
	if !errors.As(err, &known) || known.RPCCode != -32011 || known.Server != "srv" || known.Tool != "rpcerror" {
		t.Errorf("error %+v", known)
	}
	result, err := servedCall(t, s, "iserror", `{"text":"did not work"}`)
	if err != nil || !bytes.Contains(result, []byte(`"isError":true`)) {
		t.Errorf("is_error: %s, %v", result, err)
	}
}

func testTimeLimit(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	_, err := servedCall(t, s, "never", `{}`)
	kindIs(t, err, toolscript.Timeout, "no answer and no progress within 200ms")
}

func testProgress(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	var mu sync.Mutex
	var seen []toolscript.Progress
	result, err := s.CallTool(kit.Within(t), toolscript.Call{
		ID: "srv__progress", Args: json.RawMessage(`{"steps":5,"ms":1000}`),
		Progress: func(p toolscript.Progress) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, p)
		},
	})
	if got := text(t, result, err); got != "done" {
		t.Errorf("progress: %q", got)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != 5 || seen[4].Done != 5 || seen[4].Total != 5 {
		t.Errorf("progress: %+v", seen)
	}
}

func testCancel(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	ctx, cancel := context.WithCancelCause(kit.Within(t))
	done := make(chan error, 1)
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	go func() {
		_, err := s.CallTool(ctx, toolscript.Call{
			ID: "srv__progress", Args: json.RawMessage(`{"steps":100000,"ms":20}`), Progress: func(toolscript.Progress) { begin() },
		})
		done <- err
	}()
	select {
	case <-begun:
	case err := <-done:
		t.Fatalf("the call ended before it was cancelled: %v", err)
	}
	cancel(errNo)
	kindIs(t, <-done, toolscript.Cancelled, "no")
	kit.Eventually(t, "the server has seen the cancellation", func() bool {
		result, err := servedCall(t, s, "cancelled", `{}`)
		return err == nil && bytes.Contains(result, []byte(`"seen":1`))
	})
	short, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	_, err := s.CallTool(short, toolscript.Call{ID: "srv__never"})
	kindIs(t, err, toolscript.Timeout, "")
}

func testElicit(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	args := json.RawMessage(`{"method":"elicitation/create","params":{"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string"}}}}}`)
	asked := make(chan toolscript.Question, 1)
	result, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__ask", Args: args, Ask: func(_ context.Context, q toolscript.Question) (toolscript.Answer, error) {
		asked <- q
		return toolscript.Answer{Action: toolscript.Accept, Content: json.RawMessage(`{"colour":"blue"}`)}, nil
	}})
	if got := text(t, result, err); !bytes.Contains([]byte(got), []byte(`"blue"`)) {
		t.Errorf("answer to the server: %s", got)
	}
	if q := <-asked; q.Message != "Which colour?" || q.Server != "srv" {
		t.Errorf("question: %+v", q)
	}
	result, err = s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__ask", Args: args})
	if got := text(t, result, err); !bytes.Contains([]byte(got), []byte("error")) {
		t.Errorf("a call without a person was answered: %s", got)
	}
}

func testChanged(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	awaitTool(t, s, "added", false)
	if _, err := servedCall(t, s, "change_tools", `{}`); err != nil {
		t.Fatal(err)
	}
	awaitTool(t, s, "added", true)
}

func testLarge(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	for _, size := range []int{200 << 10, 1 << 20, 5 << 20, 40 << 20} {
		args, _ := json.Marshal(map[string]int{"bytes": size})
		result, err := servedCall(t, s, "big", string(args))
		if err != nil || len(result) < size || !bytes.HasSuffix(result, []byte(`xxx"}]}`)) {
			t.Errorf("%d bytes: %d bytes, %v", size, len(result), err)
		}
	}
	args, _ := json.Marshal(map[string]int{"bytes": 70 << 20})
	_, err := servedCall(t, s, "big", string(args))
	kindIs(t, err, toolscript.TooLarge, "larger than 64 MB")
}

func testLargeArguments(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	sent := string(bytes.Repeat([]byte("y"), 3<<20))
	result, err := servedCall(t, s, "echo", `{"text":"`+sent+`"}`)
	if got := text(t, result, err); got != sent {
		t.Errorf("%d of %d bytes came back", len(got), len(sent))
	}
}

func testFetch(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	page, err := s.Fetch(kit.Within(t), toolscript.FetchRequest{ID: toolscript.ListResources, Server: "srv"})
	if err != nil || !bytes.Contains(page, []byte(`"server":"srv"`)) || bytes.Contains(page, []byte("~")) {
		t.Errorf("resources: %s, %v", page, err)
	}
	read, err := s.Fetch(kit.Within(t), toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "srv", URI: "test:///notes/1"})
	if err != nil || !bytes.Contains(read, []byte("12345678901234567890")) {
		t.Errorf("resource: %s, %v", read, err)
	}
	prompt, err := s.Fetch(kit.Within(t), toolscript.FetchRequest{ID: toolscript.GetPrompt, Server: "srv", Prompt: "greet/all", Args: map[string]string{"who": "Ada"}})
	if err != nil || !bytes.Contains(prompt, []byte("Hello Ada!")) {
		t.Errorf("prompt: %s, %v", prompt, err)
	}
	_, err = s.Fetch(kit.Within(t), toolscript.FetchRequest{ID: toolscript.ReadResource, Server: "srv", URI: "test:///missing"})
	kindIs(t, err, toolscript.ToolFailed, "not found")
}

func testNoResources(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	_, err := s.Fetch(kit.Within(t), toolscript.FetchRequest{ID: toolscript.ListPrompts, Server: "srv"})
	if !errors.Is(err, upstream.ErrNoCapability) || toolscript.KindOf(err) != toolscript.NotFound {
		t.Errorf("prompts of a server without prompts: %v", err)
	}
}

func testLostServer(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	before := pid(t, s)
	_, err := servedCall(t, s, "crash", `{}`)
	kindIs(t, err, toolscript.Unavailable, "whether the call was carried out is not known")
	var known *toolscript.Error
	if !errors.As(err, &known) || known.Sent != toolscript.SentUnknown || known.RetryAfter <= 0 { // retryable: the tool only reads
		t.Errorf("the error does not say that the outcome is unknown, or has no hint when to try again: %+v", known)
	}
	kit.Eventually(t, "a new process", func() bool {
		result, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__args", Wait: kit.Patience})
		return err == nil && !bytes.Contains(result, []byte(`pid\":`+itoa(before)+`}`)) && !bytes.Contains(result, []byte(`pid\":`+itoa(before)+`,`))
	})
	ready(t, s)
}

func testExit(t *testing.T, s *actors.System) {
	t.Helper()
	status := awaitState(t, s, toolscript.Backoff)
	if len(status.Stderr) == 0 || status.Stderr[0] != "mcpserver: exit requested" || !bytes.Contains([]byte(status.Error), []byte("exit status 3")) {
		t.Errorf("error %q, standard error %q", status.Error, status.Stderr)
	}
}

// testQueue makes more calls than may be in flight. The time limit of a call begins when the call
// starts, so none reaches it.
func testQueue(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	const calls = 5
	failures := make(chan error, calls)
	for range calls {
		go func() {
			_, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__sleep", Args: json.RawMessage(`{"ms":300}`)})
			failures <- err
		}()
	}
	for range calls {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
}

func testTrace(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	result, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__echo", Args: json.RawMessage(`{"text":"(_meta)"}`), Trace: parent})
	if got := text(t, result, err); !bytes.Contains([]byte(got), []byte(parent)) {
		t.Errorf("_meta: %s", got)
	}
}

func testFilters(t *testing.T, s *actors.System) {
	t.Helper()
	ready(t, s)
	if n := s.Catalog().Len(); n != 1 {
		t.Errorf("%d tools", n)
	}
}

// TestBudget checks that a large answer waits for memory, and is refused at its deadline.
func TestBudget(t *testing.T) {
	answers := budget.New(func() int64 { return 1 << 20 })
	r := startHub(t, nil)
	c := r.client(answers)
	s := r.gateway(c, config(t, upstream.SharedHost))
	ready(t, s)
	ctx, release := budget.Hold(kit.Within(t))
	defer release()
	if err := answers.Lease(ctx).Take(ctx, 3<<20); err != nil { // one lease may exceed the budget
		t.Fatal(err)
	}
	first, releaseFirst := budget.Hold(t.Context())
	short, stop := context.WithTimeout(first, 2*time.Second)
	defer stop()
	_, err := s.CallTool(short, toolscript.Call{ID: "srv__big", Args: json.RawMessage(`{"bytes":2000000}`)})
	releaseFirst()
	if kind := toolscript.KindOf(err); kind != toolscript.Busy && kind != toolscript.Timeout {
		t.Errorf("a large answer without memory: %v", err)
	}
	release()
	second, releaseSecond := budget.Hold(kit.Within(t))
	defer releaseSecond()
	result, err := s.CallTool(second, toolscript.Call{ID: "srv__big", Args: json.RawMessage(`{"bytes":2000000}`)})
	if err != nil || len(result) < 2000000 {
		t.Errorf("after the memory was free: %d bytes, %v", len(result), err)
	}
}
