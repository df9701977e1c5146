package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

// TestClientAsBackend: a client returns the answers of the Backend behind the
// gateway.
func TestClientAsBackend(t *testing.T) {
	servers := []toolscript.ServerStatus{{Name: "a", Type: "stdio", State: toolscript.Ready, Settled: true, Tools: 2}}
	backend := &fake{
		catalog: someTools,
		stats:   toolscript.SearchStats{SearchStatus: toolscript.SearchStatus{Ready: true, State: "lexical"}},
		servers: func(context.Context) ([]toolscript.ServerStatus, error) { return servers, nil },
		status: func(context.Context) (toolscript.Status, error) {
			return toolscript.Status{Version: "1", PID: 7, Generation: 3, Servers: servers, Warnings: []string{"w"}}, nil
		},
		callTool: func(_ context.Context, call toolscript.Call) (json.RawMessage, error) { return call.Args, nil },
		types: func(_ context.Context, f toolscript.Filter, compact bool) (toolscript.Module, error) {
			return toolscript.Module{Text: fmt.Sprint(f, compact), ETag: "e", Generation: 3, Tools: 2, Example: "an example"}, nil
		},
	}
	l := serve(t, backend)
	c, ctx := l.client(t), t.Context()

	health, err := c.Health(ctx)
	check(t, "Health", health, api.Health{
		Status: "ok", Version: toolscript.Version, Protocol: toolscript.Protocol,
		Search: backend.stats.SearchStatus,
	}, err)
	ready, err := c.Ready(ctx)
	check(t, "Ready", ready, api.Readiness{Ready: true, Connected: 1, Total: 1, Waiting: []string{}, Failed: []api.FailedServer{}}, err)
	got, err := c.Servers(ctx, nil, 0)
	check(t, "Servers", got, servers, err)
	status, err := c.Status(ctx)
	want, _ := backend.Status(ctx)
	want.Actors, want.Attention = []toolscript.ActorStatus{}, []toolscript.Attention{}
	check(t, "Status", status, want, err)
	tools, err := c.Tools(ctx, toolscript.Filter{"github", "no one & all"}, 0)
	check(t, "Tools", tools, api.Tools{Tools: []api.ToolInfo{{
		ServerName: "github", ToolName: "create_issue", QualifiedName: "github__create_issue", Description: "Create <b> & more",
		InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object"}`),
	}}, Selection: naming.Selection{Unknown: []naming.UnknownEntry{{Entry: "no one & all", Servers: []string{"a__b", "github"}}}}}, err)
	result, err := c.CallTool(ctx, toolscript.Call{ID: "a__b", Args: json.RawMessage(`{"x":"<"}`)})
	check(t, "CallTool", string(result), `{"x":"<"}`, err)
	types, err := c.Types(ctx, toolscript.Filter{"github", "a__b"}, api.Compact, 0)
	check(t, "Types", types, api.Types{Module: "github,a__b true", Generation: 3, Tools: 2, Example: "an example"}, err)
	declarations, err := c.Types(ctx, toolscript.Filter{"githb"}, api.Declarations, 0)
	check(t, "Types", declarations, api.Types{Module: "declarations of githb", Selection: naming.Selection{
		Unknown: []naming.UnknownEntry{{Entry: "githb", Suggestions: []string{"github"}}},
	}}, err)

	servers[0].State = toolscript.Connecting
	ready, err = c.Ready(ctx)
	check(t, "Ready while one connects", ready, api.Readiness{Total: 1, Waiting: []string{"a"}, Failed: []api.FailedServer{}}, err)
}

