package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// slow answers calls after a minute, or when they are cancelled.
func slow(d *runs.Deps) {
	d.Call = func(ctx context.Context, _ toolscript.Call) (json.RawMessage, error) {
		select {
		case <-time.After(time.Minute):
			return json.RawMessage(`{"content":[]}`), nil
		case <-ctx.Done():
			return nil, toolscript.ContextError(ctx)
		}
	}
}

// leaves begins a call and a task and ends with an outcome. Like a worker it ends the
// context of the calls.
func leaves(outcome runner.Outcome) sandbox {
	return func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			invoke(ctx, host, runner.Call{CallID: "1", ID: echo.ID()})
		}()
		synctest.Wait()
		go invoke(ctx, host, runner.Call{CallID: "2", ID: echo.ID(), Task: true})
		synctest.Wait()
		cancel()
		<-done
		return outcome, nil
	}
}

func TestTasksOutliveTheirScript(t *testing.T) {
	withBoth(t, leaves(runner.Outcome{}), slow, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{})
		want := []toolscript.DetachedCall{{CallID: "2", Tool: echo.ID(), Task: true}}
		if diff := cmp.Diff(want, end.Detached); diff != "" {
			b.t.Errorf("detached (-want +got):\n%s", diff)
		}
		ended := b.record(end.RunID)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		late := b.record(end.RunID)
		if len(ended.Calls) != 2 || ended.Calls[0].Kind != toolscript.Cancelled || ended.Calls[1].OK != nil || !ended.Calls[1].Detached {
			b.t.Errorf("calls at the end = %+v, want a cancelled one and a detached one", ended.Calls)
		}
		if call := late.Calls[1]; call.OK == nil || !*call.OK || call.Ms < 59_000 || !call.Detached {
			b.t.Errorf("the task later = %+v, want it answered after a minute", call)
		}
	})
}

// TestTasksOfAnEndedRunAreStopped: the record of an ended run shows its tasks, including those that wait for their
// turn, and an abort stops them.
func TestTasksOfAnEndedRunAreStopped(t *testing.T) {
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for _, id := range []string{"1", "2", "3"} {
			go invoke(ctx, host, runner.Call{CallID: id, ID: echo.ID(), Task: true})
			synctest.Wait()
		}
		return runner.Outcome{}, nil
	}
	withBoth(t, script, slow, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{Limits: toolscript.Limits{Concurrency: 1}})
		abort := func() toolscript.Kind {
			ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
			defer cancel()
			_, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[struct{}]) any { return runs.Abort{ID: end.RunID, Reply: r} })
			return toolscript.KindOf(err)
		}
		calls := b.record(end.RunID).Calls
		for i, call := range calls {
			if !call.Detached || !call.Task || call.OK != nil {
				b.t.Errorf("call %d at the end = %+v, want it in flight", i, call)
			}
		}
		if kind := abort(); kind != "" || len(calls) != 3 {
			b.t.Errorf("abort of %d tasks: %q", len(calls), kind)
		}
		synctest.Wait()
		for i, call := range b.record(end.RunID).Calls {
			if call.OK == nil || *call.OK || call.Kind != toolscript.Cancelled {
				b.t.Errorf("call %d after the abort = %+v, want it cancelled", i, call)
			}
		}
		if kind := abort(); kind != toolscript.Conflict {
			b.t.Errorf("a second abort: %q, want conflict", kind)
		}
	})
}

