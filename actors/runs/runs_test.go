package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
)

// sandbox is a runner whose script is a Go function.
type sandbox func(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error)

func (s sandbox) Run(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
	return s(ctx, job, host)
}

// compiler is a checker that is a Go function.
type compiler func(s runner.Source) (runner.Compiled, []toolscript.Diagnostic, error)

func (c compiler) Check(context.Context, runner.TypeCheck) ([]toolscript.Diagnostic, error) {
	return nil, nil
}

func (c compiler) Compile(_ context.Context, s runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
	return c(s)
}

// bench is a Runs actor with fake Deps.
type bench struct {
	t      *testing.T
	deps   runs.Deps
	script sandbox
	at     mailbox.Address
	broken atomic.Int64 // workers given back as broken

	directory mailbox.Directory

	mu     sync.Mutex
	events []toolscript.Event
}

var echo = toolscript.Tool{Server: "demo", Name: "echo"}

// withRuns runs test in a synctest bubble.
func withRuns(t *testing.T, script sandbox, change func(*runs.Deps), test func(b *bench)) {
	t.Helper()
	withRunsOf(t, true, script, change, test)
}

// withBoth is withRuns for each of the two ways to make a call.
func withBoth(t *testing.T, script sandbox, change func(*runs.Deps), test func(b *bench)) {
	t.Helper()
	t.Run("in goroutines", func(t *testing.T) { withRunsOf(t, false, script, change, test) })
	t.Run("with callbacks", func(t *testing.T) { withRunsOf(t, true, script, change, test) })
}

// withRunsOf makes the calls of tools with Deps.Start if callbacks is set.
func withRunsOf(t *testing.T, callbacks bool, script sandbox, change func(*runs.Deps), test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{t: t, script: script}
		b.deps = runs.Deps{
			URL:    func(string) string { return "" },
			Limits: func() toolscript.Limits { return runs.Defaults },
			CallDeps: runs.CallDeps{Call: func(_ context.Context, c toolscript.Call) (json.RawMessage, error) {
				return json.RawMessage(`{"content":[{"type":"text","text":"` + c.ID + `"}]}`), nil
			}},
			CatalogDeps: runs.CatalogDeps{
				Lookup: func(id string) (toolscript.Tool, bool) { return echo, id == echo.ID() },
				Select: func(toolscript.Filter, toolscript.Filter) naming.Selection { return naming.Selection{} },
				Names: func() *naming.Names {
					return &naming.Names{Servers: []naming.Server{{Ident: "demo", Name: "demo"}}}
				},
				Connecting: func(toolscript.Filter) []string { return nil },
				Await:      func(context.Context, toolscript.Filter) {},
				Unlisted:   func(toolscript.Filter) toolscript.Filter { return nil },
			},
			TypeDeps: runs.TypeDeps{Types: func(context.Context, runner.Uses) (runner.Declarations, error) { return runner.Declarations{}, nil }},
			ProcessDeps: runs.ProcessDeps{Checker: func(context.Context) (runs.Checker, runs.GiveBack, error) {
				return compiler(func(s runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
					return runner.Compiled{JavaScript: s.Code, Uses: runner.Uses{Servers: []string{"demo"}}}, nil, nil
				}), b.giveBack, nil
			}, Sandbox: func(context.Context) (runner.Runner, runs.GiveBack, error) { return b.script, b.giveBack, nil }},
		}
		if change != nil {
			change(&b.deps)
		}
		if call := b.deps.Call; callbacks && b.deps.Start == nil {
			b.deps.Start = func(c *toolscript.Call, _ *toolscript.Tool, _ *budget.Held, done func(json.RawMessage, error)) (func(error), bool) {
				ctx, cancel := context.WithCancelCause(context.Background())
				go func() {
					defer cancel(nil)
					done(call(ctx, *c))
				}()
				return cancel, true
			}
		}
		engine, err := actor.NewEngine(actor.NewEngineConfig())
		if err != nil {
			t.Fatal(err)
		}
		gone := make(chan struct{})
		supervision := mailbox.Supervision{Directory: &b.directory, Logger: slog.New(slog.DiscardHandler), Gone: gone}
		b.deps.Supervisor = mailbox.Supervisor{ID: "runs", Supervision: supervision}
		life := supervision.NewLife("runs")
		b.at = mailbox.Address{Engine: engine, PID: engine.Spawn(runs.New(b.deps), "runs", life.SupervisorOptions("0")...), Gone: gone}
		test(b)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if _, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[struct{}]) any { return mailbox.Stop{Reply: r} }); err != nil {
			t.Errorf("Stop: %v", err)
		}
		<-engine.Poison(b.at.PID).Done()
		close(gone)
	})
}

