package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/runner"
)

// TestAsk: a question of a tool is an event, and stays open until an answer fits.
func TestAsk(t *testing.T) {
	var got toolscript.Answer
	var failed error
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		_, _ = invoke(ctx, host, runner.Call{CallID: "1", ID: echo.ID(), Args: json.RawMessage(`{}`)})
		return runner.Outcome{}, nil
	}
	asking := func(d *runs.Deps) {
		d.Fit = func(_ context.Context, _, value json.RawMessage) (json.RawMessage, error) {
			if string(value) != `{"who":"Ann","age":null}` {
				return nil, errors.New("who is missing")
			}
			return json.RawMessage(`{"who":"Ann"}`), nil
		}
		d.Call = func(ctx context.Context, c toolscript.Call) (json.RawMessage, error) {
			got, failed = c.Ask(ctx, toolscript.Question{Server: "demo", Message: "Who?"})
			return json.RawMessage(`{"content":[]}`), nil
		}
	}
	withRuns(t, script, asking, func(b *bench) {
		asked := make(chan toolscript.Question, 1)
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x", Rules: toolscript.Rules{Ask: true}}, func(e toolscript.Event) error {
			if e.Type == toolscript.EventAsk {
				asked <- *e.Ask
			}
			return nil
		})
		q := <-asked
		reply := func(a toolscript.Answer) toolscript.Kind {
			ctx, cancel := context.WithTimeout(b.t.Context(), toolscript.AskLimit)
			defer cancel()
			_, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[struct{}]) any { return runs.Answer{ID: h.ID, Answer: a, Reply: r} })
			return toolscript.KindOf(err)
		}
		accept := toolscript.Answer{ID: q.ID, Action: toolscript.Accept, Content: json.RawMessage(`{"who":"Ann","age":null}`)}
		for _, test := range []struct {
			answer toolscript.Answer
			want   toolscript.Kind
		}{
			{toolscript.Answer{ID: q.ID, Action: "perhaps"}, toolscript.Invalid},
			{toolscript.Answer{ID: q.ID, Action: toolscript.Accept, Content: json.RawMessage(`{}`)}, toolscript.Invalid},
			{toolscript.Answer{ID: "ask_9", Action: toolscript.Decline}, toolscript.NotFound},
			{accept, ""},
		} {
			if kind := reply(test.answer); kind != test.want {
				t.Errorf("%+v: %q, want %q", test.answer, kind, test.want)
			}
		}
		<-h.Done
		if failed != nil || got.Action != toolscript.Accept || string(got.Content) != `{"who":"Ann"}` {
			t.Errorf("answer %+v, %v", got, failed)
		}
		if kind := reply(accept); kind != toolscript.Conflict {
			t.Errorf("an answer to a run that has ended: %q", kind)
		}
		<-b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x"}, b.emit).Done
		if toolscript.KindOf(failed) != toolscript.Unsupported {
			t.Errorf("a run without a terminal: %v", failed)
		}
	})
}

// TestAskPage: a page needs a client that can open pages. It is among the pages of the run until there is an answer, which
// has no content, and its end is an event.
func TestAskPage(t *testing.T) {
	var finished chan struct{}
	var got toolscript.Answer
	var failed error
	var shown atomic.Int64 // pages of the run that was reported last
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		_, _ = invoke(ctx, host, runner.Call{CallID: "1", ID: echo.ID(), Args: json.RawMessage(`{}`)})
		return runner.Outcome{}, nil
	}
	asking := func(d *runs.Deps) {
		d.Clean = func(_, text string) string { return strings.ReplaceAll(text, "hidden", "***") }
		finished = make(chan struct{})
		d.Changed = func(r toolscript.RunEntry) { shown.Store(int64(len(r.Pages))) }
		d.Call = func(ctx context.Context, c toolscript.Call) (json.RawMessage, error) {
			got, failed = c.Ask(ctx, toolscript.Question{Server: "demo", Message: "Pay", URL: "https://example.com/hidden", Finished: finished, Await: c.Run != ""})
			return json.RawMessage(`{"content":[]}`), nil
		}
	}
	withRuns(t, script, asking, func(b *bench) {
		<-b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x", Rules: toolscript.Rules{Ask: true}}, b.emit).Done
		if toolscript.KindOf(failed) != toolscript.Unsupported {
			t.Errorf("a client that opens no pages: %v", failed)
		}
		events := make(chan toolscript.Event, 2)
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x", Rules: toolscript.Rules{AskPages: true}}, func(e toolscript.Event) error {
			if e.Ask != nil {
				events <- e
			}
			return nil
		})
		q := <-events
		if q.Type != toolscript.EventAsk || q.Ask.URL != "https://example.com/***" {
			t.Errorf("event %+v", q.Ask)
		}
		pages := func() int {
			ctx, cancel := context.WithTimeout(b.t.Context(), toolscript.AskLimit)
			defer cancel()
			entries, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[[]toolscript.RunEntry]) any { return runs.ListEntries{Reply: r} })
			if err != nil {
				t.Error(err)
			}
			all := 0
			for _, e := range entries {
				for _, page := range e.Pages {
					all++
					if page.URL != "https://example.com/***" || page.ID != q.Ask.ID {
						t.Errorf("page %+v", page)
					}
				}
			}
			return all
		}
		if n := pages(); n != 1 {
			t.Errorf("%d pages, want 1", n)
		}
		if synctest.Wait(); shown.Load() != 1 {
			t.Errorf("%d pages were reported, want 1", shown.Load())
		}
		ctx, cancel := context.WithTimeout(b.t.Context(), toolscript.AskLimit)
		defer cancel()
		if _, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[struct{}]) any {
			return runs.Answer{ID: h.ID, Answer: toolscript.Answer{ID: q.Ask.ID, Action: toolscript.Accept, Content: json.RawMessage(`{"a":1}`)}, Reply: r}
		}); err != nil {
			t.Error(err)
		}
		if n := pages(); n != 0 {
			t.Errorf("%d pages after the answer", n)
		}
		if synctest.Wait(); shown.Load() != 0 {
			t.Errorf("%d pages were reported after the answer", shown.Load())
		}
		close(finished)
		if e := <-events; e.Type != toolscript.EventFinished || e.Ask.ID != q.Ask.ID {
			t.Errorf("event %+v", e)
		}
		<-h.Done
		if failed != nil || got.Action != toolscript.Accept || got.Content != nil {
			t.Errorf("answer %+v, %v", got, failed)
		}
	})
}