// The memory of tasks after their scripts is bounded for all runs together. Tasks above
// the bound end with their script. When other tasks have ended, new ones fit again.
func TestTasksLeftBehindAreBounded(t *testing.T) {
	large := json.RawMessage(`"` + strings.Repeat("x", 20<<20) + `"`)
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for _, id := range []string{"1", "2"} {
			go invoke(ctx, host, runner.Call{CallID: id, ID: echo.ID(), Args: large, Task: true})
			synctest.Wait()
		}
		return runner.Outcome{}, nil
	}
	withBoth(t, script, slow, func(b *bench) {
		for i, want := range []int{2, 1, 0} {
			end := b.exec(toolscript.ExecRequest{})
			synctest.Wait()
			if len(end.Detached) != want {
				b.t.Errorf("run %d leaves %+v, want %d tasks", i, end.Detached, want)
			}
			for _, call := range b.record(end.RunID).Calls[want:] {
				if call.Kind != toolscript.Cancelled || call.Detached {
					b.t.Errorf("run %d: call = %+v, want it cancelled", i, call)
				}
			}
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if end := b.exec(toolscript.ExecRequest{}); len(end.Detached) != 2 {
			b.t.Errorf("later a run leaves %+v, want 2 tasks", end.Detached)
		}
		time.Sleep(2 * time.Minute)
	})
}

// A script can throw megabytes, which are not kept.
func TestErrorsAreBounded(t *testing.T) {
	long := strings.Repeat("ä", 1<<20)
	fail := &toolscript.RunError{
		Name: long, Code: toolscript.Threw, Message: long, Stack: long, Excerpt: long, ToolName: long, CallID: long,
		Metadata: map[string]any{"cause": long, "parts": []any{long}, "n": 1.0},
	}
	script := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) {
		return runner.Outcome{Err: fail, ExitCode: 1}, nil
	}
	withRuns(t, script, nil, func(b *bench) {
		text, err := json.Marshal(b.record(b.exec(toolscript.ExecRequest{}).RunID))
		if err != nil || len(text) > 1<<20 || !bytes.Contains(text, []byte("[2097152 bytes in all]")) {
			b.t.Errorf("the record has %d bytes, %v", len(text), err)
		}
	})
}

// A limit ends the tasks too, and the calls that it ends count as pending.
func TestLimitsEndTasks(t *testing.T) {
	fail := toolscript.Fail(toolscript.LimitTime, "too long")
	fail.Phase = toolscript.Executing
	withBoth(t, leaves(runner.Outcome{Err: fail, ExitCode: 1}), slow, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{})
		if len(end.Detached) != 0 {
			b.t.Errorf("detached = %+v, want none", end.Detached)
		}
		if !strings.Contains(end.Error.Message, "these calls had not ended: demo__echo (2 calls)") {
			b.t.Errorf("the error %q does not name the call and the task", end.Error.Message)
		}
		m := end.Error.Metadata
		if m["completedTools"] != int64(0) || m["pendingTools"] != int64(2) || m["elapsedMs"] == nil || end.Error.Phase != toolscript.Executing {
			b.t.Errorf("error = %+v, want 0 completed and 2 pending calls", end.Error)
		}
		synctest.Wait()
		for _, call := range b.record(end.RunID).Calls {
			if call.Kind != toolscript.Cancelled {
				b.t.Errorf("call = %+v, want it cancelled", call)
			}
		}
	})
}

// A task that its script cancels counts as completed.
func TestTaskIsCancelledByItsScript(t *testing.T) {
	var failure *toolscript.ToolError
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		ctx, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(time.Second, func() { cancel(runner.ErrCallCancelled) })
		_, failure = invoke(ctx, host, runner.Call{CallID: "1", ID: echo.ID(), Task: true})
		return runner.Outcome{Err: toolscript.Fail(toolscript.Threw, "x")}, nil
	}
	withBoth(t, script, slow, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{})
		if failure == nil || failure.Code != toolscript.Cancelled || len(end.Detached) != 0 {
			b.t.Errorf("failure = %+v, detached %+v", failure, end.Detached)
		}
		if m := end.Error.Metadata; m["completedTools"] != int64(1) || m["pendingTools"] != int64(0) {
			b.t.Errorf("metadata = %v, want 1 completed and none pending", m)
		}
	})
}