func (b *bench) giveBack(broken bool) {
	if broken {
		b.broken.Add(1)
	}
}

func (b *bench) emit(e toolscript.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, e)
	return nil
}

// begin starts a run.
func (b *bench) begin(ctx context.Context, req toolscript.ExecRequest, emit runs.Emit) runs.Handle {
	b.t.Helper()
	asking, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	h, err := mailbox.Ask(asking, b.at, func(r mailbox.Reply[runs.Handle]) any {
		return runs.Begin{Ctx: ctx, Request: req, Emit: emit, Reply: r}
	})
	if err != nil {
		b.t.Fatalf("Begin: %v", err)
	}
	return h
}

// exec runs a script to its end and checks the first and last event. b.events has the
// events of the last run.
func (b *bench) exec(req toolscript.ExecRequest) toolscript.Event {
	b.t.Helper()
	b.events = nil
	h := b.begin(b.t.Context(), req, b.emit)
	<-h.Done
	b.mu.Lock()
	defer b.mu.Unlock()
	first, last := b.events[0], b.events[len(b.events)-1]
	if first.Type != toolscript.EventStart || first.RunID != h.ID || last.Type != toolscript.EventEnd || last.End == nil {
		b.t.Fatalf("events begin with %q and end with %q", first.Type, last.Type)
	}
	return last
}

func (b *bench) record(id string) toolscript.RunRecord {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	rec, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[toolscript.RunRecord]) any { return runs.Get{ID: id, Reply: r} })
	if err != nil {
		b.t.Fatalf("Get %s: %v", id, err)
	}
	return rec
}

// invoke makes a call and waits for its answer. The end of ctx cancels the call.
func invoke(ctx context.Context, host runner.Host, c runner.Call) (json.RawMessage, *toolscript.ToolError) {
	answers := make(chan runner.Answer, 1)
	host.Begin(c, func(a runner.Answer) { answers <- a })
	defer context.AfterFunc(ctx, func() { host.Cancel(c.CallID, context.Cause(ctx)) })()
	a := <-answers
	if a.Release != nil {
		a.Release()
	}
	return a.Value, a.Failure
}

// callTwice is a script that calls the echo tool twice in a row.
func callTwice(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
	for i := range 2 {
		if _, failure := invoke(ctx, host, runner.Call{CallID: fmt.Sprint(i), ID: echo.ID()}); failure != nil {
			return thrown(failure), nil
		}
	}
	host.Write(runner.Stdout, "hello\n")
	return runner.Outcome{Value: json.RawMessage(`{"n":2}`)}, nil
}

func thrown(failure *toolscript.ToolError) runner.Outcome {
	return runner.Outcome{Err: &toolscript.RunError{Name: "ToolError", Code: failure.Code, Message: failure.Message, Phase: toolscript.Executing}}
}

func TestRunToItsEnd(t *testing.T) {
	withRuns(t, callTwice, nil, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{Code: "…"})
		if !*end.OK || string(end.Value) != `{"n":2}` || end.Metrics.ToolCalls != 2 || end.Metrics.StdoutBytes != 6 {
			b.t.Errorf("end = %+v %+v", end, end.Metrics)
		}
		rec := b.record(end.RunID)
		if rec.State != "ended" || len(rec.Calls) != 2 || rec.Calls[1].OK == nil || !*rec.Calls[1].OK {
			b.t.Errorf("record = %+v", rec)
		}
	})
}

