package sandbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// asking returns approvals that ask about every tool except echo and fail.
func asking(timeout func() time.Duration) actors.Approvals {
	return actors.Approvals{Policies: func() toolscript.Approvals {
		return toolscript.Approvals{{
			Default: toolscript.ApprovalAsk, Timeout: timeout(),
			Rules: []toolscript.ApprovalRule{
				{Match: []string{"demo__echo"}, Action: toolscript.ApprovalAllow},
				{Match: []string{"demo__fail"}, Action: toolscript.ApprovalDeny},
			},
		}}
	}}
}

// patient returns a timeout that no test reaches.
func patient() time.Duration { return time.Hour }

// TestApprovalIsNotCountedAsTimeOfTheRun: on both engines, a person may need longer than the time limit
// of the script.
func TestApprovalIsNotCountedAsTimeOfTheRun(t *testing.T) {
	t.Parallel()
	limit := pace.Limit(time.Second)
	thought := limit + 2*time.Second
	g := newGatewayWith(t, asking(patient))
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			request := toolscript.ExecRequest{
				Code:   `return await tools.demo.getThing({a: 1})`,
				Limits: toolscript.Limits{TimeoutMs: limit.Milliseconds()},
				Rules:  toolscript.Rules{Engine: engine, Check: toolscript.CheckOff},
			}
			end, err := g.runWithEvents(t, request, func(id string, e toolscript.Event) error {
				if e.Type != toolscript.EventApproval {
					return nil
				}
				if a := e.Approval; a.Tool != "demo__get-thing" || a.Args != `{"a":1}` || a.Run != id || a.CallID != e.CallID {
					t.Errorf("approval = %+v", a)
				}
				<-time.After(thought)
				return g.AnswerApproval(t.Context(), e.Approval.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow}, true)
			})
			if err != nil || end.Error != nil || string(end.Value) != `{"a":1}` {
				t.Errorf("end = %s, %+v, %v", end.Value, end.Error, err)
			}
		})
	}
}

// TestApprovalErrors: a script can catch a denial, with its reason, and a request that nobody has
// answered in time.
func TestApprovalErrors(t *testing.T) {
	const code = `
		const seen = [];
		for (const tool of ["getThing", "hang", "fail"]) {
			try { await tools.demo[tool]({}); } catch (e) { seen.push([e.name, e.code, e.message]); }
		}
		return seen;`
	const short = 20 * time.Millisecond
	var timeout atomic.Int64
	g := newGatewayWith(t, asking(func() time.Duration { return time.Duration(timeout.Load()) }))
	const want = `[["ApprovalDeniedError","approval_denied","demo__get-thing was denied: not on Fridays"],` +
		`["ApprovalTimeoutError","approval_timeout","demo__hang was not approved within 20ms; answer requests with: toolscript approvals; without a desktop, write \"confirm\": \"terminal\" or a rule that allows the tool into approvals of ~/.toolscript.json"],` +
		`["ApprovalDeniedError","approval_denied","demo__fail was denied: the configuration (approvals) does not allow it"]]`
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			timeout.Store(int64(patient()))
			end, err := g.runWithEvents(t, toolscript.ExecRequest{Code: code, Rules: toolscript.Rules{Engine: engine, Check: toolscript.CheckOff}}, func(_ string, e toolscript.Event) error {
				if e.Type != toolscript.EventApproval || e.Tool != "demo__get-thing" {
					return nil
				}
				timeout.Store(int64(short))
				return g.AnswerApproval(t.Context(), e.Approval.ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalDeny, Reason: "not on Fridays"}, false)
			})
			if err != nil || string(end.Value) != want {
				t.Errorf("value\n%s\nwant\n%s\n%+v %v", end.Value, want, end.Error, err)
			}
		})
	}
}

// TestParallelApprovals: at most five of ten calls request an approval at a time, even if fewer calls may
// be in flight, and another call continues meanwhile.
func TestParallelApprovals(t *testing.T) {
	const code = `
		const waiting = Array.from({length: 10}, (_, i) => tools.demo.getThing({i}));
		const other = await tools.demo.echo({free: true});
		console.log("went on");
		const all = await Promise.all(waiting);
		return {other, all: all.map(a => a.i)};`
	g := newGatewayWith(t, asking(patient))
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			var ids []string
			wentOn := false
			request := toolscript.ExecRequest{Code: code, Limits: toolscript.Limits{Concurrency: 2}, Rules: toolscript.Rules{Engine: engine, Check: toolscript.CheckOff}}
			end, err := g.runWithEvents(t, request, func(_ string, e toolscript.Event) error {
				switch e.Type {
				case toolscript.EventApproval:
					ids = append(ids, e.Approval.ID)
				case toolscript.EventStdout:
					wentOn = true
				default:
				}
				if len(ids) < 5 || !wentOn {
					return nil
				}
				if pending, err := g.PendingApprovals(t.Context()); err != nil || len(pending) != 5 {
					t.Errorf("%d requests wait, %v; want 5", len(pending), err)
				}
				for _, id := range ids {
					if err := g.AnswerApproval(t.Context(), id, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow}, true); err != nil {
						return fmt.Errorf("request %s: %w", id, err)
					}
				}
				ids = nil
				return nil
			})
			if err != nil || string(end.Value) != `{"other":{"free":true},"all":[0,1,2,3,4,5,6,7,8,9]}` {
				t.Errorf("value %s, %+v, %v", end.Value, end.Error, err)
			}
		})
	}
}

// TestAbortWithdrawsApprovals: when a run is aborted, its requests end, and those of other runs stay.
func TestAbortWithdrawsApprovals(t *testing.T) {
	g := newGatewayWith(t, asking(patient))
	other := make(chan error, 1)
	go func() {
		_, err := g.CallTool(t.Context(), toolscript.Call{ID: "demo__get-thing", Args: json.RawMessage(`{}`), Wait: time.Minute})
		other <- err
	}()
	await(t, "the request of a call from outside", time.Millisecond, func() bool {
		pending, err := g.PendingApprovals(t.Context())
		return err == nil && len(pending) == 1
	})
	end, err := g.runWithEvents(t, toolscript.ExecRequest{Code: `await tools.demo.getThing({})`, Rules: toolscript.Rules{Check: toolscript.CheckOff}}, func(id string, e toolscript.Event) error {
		if e.Type == toolscript.EventApproval {
			return g.AbortRun(t.Context(), id)
		}
		return nil
	})
	if err != nil || end.Kind != toolscript.Cancelled {
		t.Errorf("end = %+v, %v", end, err)
	}
	var pending []toolscript.Approval
	await(t, "only the request from outside", time.Millisecond, func() bool {
		pending, err = g.PendingApprovals(t.Context())
		return err == nil && len(pending) == 1 && pending[0].Run == ""
	})
	if err := g.AnswerApproval(context.Background(), pending[0].ID, toolscript.ApprovalAnswer{Action: toolscript.ApprovalAllow}, true); err != nil {
		t.Error(err)
	}
	if err := <-other; err != nil {
		t.Errorf("the call from outside: %v", err)
	}
}