func check(t *testing.T, what string, got, want any, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// TestClientErrors: the client returns the error of the server.
func TestClientErrors(t *testing.T) {
	var sent *toolscript.Error
	l := serve(t, &fake{
		callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) { return nil, sent },
		exec:     func(context.Context, toolscript.ExecRequest, func(toolscript.Event) error) error { return sent },
		servers:  func(context.Context) ([]toolscript.ServerStatus, error) { return nil, sent },
	})
	c := l.client(t)
	for _, kind := range []toolscript.Kind{
		toolscript.Invalid, toolscript.Unauthorized, toolscript.Forbidden, toolscript.NotFound, toolscript.Conflict,
		toolscript.TooLarge, toolscript.Unsupported, toolscript.Busy, toolscript.Internal, toolscript.ToolFailed,
		toolscript.Unavailable, toolscript.Timeout, toolscript.LimitCalls, toolscript.Cancelled,
	} {
		sent = &toolscript.Error{
			Kind: kind, Server: "github", Tool: "t", Err: errors.New("no luck"), RPCCode: -5,
			Details: []toolscript.Detail{{Path: "/a", Message: "m"}}, RetryAfter: 3 * time.Second, Sent: toolscript.SentNo,
		}
		_, called := c.CallTool(t.Context(), toolscript.Call{ID: "github__t"})
		_, ready := c.Ready(t.Context())
		ran := c.Exec(t.Context(), toolscript.ExecRequest{}, func(toolscript.Event) error { return nil })
		for what, err := range map[string]error{"CallTool": called, "Ready": ready, "Exec": ran} {
			var got *toolscript.Error
			if !errors.As(err, &got) {
				t.Fatalf("%s of %s = %v", what, kind, err)
			}
			if diff := cmp.Diff(sent, got, cmpopts.IgnoreFields(toolscript.Error{}, "Err")); diff != "" {
				t.Errorf("%s of %s (-sent +got):\n%s", what, kind, diff)
			}
			if got.Error() != sent.Error() {
				t.Errorf("%s of %s = %q, want %q", what, kind, got, sent)
			}
		}
	}
}

func TestClientWithoutGateway(t *testing.T) {
	ln, err := api.Listen("", 0)
	if err != nil {
		t.Fatal(err)
	}
	address, token := ln.Addr().String(), api.NewToken()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	c := api.NewClient("http://" + address + "/" + token)
	_, health := c.Health(t.Context())
	exec := c.Exec(t.Context(), toolscript.ExecRequest{}, func(toolscript.Event) error { return nil })
	for what, err := range map[string]error{"Health": health, "Exec": exec} {
		if toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("%s = %v, want kind unavailable", what, err)
		}
		for _, want := range []string{address, "refused", "toolscript gateway status"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s = %q, want it to say %q", what, err, want)
			}
		}
		if strings.Contains(err.Error(), token) {
			t.Errorf("%s holds the capability: %v", what, err)
		}
	}
	if c.Host() != address {
		t.Errorf("Host = %s, want %s", c.Host(), address)
	}
}

// TestClientOfSomethingElse: the client reports if another program uses the port.
func TestClientOfSomethingElse(t *testing.T) {
	token := api.NewToken()
	var elsewhere string
	answers := map[string]http.HandlerFunc{
		"a page":          func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"a page not here": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) },
		"other JSON":      func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[1]`) },
		"an error of its own": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"error":{"code":1}}`)
		},
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere+r.URL.Path, http.StatusTemporaryRedirect)
		},
		"a cut answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"status":`)
		},
	}
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the client followed a redirect, with the capability")
	}))
	defer other.Close()
	elsewhere = other.URL
	for name, handler := range answers {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(handler)
			defer srv.Close()
			c := api.NewClient(srv.URL + "/" + token)
			defer c.Close()
			_, health := c.Health(t.Context())
			exec := c.Exec(t.Context(), toolscript.ExecRequest{}, func(toolscript.Event) error { return nil })
			for what, err := range map[string]error{"Health": health, "Exec": exec} {
				if toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), c.Host()) {
					t.Errorf("%s = %v, want kind unavailable and the address", what, err)
				}
				if strings.Contains(fmt.Sprint(err), token) {
					t.Errorf("%s holds the capability: %v", what, err)
				}
			}
		})
	}
}

func TestClientOfABadURL(t *testing.T) {
	for _, url := range []string{"", "127.0.0.1:80", "http://", "ftp://127.0.0.1/SECRET", "http://127.0.0.1/%zzSECRET", "http://127.0.0.1/?SECRET", "http://127.0.0.1/#SECRET"} {
		_, err := api.NewClient(url).Health(t.Context())
		if toolscript.KindOf(err) != toolscript.Invalid || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("client of %q = %v, want kind invalid and no secret", url, err)
		}
	}
}