func TestRunWaitsForTheServersItNames(t *testing.T) {
	var connected, installs atomic.Bool
	withRuns(t, callTwice, func(d *runs.Deps) {
		d.ConnectTime = 30 * time.Second
		d.Connecting = func(toolscript.Filter) []string {
			switch {
			case connected.Load():
				return nil
			case installs.Load():
				return []string{"demo (installing)"}
			}
			return []string{"demo"}
		}
		d.Await = func(ctx context.Context, f toolscript.Filter) {
			if f.String() != "demo" {
				t.Errorf("waits for %q", f)
			}
			time.AfterFunc(3*time.Second, func() { installs.Store(true) })
			select {
			case <-time.After(10 * time.Second):
				connected.Store(true)
			case <-ctx.Done():
			}
		}
	}, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{})
		var reported []string
		for _, e := range b.events {
			if e.Type == toolscript.EventProgress {
				reported = append(reported, e.Message)
			}
		}
		if want := []string{"waiting for demo to connect", "waiting for demo (installing) to connect"}; !slices.Equal(reported, want) {
			b.t.Errorf("reported %q, want %q", reported, want)
		}
		if !*end.OK {
			b.t.Errorf("end = %+v", end.Error)
		}
	})
}

func TestDiagnosticsEndTheRunBeforeItBegins(t *testing.T) {
	broken := compiler(func(runner.Source) (runner.Compiled, []toolscript.Diagnostic, error) {
		return runner.Compiled{}, []toolscript.Diagnostic{{File: "script.ts", Line: 3, Column: 4, Message: "unexpected )"}}, nil
	})
	ran := false
	script := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) {
		ran = true
		return runner.Outcome{}, nil
	}
	withRuns(t, script, func(d *runs.Deps) {
		d.Checker = func(context.Context) (runs.Checker, runs.GiveBack, error) {
			return broken, func(bool) {}, nil
		}
	}, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{Code: "…"})
		if *end.OK || end.Kind != toolscript.CheckFailed || end.Error.Phase != toolscript.Parsing || !strings.HasPrefix(end.Error.Message, "script.ts:3:4: ") {
			b.t.Errorf("end = %+v", end.Error)
		}
		if ran {
			b.t.Error("a script with a syntax error ran")
		}
	})
}

func TestBudgets(t *testing.T) {
	for _, c := range []struct {
		name string
		req  toolscript.ExecRequest
		kind toolscript.Kind
	}{
		{name: "tool calls", req: toolscript.ExecRequest{Limits: toolscript.Limits{ToolCalls: 1}}, kind: toolscript.LimitCalls},
		{name: "source", req: toolscript.ExecRequest{Code: strings.Repeat(" ", 100), Limits: toolscript.Limits{SourceBytes: 99}}, kind: toolscript.TooLarge},
		{name: "allow list", req: toolscript.ExecRequest{Rules: toolscript.Rules{Allow: []string{"other"}}}, kind: toolscript.Forbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			withRuns(t, callTwice, nil, func(b *bench) {
				end := b.exec(c.req)
				if *end.OK || end.Kind != c.kind || end.ExitCode != 1 {
					b.t.Errorf("end = %+v %+v, want kind %s", end.End, end.Error, c.kind)
				}
				if _, reported := end.Error.Metadata["elapsedMs"]; !reported {
					b.t.Errorf("metadata = %v", end.Error.Metadata)
				}
			})
		})
	}
}

