package actors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/actors/workers"
	"github.com/toolscript/toolscript/runner/worker"
	"github.com/toolscript/toolscript/transport/upstream"
)

// recorder is a Tracer that keeps its spans.
type recorder struct {
	mu    sync.Mutex
	spans []*recorded
}

type recorded struct {
	of            *recorder
	id, parent    string
	name, failure string
	attributes    map[string]string
	ended         int
}

func (r *recorder) Start(parent string, o toolscript.SpanOptions) toolscript.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &recorded{of: r, parent: parent, name: o.Name, attributes: map[string]string{}}
	s.id = fmt.Sprintf("00-0af7651916cd43dd8448eb211c80319c-%016x-01", len(r.spans)+1)
	for _, a := range o.Attributes {
		s.attributes[a.Name] = a.Value
	}
	r.spans = append(r.spans, s)
	return s
}

func (s *recorded) Traceparent() string { return s.id }

func (s *recorded) Set(name, value string) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.attributes[name] = value
}

func (s *recorded) End(failure string) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.ended++
	s.failure = failure
}

// tree returns the ended spans below a parent with their failures, a line each, indented by their depth.
func (r *recorder) tree(parent string) (all []string) {
	for _, s := range r.spans {
		if s.parent == parent && s.ended == 1 {
			all = append(all, strings.TrimSpace(s.name+" "+s.failure))
			for _, below := range r.tree(s.id) {
				all = append(all, "  "+below)
			}
		}
	}
	return all
}

// tracedConn notes the traceparents of the requests.
type tracedConn struct {
	*fakeConn
	mu   sync.Mutex
	seen []string
}

func (c *tracedConn) Start(m upstream.ToolCall) upstream.Started {
	c.mu.Lock()
	c.seen = append(c.seen, m.Trace)
	c.mu.Unlock()
	return c.fakeConn.Start(m)
}

const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func withSandboxes(t *testing.T, conn server.Conn, tracer toolscript.Tracer) *actors.System {
	t.Helper()
	cache := t.TempDir()
	o := actors.Options{Servers: configs("a"), Dial: dialer{"a": answers(conn, nil)}.dial, Tracer: tracer}
	o.Scripts.StartChecker = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartChecker(ctx, worker.Options{CacheDir: cache})
	}
	o.Scripts.StartSandbox = func(ctx context.Context) (workers.Worker, error) {
		return worker.StartSandbox(ctx, worker.Options{CacheDir: cache})
	}
	s := startWith(t, o)
	settle(t, s)
	return s
}