// leavesCalls makes three calls, cancels the last one, and ends with an outcome while the
// others are pending.
func leavesCalls(outcome func() runner.Outcome) sandbox {
	return func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		ending, end := context.WithCancel(ctx)
		cancelling, cancel := context.WithCancelCause(ctx)
		var calls sync.WaitGroup
		for i, of := range []context.Context{ending, ending, cancelling} {
			calls.Go(func() { invoke(of, host, runner.Call{CallID: strconv.Itoa(i), ID: echo.ID()}) })
			synctest.Wait()
		}
		cancel(runner.ErrCallCancelled)
		synctest.Wait()
		end()
		calls.Wait()
		return outcome(), nil
	}
}

// TestUnfinishedCallsAreNamed: the end of a script cancels its calls, including those that wait for their turn. The
// end of the run and its record name them, but not the calls that the script cancelled itself.
func TestUnfinishedCallsAreNamed(t *testing.T) {
	const named = "demo__echo (2 calls)"
	unfinished := []toolscript.UnfinishedCall{{CallID: "0", Tool: echo.ID()}, {CallID: "1", Tool: echo.ID()}}
	for name, test := range map[string]struct {
		outcome func() runner.Outcome
		dialect string
		error   string // "" for a success
		warning string
	}{
		"exit": {
			outcome: func() runner.Outcome { return runner.Outcome{Exited: true} },
			warning: "warning: these calls had not ended when the script ended, and were cancelled: " + named,
		},
		"an error": {
			outcome: func() runner.Outcome {
				return runner.Outcome{Err: toolscript.Fail(toolscript.Threw, "no"), ExitCode: 1}
			},
			error:   "no",
			warning: "warning: these calls had not ended when the script ended, and were cancelled: " + named,
		},
		"the time limit": {
			outcome: func() runner.Outcome {
				return runner.Outcome{Err: toolscript.Fail(toolscript.LimitTime, "too long"), ExitCode: 1}
			},
			error: "too long; these calls had not ended: " + named,
		},
		"an answer of a model": {
			outcome: func() runner.Outcome { return runner.Outcome{Value: json.RawMessage("1")} },
			dialect: toolscript.DialectHarness,
			error:   "the script ended before these calls, which were cancelled: " + named + "; await every call, or begin it with tools.spawn and cancel it",
		},
		"an answer that exits": {
			outcome: func() runner.Outcome { return runner.Outcome{Exited: true} },
			dialect: toolscript.DialectHarness,
			error:   "the script ended before these calls, which were cancelled: " + named + "; await every call, or begin it with tools.spawn and cancel it",
		},
	} {
		for _, parallel := range []int64{1, 3} {
			t.Run(fmt.Sprint(name, parallel), func(t *testing.T) {
				withBoth(t, leavesCalls(test.outcome), slowIn(test.dialect), func(b *bench) {
					end := b.exec(toolscript.ExecRequest{Dialect: test.dialect, Limits: toolscript.Limits{Concurrency: parallel}})
					message := ""
					if end.Error != nil {
						message = end.Error.Message
					}
					if message != test.error || *end.OK != (test.error == "") || len(end.Detached) != 0 {
						b.t.Errorf("end = %+v, %v", end.End, end.Error)
					}
					if test.dialect != "" && (end.Error == nil || end.Error.Name != toolscript.DetachedPromise || end.Kind != toolscript.Cancelled || end.ExitCode != 1 || end.Error.CallID != "0") {
						b.t.Errorf("the error of an answer is %+v", end.Error)
					}
					if diff := cmp.Diff(unfinished, end.Unfinished); diff != "" {
						b.t.Errorf("unfinished (-want +got):\n%s", diff)
					}
					if diff := cmp.Diff(unfinished, b.record(end.RunID).Unfinished); diff != "" {
						b.t.Errorf("unfinished in the record (-want +got):\n%s", diff)
					}
					warning := ""
					if e := b.events[len(b.events)-2]; e.Type == toolscript.EventProgress {
						warning = e.Message
					}
					if warning != test.warning {
						b.t.Errorf("before the end came %q, want %q", warning, test.warning)
					}
				})
			})
		}
	}
}

