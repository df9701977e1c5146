package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

const form = `{"message":"Who?","requestedSchema":{"type":"object","properties":{"who":{"type":"string"}}}}`

// answering returns an Ask function that answers after a delay.
func answering(after time.Duration, name string) func(context.Context, toolscript.Question) (toolscript.Answer, error) {
	return func(ctx context.Context, q toolscript.Question) (toolscript.Answer, error) {
		select {
		case <-time.After(after):
			return toolscript.Answer{ID: q.ID, Action: toolscript.Accept, Content: json.RawMessage(`{"who":"` + name + `"}`)}, nil
		case <-ctx.Done():
			return toolscript.Answer{Action: toolscript.Cancel}, nil
		}
	}
}

// ask begins a call of a run without waiting for it.
func (r *rig) ask(ctx context.Context, run, tool string, ask func(context.Context, toolscript.Question) (toolscript.Answer, error), origin ...*toolscript.Origin) chan error {
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	go func() {
		defer cancel()
		_, err := mailbox.Ask(ctx, r.at, func(reply mailbox.Reply[json.RawMessage]) any {
			return server.Call{Ctx: ctx, Run: run, Tool: tool, Ask: ask, Origin: append(origin, nil)[0], Reply: reply.Send}
		})
		done <- err
	}()
	synctest.Wait()
	return done
}

// An elicitation reaches only the run whose call is in flight. The call "bound"
// passes its own context on, as streamable HTTP does.
func TestElicitationReachesTheRunOfItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("hold", "bound")
		bound := make(chan context.Context, 1)
		release := make(chan struct{})
		conn.call = func(ctx context.Context, tool string, _ func()) (json.RawMessage, error) {
			if tool == "bound" {
				bound <- ctx
			}
			select {
			case <-release:
				return json.RawMessage(`{}`), nil
			case <-ctx.Done():
				return nil, toolscript.ContextError(ctx)
			}
		}
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		synctest.Wait()
		elicit := r.events().Elicit
		refused := func(what string, ctx context.Context, params, want string) {
			t.Helper()
			if _, err := elicit(ctx, json.RawMessage(params)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", what, err, want)
			}
		}
		refused("no call", t.Context(), form, "no call in flight")
		first := r.ask(t.Context(), "run_1", "hold", answering(2*time.Minute, "Ann"))
		refused("an address that no browser may open", t.Context(), `{"mode":"url","elicitationId":"p","url":"http://x"}`, "neither https nor http to this machine")
		refused("an unknown mode", t.Context(), `{"mode":"voice"}`, `questions of the mode "voice" are not known`)
		refused("no form", t.Context(), `{"requestedSchema":{"properties":[]}}`, "not an object with properties")
		// The answer takes longer than the time limit of a call, which is paused.
		if got, err := elicit(t.Context(), json.RawMessage(form)); err != nil || string(got) != `{"action":"accept","content":{"who":"Ann"}}` {
			t.Errorf("answer %s, %v", got, err)
		}
		told := new(toolscript.Origin)
		second := r.ask(t.Context(), "run_2", "bound", answering(time.Second, "Bob"), told)
		refused("two runs", t.Context(), form, "several runs")
		refused("a page for one of two runs", t.Context(), pageParams, `a person has to open https://example.com/p in a browser (host: example.com), for: "Pay"`)
		if !strings.Contains(told.Refused(), "several runs") {
			t.Errorf("the run learns %q", told.Refused())
		}
		if got, err := elicit(<-bound, json.RawMessage(form)); err != nil || !strings.Contains(string(got), "Bob") {
			t.Errorf("a question that came with its call: %s, %v", got, err)
		}
		close(release)
		for _, done := range []chan error{first, second} {
			if err := <-done; err != nil {
				t.Errorf("call: %v", err)
			}
		}
		refused("an ended call", t.Context(), form, "no call in flight")
	})
}

// An elicitation ends when its call has ended.
func TestElicitationEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := withTools("hold")
		conn.call = func(ctx context.Context, _ string, _ func()) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, toolscript.ContextError(ctx)
		}
		r := start(t, options{dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		done := r.ask(ctx, "run_1", "hold", answering(time.Hour, "Ann"))
		time.AfterFunc(time.Second, cancel)
		if got, err := r.events().Elicit(t.Context(), json.RawMessage(form)); err != nil || !strings.Contains(string(got), `"cancel"`) {
			t.Errorf("answer %s, %v", got, err)
		}
		<-done
		mine := r.ask(t.Context(), "", "hold", nil)
		if _, err := r.events().Elicit(t.Context(), json.RawMessage(form)); err == nil || !strings.Contains(err.Error(), "cannot be shown") {
			t.Errorf("a call without a run: %v", err)
		}
		if err := <-mine; toolscript.KindOf(err) != toolscript.Timeout {
			t.Errorf("its time limit: %v", err)
		}
	})
}

// events returns the events of the last dial.
func (r *rig) events() upstream.Events {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.on
}