// TestElicitationEnds: the questions of one run are counted over all its calls. The error of a
// call that could not ask says so.
func TestElicitationEnds(t *testing.T) {
	const most, calls = 3, 5
	failures := make([]*toolscript.ToolError, calls)
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		for i := range calls {
			_, failures[i] = invoke(ctx, host, runner.Call{CallID: strconv.Itoa(i + 1), ID: echo.ID(), Args: json.RawMessage(`{}`)})
		}
		return runner.Outcome{}, nil
	}
	asking := func(d *runs.Deps) {
		call := 0
		d.Call = func(ctx context.Context, c toolscript.Call) (json.RawMessage, error) {
			call++
			switch _, err := c.Ask(ctx, toolscript.Question{Server: "demo", Message: "Again?"}); {
			case err == nil:
				return json.RawMessage(`{"content":[]}`), nil
			case call == calls: // its server continues without the answer
				return json.RawMessage(`{"content":[]}`), nil
			}
			return json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"something broke"}]}`), nil
		}
	}
	withRuns(t, script, asking, func(b *bench) {
		asked := make(chan toolscript.Question, calls)
		request := toolscript.ExecRequest{Code: "x", Limits: toolscript.Limits{Questions: most}, Rules: toolscript.Rules{Ask: true}}
		h := b.begin(b.t.Context(), request, func(e toolscript.Event) error {
			if e.Type == toolscript.EventAsk {
				asked <- *e.Ask
			}
			return nil
		})
		ctx, cancel := context.WithTimeout(b.t.Context(), toolscript.AskLimit)
		defer cancel()
		for range most {
			q := <-asked
			_, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[struct{}]) any {
				return runs.Answer{ID: h.ID, Answer: toolscript.Answer{ID: q.ID, Action: toolscript.Decline}, Reply: r}
			})
			if err != nil {
				t.Error(err)
			}
		}
		<-h.Done
		if len(asked) != 0 {
			t.Errorf("%d more questions than %d were put", len(asked), most)
		}
	})
	for i, failure := range failures {
		refused := i == most // the next call succeeds without an answer
		if (failure != nil) != refused {
			t.Errorf("call %d: %+v", i+1, failure)
		}
	}
	if f := failures[most]; f != nil && (f.Code != toolscript.LimitCalls || !strings.Contains(f.Message, "--questions")) {
		t.Errorf("the refused call: %+v", f)
	}
}

// The clock of the run does not run while a question is open.
func TestElicitationStopsTheClock(t *testing.T) {
	const thought, worked = 4 * time.Minute, time.Minute
	script := func(ctx context.Context, job runner.Job, host runner.Host) (runner.Outcome, error) {
		begun := time.Now()
		_, _ = invoke(ctx, host, runner.Call{CallID: "1", ID: echo.ID(), Args: json.RawMessage(`{}`)})
		if counts := job.Clock.Since(begun); counts != worked {
			t.Errorf("%s count of %s, want %s", counts, time.Since(begun), worked)
		}
		return runner.Outcome{}, nil
	}
	asking := func(d *runs.Deps) {
		d.Call = func(ctx context.Context, c toolscript.Call) (json.RawMessage, error) {
			_, err := c.Ask(ctx, toolscript.Question{Server: "demo", Message: "Who?"})
			time.Sleep(worked)
			return json.RawMessage(`{"content":[]}`), err
		}
	}
	withRuns(t, script, asking, func(b *bench) {
		asked := make(chan string, 1)
		h := b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x", Rules: toolscript.Rules{Ask: true}}, func(e toolscript.Event) error {
			if e.Type == toolscript.EventAsk {
				asked <- e.Ask.ID
			}
			return nil
		})
		id := <-asked
		time.Sleep(thought)
		ctx, cancel := context.WithTimeout(b.t.Context(), toolscript.AskLimit)
		defer cancel()
		_, err := mailbox.Ask(ctx, b.at, func(r mailbox.Reply[struct{}]) any {
			return runs.Answer{ID: h.ID, Answer: toolscript.Answer{ID: id, Action: toolscript.Decline}, Reply: r}
		})
		if err != nil {
			t.Error(err)
		}
		<-h.Done
	})
}