// slowIn is slow for scripts of a dialect.
func slowIn(dialect string) func(*runs.Deps) {
	return func(d *runs.Deps) {
		slow(d)
		if dialect == "" {
			return
		}
		types := d.Types
		d.Dialect = func(ctx context.Context, uses runner.Uses, _ toolscript.Filter) (runner.Declarations, error) {
			return types(ctx, uses)
		}
		d.Builtins = func() []string { return nil }
	}
}

// A call that ignores its cancellation is reported.
func TestCallThatDoesNotEndIsReported(t *testing.T) {
	freed := make(chan struct{})
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		go invoke(ctx, host, runner.Call{CallID: "1", ID: echo.ID()})
		synctest.Wait()
		return runner.Outcome{}, nil
	}
	change := func(d *runs.Deps) {
		freed = make(chan struct{})
		d.Call = func(context.Context, toolscript.Call) (json.RawMessage, error) {
			<-freed
			return json.RawMessage(`{"content":[]}`), nil
		}
	}
	withBoth(t, script, change, func(b *bench) {
		defer func() { close(freed); synctest.Wait() }()
		end := b.exec(toolscript.ExecRequest{})
		want := []toolscript.DetachedCall{{CallID: "1", Tool: echo.ID()}}
		if diff := cmp.Diff(want, end.Detached); diff != "" {
			b.t.Errorf("detached (-want +got):\n%s", diff)
		}
		if n := len(b.events); b.events[n-2].Type != toolscript.EventProgress {
			b.t.Errorf("events = %+v, want a warning before the end", b.events)
		}
		if diff := cmp.Diff([]toolscript.UnfinishedCall{{CallID: "1", Tool: echo.ID()}}, end.Unfinished); diff != "" {
			b.t.Errorf("unfinished (-want +got):\n%s", diff)
		}
	})
}

// Calls with the capability of a run obey its rules and end with it.
func TestCallsFromOutside(t *testing.T) {
	started := make(chan struct{})
	script := func(ctx context.Context, _ runner.Job, _ runner.Host) (runner.Outcome, error) {
		close(started)
		<-ctx.Done()
		return runner.Outcome{}, context.Cause(ctx)
	}
	other := toolscript.Tool{Server: "demo", Name: "other"}
	change := func(d *runs.Deps) {
		started = make(chan struct{})
		d.Lookup = func(id string) (toolscript.Tool, bool) {
			return map[string]toolscript.Tool{echo.ID(): echo, other.ID(): other}[id], id == echo.ID() || id == other.ID()
		}
		answer := d.Call
		d.Call = func(ctx context.Context, c toolscript.Call) (json.RawMessage, error) {
			if string(c.Args) == `{"wait":true}` {
				<-ctx.Done()
				return nil, toolscript.ContextError(ctx)
			}
			return answer(ctx, c)
		}
	}
	withBoth(t, script, change, func(b *bench) {
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Limits: toolscript.Limits{ToolCalls: 2}, Rules: toolscript.Rules{Allow: []string{echo.ID()}}}, b.emit)
		<-started
		synctest.Wait()
		asking, cancel := context.WithTimeout(b.t.Context(), time.Hour)
		defer cancel()
		caller, err := mailbox.Ask(asking, b.at, func(r mailbox.Reply[runs.Caller]) any {
			return runs.GetCaller{ID: h.ID, Reply: r}
		})
		if err != nil {
			b.t.Fatal(err)
		}
		call := func(id, args string) toolscript.Kind {
			_, err := caller(b.t.Context(), toolscript.Call{ID: id, Args: json.RawMessage(args), Run: h.ID})
			return toolscript.KindOf(err)
		}
		ended := make(chan toolscript.Kind, 1)
		got := []toolscript.Kind{call(echo.ID(), `{}`), call(other.ID(), `{}`), call("else__x", `{}`)}
		go func() { ended <- call(echo.ID(), `{"wait":true}`) }()
		synctest.Wait()
		got = append(got, call(echo.ID(), `{}`))
		if _, err := mailbox.Ask(asking, b.at, func(r mailbox.Reply[struct{}]) any { return runs.Abort{ID: h.ID, Reply: r} }); err != nil {
			b.t.Fatal(err)
		}
		got = append(got, <-ended)
		<-h.Done
		got = append(got, call(echo.ID(), `{}`))
		want := []toolscript.Kind{"", toolscript.Forbidden, toolscript.Forbidden, toolscript.LimitCalls, toolscript.Cancelled, toolscript.Cancelled}
		if diff := cmp.Diff(want, got); diff != "" {
			b.t.Errorf("kinds (-want +got):\n%s", diff)
		}
		if calls := b.record(h.ID).Calls; len(calls) != 2 || calls[0].CallID != "http_1" {
			b.t.Errorf("calls = %+v, want the two that were let in", calls)
		}
		if _, err := mailbox.Ask(asking, b.at, func(r mailbox.Reply[runs.Caller]) any {
			return runs.GetCaller{ID: h.ID, Reply: r}
		}); toolscript.KindOf(err) != toolscript.Conflict {
			b.t.Errorf("GetCaller of an ended run: %v, want conflict", err)
		}
	})
}