func TestClientContext(t *testing.T) {
	l := serve(t, &fake{callTool: func(ctx context.Context, _ toolscript.Call) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}})
	c := l.client(t)
	late, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := c.CallTool(late, toolscript.Call{ID: "a__b"}); toolscript.KindOf(err) != toolscript.Timeout {
		t.Errorf("a call past its deadline = %v, want timeout", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.CallTool(cancelled, toolscript.Call{ID: "a__b"}); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("a cancelled call = %v, want cancelled", err)
	}
}

func TestClientExec(t *testing.T) {
	large := json.RawMessage(`"` + strings.Repeat("v", 5<<20) + `"`)
	sent := []toolscript.Event{
		start("r1"),
		{Type: toolscript.EventStdout, Data: "<é>\n\u2028"},
		{Type: toolscript.EventDiagnostic, Diagnostic: &toolscript.Diagnostic{File: "script.ts", Line: 1, Column: 2, Message: "m"}},
		toolscript.EndEvent("r1", toolscript.End{OK: true, Value: large, Metrics: &toolscript.Metrics{}}),
	}
	l := serve(t, &fake{exec: func(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		for _, e := range sent {
			if err := emit(e); err != nil {
				return err
			}
		}
		return nil
	}}, func(o *api.Options) { o.Heartbeat = time.Millisecond })
	var got []toolscript.Event
	err := l.client(t).Exec(t.Context(), toolscript.ExecRequest{Code: "x"}, func(e toolscript.Event) error {
		got = append(got, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// cmp would compare each of the 5 million bytes by reflection, which takes minutes.
	whole := cmp.Comparer(func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
	if diff := cmp.Diff(sent, got, whole); diff != "" {
		t.Errorf("events (-sent +got):\n%.2000s", diff)
	}
}

// TestClientEndsItsRun: a client can stop a run from its callback.
func TestClientEndsItsRun(t *testing.T) {
	ended := make(chan error, 1)
	l := serve(t, &fake{exec: func(ctx context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
		err := emit(start("r1"))
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return err
	}})
	enough := errors.New("enough")
	if err := l.client(t).Exec(t.Context(), toolscript.ExecRequest{}, func(toolscript.Event) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("Exec = %v, want the error of emit", err)
	}
	if err := kit.Receive(t, ended); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("the run ended with %v, want cancelled", err)
	}
}

func TestClientOfAStreamWithoutEnd(t *testing.T) {
	for name, lines := range map[string]string{
		"cut off":       "{\"type\":\"start\",\"runId\":\"r1\"}\n\n",
		"in an event":   "{\"type\":\"start\",\"ru",
		"not JSON":      "{\"type\":\"start\"}\nnonsense\n",
		"of other JSON": "{\"type\":7}\n",
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, lines) }))
		c := api.NewClient(srv.URL)
		if err := c.Exec(t.Context(), toolscript.ExecRequest{}, func(toolscript.Event) error { return nil }); toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("a stream that is %s = %v, want unavailable", name, err)
		}
		c.Close()
		srv.Close()
	}
}

// TestManyCalls: each of a thousand concurrent calls gets its own answer.
func TestManyCalls(t *testing.T) {
	l := serve(t, &fake{callTool: func(_ context.Context, call toolscript.Call) (json.RawMessage, error) { return call.Args, nil }})
	c := l.client(t)
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			args := fmt.Sprintf(`{"n":%d}`, i)
			got, err := c.CallTool(t.Context(), toolscript.Call{ID: "a__b", Args: json.RawMessage(args)})
			if err != nil || string(got) != args {
				t.Errorf("call %d = %s, %v", i, got, err)
			}
		})
	}
	wg.Wait()
}

// TestRefresh: a description with fresh first reads the tool list of its server, and of no other server.
func TestRefresh(t *testing.T) {
	backend := &fake{catalog: someTools}
	c, ctx := serve(t, backend).client(t), t.Context()
	want, err := c.Describe(ctx, "a__b__c")
	check(t, "Describe", backend.reread, []string(nil), err)
	for i, servers := range [][]string{{"a__b"}, {"a__b", "a__b"}} {
		got, err := c.Refresh(ctx, "a__b__c")
		check(t, fmt.Sprintf("Refresh %d", i), got, want, err)
		check(t, "the lists read", backend.reread, servers, nil)
	}
	if _, err := c.Refresh(ctx, "nobody"); toolscript.KindOf(err) != toolscript.NotFound || len(backend.reread) != 2 {
		t.Errorf("of no tool: %v, %q", err, backend.reread)
	}
}
