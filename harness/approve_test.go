package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness"
	"github.com/toolscript/toolscript/harness/answer"
)

// guarded returns a tool that needs an approval and counts its calls.
func guarded(calls *atomic.Int32) harness.Tool {
	return harness.Tool{Name: "guarded", RequiresApproval: true, Run: func(_ context.Context, args json.RawMessage) (any, error) {
		calls.Add(1)
		return args, nil
	}}
}

func allow(scope string) func(context.Context, toolscript.Approval) toolscript.ApprovalAnswer {
	return func(context.Context, toolscript.Approval) toolscript.ApprovalAnswer {
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow, Scope: scope}
	}
}

// TestApprove answers requests of scripts and of structured calls with a callback.
func TestApprove(t *testing.T) {
	var calls atomic.Int32
	l := local(t, harness.Config{}, guarded(&calls))
	const code = `try { return await tools.app.guarded({ n: 1 }) } catch (e) { return e.name + ": " + e.message }`
	for _, tt := range []struct {
		what    string
		approve func(context.Context, toolscript.Approval) toolscript.ApprovalAnswer
		want    string
		calls   int32
	}{
		{"allowed", allow(""), `{"n":1}`, 1},
		{"denied", func(context.Context, toolscript.Approval) toolscript.ApprovalAnswer {
			return toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: "not today"}
		}, `"ApprovalDeniedError: app__guarded was denied: not today"`, 0},
		{"an answer that is not valid", func(context.Context, toolscript.Approval) toolscript.ApprovalAnswer {
			return toolscript.ApprovalAnswer{}
		}, `"ApprovalDeniedError: app__guarded was denied: the answer of Options.Approve is not valid: action must be allow or deny, not \"\""`, 0},
		{"a panic", func(context.Context, toolscript.Approval) toolscript.ApprovalAnswer { panic("no person") },
			`"ApprovalDeniedError: app__guarded was denied: Options.Approve has panicked: no person"`, 0},
	} {
		calls.Store(0)
		var asked sync.Map
		o := harness.Options{Approve: func(ctx context.Context, a toolscript.Approval) toolscript.ApprovalAnswer {
			asked.Store(a.Tool+" "+a.Args, true)
			return tt.approve(ctx, a)
		}}
		got := output(t, l, code, o)
		if _, was := asked.Load(`app__guarded {"n":1}`); string(got.Value) != tt.want || calls.Load() != tt.calls || !was {
			t.Errorf("%s: %s, %+v after %d calls", tt.what, got.Value, got.Error, calls.Load())
		}
	}
	items := on(t, l, answer.Part{Call: &answer.Call{ID: "c1", Name: "guarded", Args: json.RawMessage(`{"n":2}`)}}, harness.Options{Approve: allow("")})
	if len(items) != 2 {
		t.Fatalf("items %+v", items)
	}
	if r, ok := items[0].(harness.ApprovalRequest); !ok || r.CallID != "c1" || r.Approval.Tool != "app__guarded" || r.History() {
		t.Errorf("progress %+v", items[0])
	}
	if diff := cmp.Diff(harness.ToolMessage{Type: "tool", Role: "tool", ToolCallID: "c1", Content: `{"n":2}`}, items[1]); diff != "" {
		t.Errorf("a structured call (-want +got):\n%s", diff)
	}
}

// TestApproveScopes: with the scope run, a person is asked once in a run, and with the scope session, once in a session.
func TestApproveScopes(t *testing.T) {
	var calls, asked atomic.Int32
	l := local(t, harness.Config{}, guarded(&calls))
	ask := func(scope string) harness.Options {
		return harness.Options{Approve: func(ctx context.Context, a toolscript.Approval) toolscript.ApprovalAnswer {
			asked.Add(1)
			return allow(scope)(ctx, a)
		}}
	}
	const twice = `await tools.app.guarded(); await tools.app.guarded()`
	for i, tt := range []struct {
		scope string
		want  int32 // requests so far
	}{{toolscript.ScopeOnce, 2}, {toolscript.ScopeRun, 3}, {toolscript.ScopeRun, 4}, {toolscript.ScopeSession, 5}, {toolscript.ScopeOnce, 5}} {
		if o := output(t, l, twice, ask(tt.scope)); !o.OK || asked.Load() != tt.want {
			t.Errorf("%d, %s: %d requests, want %d; %+v", i, tt.scope, asked.Load(), tt.want, o.Error)
		}
	}
}

// TestApproveEnds: the context of the callback ends when the request expires, and when
// Process is cancelled.
func TestApproveEnds(t *testing.T) {
	var calls atomic.Int32
	l := local(t, harness.Config{Approvals: toolscript.Approvals{{Timeout: 50 * time.Millisecond}}}, guarded(&calls))
	ended := make(chan error, 1)
	waits := func(ctx context.Context, _ toolscript.Approval) toolscript.ApprovalAnswer {
		<-ctx.Done()
		ended <- ctx.Err()
		return toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow} // too late
	}
	o := output(t, l, `await tools.app.guarded()`, harness.Options{Approve: waits})
	if kind(o) != toolscript.ApprovalTimeout || o.Error.Code != "ApprovalTimeoutError" {
		t.Errorf("a request that expires: %+v", o.Error)
	}
	<-ended

	long := local(t, harness.Config{Approvals: toolscript.Approvals{{Timeout: time.Hour}}}, guarded(&calls))
	ctx, cancel := context.WithCancel(t.Context())
	err := harness.Process(ctx, long, answer.Answer{API: answer.Chat, Parts: []answer.Part{scriptOf(`await tools.app.guarded()`)}}, harness.Options{
		Approve: func(c context.Context, a toolscript.Approval) toolscript.ApprovalAnswer {
			cancel()
			return waits(c, a)
		},
	}, func(harness.Item) error { return nil })
	if err == nil {
		t.Error("Process did not end with its context")
	}
	<-ended
	if calls.Load() != 0 {
		t.Errorf("%d calls", calls.Load())
	}
}

// TestApproveInParallel: each call that waits has a request of its own, and Progress receives
// the items that are not part of the conversation.
func TestApproveInParallel(t *testing.T) {
	var calls atomic.Int32
	l := local(t, harness.Config{}, guarded(&calls))
	var waiting sync.WaitGroup
	const n, atOnce = 10, 5
	waiting.Add(atOnce)
	var asked atomic.Int32
	counts := map[string]int{}
	o := harness.Options{
		Approve: func(context.Context, toolscript.Approval) toolscript.ApprovalAnswer {
			if asked.Add(1) <= atOnce {
				waiting.Done()
			}
			waiting.Wait() // five are asked before one is answered
			return toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow}
		},
		Progress: func(item harness.Item) { counts[fmt.Sprintf("%T", item)]++ },
	}
	items := on(t, l, scriptOf(fmt.Sprintf(`await Promise.all(Array.from({ length: %d }, (_, i) => tools.app.guarded({ i })))`, n)), o)
	if calls.Load() != n || len(items) != 2 {
		t.Errorf("%d calls, %d items", calls.Load(), len(items))
	}
	want := map[string]int{"harness.ToolCallStart": n, "harness.ToolCallEnd": n, "harness.ApprovalRequest": n}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}
