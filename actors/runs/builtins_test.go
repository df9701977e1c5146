package runs_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/runner"
)

// TestCallsOfResourcesAndPrompts: a request for resources and prompts is a call of the run. It has
// events, counts against the budget, and carries the allow list of the run.
func TestCallsOfResourcesAndPrompts(t *testing.T) {
	var asked []toolscript.FetchRequest
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		call := func(id, args string) (json.RawMessage, *toolscript.ToolError) {
			return invoke(ctx, host, runner.Call{CallID: id + args, ID: id, Args: json.RawMessage(args)})
		}
		value, failure := call(toolscript.GetPrompt, `{"server":"demo","name":"greet","arguments":{"who":"Ann"}}`)
		if failure != nil || string(value) != `"answer"` {
			t.Errorf("answer %s, %v", value, failure)
		}
		for args, want := range map[string]string{
			`{"servr":"demo"}`: "/servr", `{"server":1}`: "/server", `{"uri":"a:b"}`: "/uri", `[]`: "",
		} {
			_, failure := call(toolscript.ListResources, args)
			if failure == nil || failure.Code != toolscript.Invalid || failure.Details[0].Path != want || failure.Tool != toolscript.ListResources {
				t.Errorf("%s: %+v, want it refused at %q", args, failure, want)
			}
		}
		if _, failure := call("$resources__drop", `{}`); failure == nil || failure.Code != toolscript.Forbidden {
			t.Errorf("a method that there is not: %+v", failure)
		}
		return runner.Outcome{}, nil
	}
	fetch := func(d *runs.Deps) {
		d.Fetch = func(_ context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
			asked = append(asked, o)
			return json.RawMessage(`"answer"`), nil
		}
	}
	withRuns(t, script, fetch, func(b *bench) {
		handle := b.begin(b.t.Context(), toolscript.ExecRequest{Code: "x", Rules: toolscript.Rules{Allow: []string{"demo"}}}, b.emit)
		<-handle.Done
		want := []toolscript.FetchRequest{{
			ID: toolscript.GetPrompt, Server: "demo", Prompt: "greet", Args: map[string]string{"who": "Ann"}, Allow: toolscript.Filter{"demo"}, Run: handle.ID,
			Wait: toolscript.ConnectWait, CallID: asked[0].CallID,
		}}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		calls := 0
		for _, e := range b.events {
			if e.Type == toolscript.EventCall && (e.Tool == toolscript.GetPrompt || e.Tool == toolscript.ListResources) {
				calls++
			}
		}
		end := b.events[len(b.events)-1]
		if calls != 5 || end.Metrics.ToolCalls != 5 {
			t.Errorf("%d calls reported and %d counted, want 5", calls, end.Metrics.ToolCalls)
		}
	})
}