func TestOutputIsCutBetweenCharacters(t *testing.T) {
	script := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		host.Write(runner.Stdout, "ab")
		host.Write(runner.Stderr, "日本")
		host.Write(runner.Stdout, "lost")
		return runner.Outcome{}, nil
	}
	withRuns(t, script, nil, func(b *bench) {
		b.exec(toolscript.ExecRequest{Limits: toolscript.Limits{OutputBytes: 6}})
		var got []string
		for _, e := range b.events {
			if e.Type == toolscript.EventStdout || e.Type == toolscript.EventStderr || e.Type == toolscript.EventProgress {
				got = append(got, string(e.Type)+" "+e.Data+e.Message)
			}
		}
		want := "stdout ab|stderr 日|stdout \n|stderr \n[output cut at its limit of 6 bytes; the rest is lost: there is no data folder to store it in]\n"
		if strings.Join(got, "|") != want {
			b.t.Errorf("events %q, want %q", got, want)
		}
	})
}

// waits is a script that waits for its end.
func waits(ctx context.Context, _ runner.Job, _ runner.Host) (runner.Outcome, error) {
	<-ctx.Done()
	return runner.Outcome{}, context.Cause(ctx)
}

func TestAbort(t *testing.T) {
	withRuns(t, waits, nil, func(b *bench) {
		h := b.begin(b.t.Context(), toolscript.ExecRequest{}, b.emit)
		synctest.Wait()
		ask, cancel := context.WithTimeout(b.t.Context(), time.Minute)
		defer cancel()
		if _, err := mailbox.Ask(ask, b.at, func(r mailbox.Reply[struct{}]) any { return runs.Abort{ID: h.ID, Reply: r} }); err != nil {
			b.t.Fatalf("Abort: %v", err)
		}
		<-h.Done
		if rec := b.record(h.ID); rec.Kind != toolscript.Cancelled {
			b.t.Errorf("record after abort: %+v", rec)
		}
		if _, err := mailbox.Ask(ask, b.at, func(r mailbox.Reply[struct{}]) any { return runs.Abort{ID: h.ID, Reply: r} }); toolscript.KindOf(err) != toolscript.Conflict {
			b.t.Errorf("second Abort: %v, want conflict", err)
		}
	})
}

func TestRunEndsWithItsClient(t *testing.T) {
	withRuns(t, waits, nil, func(b *bench) {
		ctx, leave := context.WithCancel(b.t.Context())
		h := b.begin(ctx, toolscript.ExecRequest{}, b.emit)
		synctest.Wait()
		leave()
		<-h.Done
	})
	printsLines := func(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
		host.Write(runner.Stdout, "x")
		return waits(ctx, job, host)
	}
	withRuns(t, printsLines, nil, func(b *bench) {
		h := b.begin(b.t.Context(), toolscript.ExecRequest{}, func(e toolscript.Event) error {
			if e.Type == toolscript.EventStdout {
				return errors.New("broken pipe")
			}
			return nil
		})
		<-h.Done
	})
}

// TestRunEndsWhateverItsClientDoes: the client takes nothing after the first event until
// the run has ended, and then everything.
func TestRunEndsWhateverItsClientDoes(t *testing.T) {
	printsLines := func(_ context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		go func() {
			for i := range 100 {
				host.Write(runner.Stdout, fmt.Sprint(i, " "))
			}
		}()
		time.Sleep(time.Second) // the sandbox's own limit, which does not wait for the host
		return runner.Outcome{Err: toolscript.Fail(toolscript.LimitTime, "too long"), ExitCode: 1}, nil
	}
	withRuns(t, printsLines, nil, func(b *bench) {
		listens := make(chan struct{})
		h := b.begin(b.t.Context(), toolscript.ExecRequest{}, func(e toolscript.Event) error {
			if e.Type != toolscript.EventStart {
				<-listens
			}
			return b.emit(e)
		})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if rec := b.record(h.ID); rec.State == "running" || rec.Kind != toolscript.LimitTime {
			b.t.Errorf("after its limit the run is %s, %q; want that it has ended by its limit", rec.State, rec.Kind)
		}
		close(listens)
		<-h.Done
		var output strings.Builder
		for _, e := range b.events[1 : len(b.events)-1] {
			output.WriteString(e.Data)
		}
		last := b.events[len(b.events)-1]
		if !strings.HasPrefix(output.String(), "0 1 2 3 4 ") || last.End == nil || last.Kind != toolscript.LimitTime {
			b.t.Errorf("the client received %q and then %+v; want the beginning of the output and the end", output.String(), last)
		}
	})
}