func TestSpansOfARun(t *testing.T) {
	tracer, conn := &recorder{}, &tracedConn{fakeConn: newConn("a")}
	conn.call = func(_ context.Context, _ string, args json.RawMessage) (json.RawMessage, error) {
		if strings.Contains(string(args), "2") {
			return json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no"}]}`), nil
		}
		return args, nil
	}
	s := withSandboxes(t, conn, tracer)
	id := ""
	err := s.Exec(t.Context(), toolscript.ExecRequest{Code: `await tools.a.echo({ n: 1 }); await tools.a.echo({ n: 2 })`, Rules: toolscript.Rules{Trace: caller, Check: toolscript.CheckOff}}, func(e toolscript.Event) error {
		if e.Type == toolscript.EventStart {
			id = e.RunID
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"run threw",
		"  execute_tool a__echo", "    tools/call echo",
		"  execute_tool a__echo tool_failed", "    tools/call echo tool_error",
	}
	if diff := cmp.Diff(want, tracer.tree(caller)); diff != "" {
		t.Error(diff)
	}
	var requests []string
	for _, span := range tracer.spans {
		switch span.name {
		case "run":
			if span.attributes["toolscript.run.id"] != id || span.attributes["toolscript.script.engine"] != toolscript.EngineQuickJS {
				t.Errorf("the run has %v, want the run %s", span.attributes, id)
			}
		case "tools/call echo":
			requests = append(requests, span.id)
			if span.attributes["mcp.method.name"] != "tools/call" || span.attributes["toolscript.server"] != "a" || span.attributes["gen_ai.tool.name"] != "echo" {
				t.Errorf("the request has %v", span.attributes)
			}
		default:
			if span.attributes["gen_ai.tool.name"] != "a__echo" || span.attributes["gen_ai.operation.name"] != "execute_tool" || span.attributes["toolscript.run.id"] != id {
				t.Errorf("the call has %v", span.attributes)
			}
		}
	}
	if !slices.Equal(requests, conn.seen) {
		t.Errorf("the server received %q, want the spans of the requests %q", conn.seen, requests)
	}
}

// Without a Tracer the traceparent of the caller reaches the server.
func TestTraceparentIsPassedOn(t *testing.T) {
	conn := &tracedConn{fakeConn: newConn("a")}
	s := withSandboxes(t, conn, nil)
	err := s.Exec(t.Context(), toolscript.ExecRequest{Code: `await tools.a.echo({ n: 1 })`, Rules: toolscript.Rules{Trace: caller, Check: toolscript.CheckOff}}, func(toolscript.Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.CallTool(t.Context(), toolscript.Call{ID: "a__echo", Args: json.RawMessage(`{"n":1}`), Trace: caller}); err != nil {
		t.Fatal(err)
	}
	if want := []string{caller, caller}; !slices.Equal(conn.seen, want) {
		t.Errorf("the server received %q, want %q", conn.seen, want)
	}
}

// TestSpansOfFetches: requests for resources and prompts have spans below the run, their
// traceparent reaches the server, and they are timed by method.
func TestSpansOfFetches(t *testing.T) {
	for _, traced := range []bool{true, false} {
		t.Run(fmt.Sprint(traced), func(t *testing.T) {
			tracer, conn := &recorder{}, newConn("a")
			var mu sync.Mutex
			var seen []string
			conn.fetch = func(_ context.Context, o toolscript.FetchRequest, _ func()) (json.RawMessage, error) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, o.Trace)
				if o.ID == toolscript.GetPrompt {
					return nil, &toolscript.Error{Kind: toolscript.ToolFailed, Err: fmt.Errorf("no")}
				}
				return json.RawMessage(`{"contents":[],"resources":[],"resourceTemplates":[],"prompts":[]}`), nil
			}
			var with toolscript.Tracer
			if traced {
				with = tracer
			}
			s := withSandboxes(t, conn, with)
			err := s.Exec(t.Context(), toolscript.ExecRequest{
				Code: `
				await tools.$resources.list({ server: "a" });
				await tools.$resources.templates({ server: "a" });
				await tools.$resources.read({ server: "a", uri: "x://secret" });
				await tools.$prompts.list();
				await tools.$prompts.get({ server: "a", name: "brief" });`,
				Rules: toolscript.Rules{Trace: caller, Check: toolscript.CheckOff},
			}, func(toolscript.Event) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"run threw", "  resources/list", "  resources/templates/list", "  resources/read", "  prompts/list", "  prompts/get brief tool_failed"}
			requests := slices.Repeat([]string{caller}, 5)
			if traced {
				requests = nil
				for _, span := range tracer.spans[1:] {
					requests = append(requests, span.id)
					method, _, _ := strings.Cut(span.name, " ")
					if span.attributes["mcp.method.name"] != method || span.attributes["toolscript.server"] != "a" || strings.Contains(fmt.Sprint(span.attributes), "secret") {
						t.Errorf("%s has %v", span.name, span.attributes)
					}
				}
			} else {
				want = nil
			}
			if diff := cmp.Diff(want, tracer.tree(caller)); diff != "" {
				t.Error(diff)
			}
			if !slices.Equal(requests, seen) {
				t.Errorf("the server received %q, want %q", seen, requests)
			}
			m, err := s.Measures(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			counts := map[string]uint64{}
			for method, d := range m.Servers[0].Fetches {
				counts[method] = d.Count()
			}
			if diff := cmp.Diff(map[string]uint64{"resources/list": 1, "resources/templates/list": 1, "resources/read": 1, "prompts/list": 1, "prompts/get": 1}, counts); diff != "" {
				t.Error(diff)
			}
			if n := m.Servers[0].Durations.Count(); n != 0 {
				t.Errorf("%d tool calls", n)
			}
		})
	}
}