func TestUnknownAllowedNames(t *testing.T) {
	script := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) { return runner.Outcome{}, nil }
	change := func(d *runs.Deps) {
		d.Select = func(f, _ toolscript.Filter) naming.Selection {
			return naming.NewSelection(f, toolscript.NewCatalog(1, nil, []toolscript.Tool{echo}), []toolscript.ServerStatus{
				{Name: "demo", State: toolscript.Ready}, {Name: "down", State: toolscript.Backoff},
			})
		}
	}
	withBoth(t, script, change, func(b *bench) {
		b.exec(toolscript.ExecRequest{Rules: toolscript.Rules{Allow: []string{"demo", "demo__ecko", "down__any", "$resources", "dmo", "zzzzzzzz"}}})
		var got []string
		for _, e := range b.events {
			if e.Type == toolscript.EventProgress {
				got = append(got, e.Message)
			}
		}
		want := []string{
			"warning: --allow demo__ecko names no server and no tool; did you mean demo__echo?",
			"warning: --allow dmo names no server and no tool; did you mean demo?",
			"warning: --allow zzzzzzzz names no server and no tool",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			b.t.Errorf("warnings (-want +got):\n%s", diff)
		}
	})
}

func TestOutputAboveTheLimitIsStored(t *testing.T) {
	script := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		for _, text := range []string{"one\n", "two\nthree\n", "four\n"} {
			host.Write(runner.Stdout, text)
		}
		return runner.Outcome{Value: json.RawMessage(`"0123456789"`)}, nil
	}
	store := kept.Outputs{Dir: t.TempDir()}
	change := func(d *runs.Deps) { d.Kept = store }
	withBoth(t, script, change, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{Limits: toolscript.Limits{LogLines: 2, ValueBytes: 10}})
		want := &toolscript.Kept{OutputBytes: int64(len("three\nfour\n")), ValueBytes: 12}
		if diff := cmp.Diff(want, end.Kept); diff != "" {
			b.t.Errorf("kept (-want +got):\n%s", diff)
		}
		rest, err := store.Read(end.RunID, toolscript.OutputQuery{})
		if string(rest) != "three\nfour\n" || err != nil {
			b.t.Errorf("rest = %q, %v", rest, err)
		}
		value, err := store.Read(end.RunID, toolscript.OutputQuery{Value: true})
		if string(value) != `"0123456789"` || err != nil {
			b.t.Errorf("value = %q, %v", value, err)
		}
		if end.Kind != toolscript.LimitOutput || len(end.Value) > 0 || end.Error.Phase != toolscript.Finalizing || end.ExitCode != 1 {
			b.t.Errorf("end = %+v, error %+v", end.End, end.Error)
		}
	})
}