func TestPanicsEndOneRunOnly(t *testing.T) {
	breaks := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) { panic("work broke") }
	withRuns(t, breaks, nil, func(b *bench) {
		if end := b.exec(toolscript.ExecRequest{}); end.Kind != toolscript.Internal {
			b.t.Errorf("end = %+v", end.End)
		}
		b.script = callTwice
		b.events = nil
		if end := b.exec(toolscript.ExecRequest{}); !*end.OK {
			b.t.Errorf("the next run: %+v", end.Error)
		}
	})
}

// TestFaultsInTheActorOfARun: a run that cannot start is an error for its client, and a
// run whose actor ends has a last event and a record.
func TestFaultsInTheActorOfARun(t *testing.T) {
	withRuns(t, waits, func(d *runs.Deps) {
		d.Limits = func() toolscript.Limits { panic("no limits") }
	}, func(b *bench) {
		asking, cancel := context.WithTimeout(b.t.Context(), time.Minute)
		defer cancel()
		_, err := mailbox.Ask(asking, b.at, func(r mailbox.Reply[runs.Handle]) any {
			return runs.Begin{Ctx: b.t.Context(), Emit: b.emit, Reply: r}
		})
		if !errors.Is(err, mailbox.ErrEnded) || len(b.events) > 0 {
			b.t.Errorf("Begin: %v, events %+v; want %v and no events", err, b.events, mailbox.ErrEnded)
		}
	})
	withRuns(t, waits, nil, func(b *bench) {
		h := b.begin(b.t.Context(), toolscript.ExecRequest{}, b.emit)
		synctest.Wait()
		run, _ := b.directory.Find("run/" + h.ID)
		b.at.Engine.Poison(run.PID)
		<-h.Done
		last := b.events[len(b.events)-1]
		if record := b.record(h.ID); last.End == nil || last.Kind != toolscript.Unavailable || record.Kind != toolscript.Unavailable {
			b.t.Errorf("last event %+v, record %+v; want the kind unavailable", last, record)
		}
	})
}

func TestStandardInput(t *testing.T) {
	reads := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		var all []byte
		for {
			piece, err := host.ReadStdin(ctx)
			if err != nil {
				return runner.Outcome{}, err
			}
			if piece == nil {
				v, err := json.Marshal(string(all))
				return runner.Outcome{Value: v}, err
			}
			all = append(all, piece...)
		}
	}
	withRuns(t, reads, nil, func(b *bench) {
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Stdin: true}, b.emit)
		buffer := make([]byte, 16)
		give := func(data string, eof bool) error {
			ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
			defer cancel()
			_, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[struct{}]) any {
				return runs.Stdin{ID: h.ID, Piece: toolscript.StdinPiece{Data: buffer[:copy(buffer, data)], EOF: eof}, Reply: r}
			})
			return err
		}
		for _, piece := range []string{"a", "b", "c"} { // from one buffer, as a reader has it
			if err := give(piece, piece == "c"); err != nil {
				b.t.Fatal(err)
			}
		}
		<-h.Done
		if end := b.events[len(b.events)-1]; string(end.Value) != `"abc"` {
			b.t.Errorf("the script read %s", end.Value)
		}
		if err := give("late", false); toolscript.KindOf(err) != toolscript.Conflict {
			b.t.Errorf("input after the end: %v, want conflict", err)
		}
	})
	withRuns(t, reads, nil, func(b *bench) {
		if end := b.exec(toolscript.ExecRequest{}); string(end.Value) != `""` {
			b.t.Errorf("a run without standard input read %s", end.Value)
		}
	})
}
