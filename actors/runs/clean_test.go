package runs_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/runner"
)

// leaky is a server that fails with a secret in its text, and in the rest of its answer.
func leaky(d *runs.Deps) {
	d.Call = func(_ context.Context, c toolscript.Call) (json.RawMessage, error) {
		if c.Progress != nil {
			c.Progress(toolscript.Progress{Message: "reading SESAME"})
		}
		return json.RawMessage(`{"isError":true,"content":[{"type":"text","text":"no:\nSES\u0041ME"},{"type":"resource_link","uri":"x:/SESAME","size":12345678901234567890}],"structuredContent":{"SESAME":[7960607143101464576,"SESAME"]}}`), nil
	}
	d.Clean = func(_, text string) string { return strings.ReplaceAll(text, "SESAME", "${KEY}") }
}

// TestSecretsOfAFailure: neither the script nor the record nor an event of a run gets the
// secret in the failure of a call; the rest of the answer stays as it is.
func TestSecretsOfAFailure(t *testing.T) {
	var got *toolscript.ToolError
	script := func(ctx context.Context, _ runner.Job, host runner.Host) (runner.Outcome, error) {
		_, got = invoke(ctx, host, runner.Call{CallID: "0", ID: echo.ID()})
		if got == nil {
			return runner.Outcome{}, nil
		}
		return thrown(got), nil
	}
	withBoth(t, script, leaky, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{})
		if got == nil || got.Message != "no:\n${KEY}" || len(got.Content) != 2 {
			b.t.Fatalf("the script got %+v", got)
		}
		if text := string(got.Content[0]) + string(got.Content[1]); !strings.Contains(text, `"no:\n${KEY}"`) || !strings.Contains(text, `"x:/${KEY}"`) || !strings.Contains(text, "12345678901234567890") {
			b.t.Errorf("the content is %s", text)
		}
		if want := `{"${KEY}":[7960607143101464576,"${KEY}"]}`; string(got.Structured) != want {
			b.t.Errorf("the structured content is %s, want %s", got.Structured, want)
		}
		record := b.record(end.RunID)
		if record.Error == nil || !strings.Contains(record.Error.Message, "${KEY}") {
			b.t.Errorf("the record has the error %+v", record.Error)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		all, err := json.Marshal(map[string]any{"record": record, "events": b.events})
		if err != nil || strings.Contains(string(all), "SESAME") {
			b.t.Errorf("%s: %v", all, err)
		}
	})
}

// TestSecretsThatAScriptThrows: a script may throw what a call has returned.
func TestSecretsThatAScriptThrows(t *testing.T) {
	script := func(context.Context, runner.Job, runner.Host) (runner.Outcome, error) {
		e := toolscript.Fail(toolscript.Threw, "found SESAME")
		e.Stack = "at SESAME (script.ts:1:1)"
		return runner.Outcome{Err: e, ExitCode: 1}, nil
	}
	withRuns(t, script, leaky, func(b *bench) {
		end := b.exec(toolscript.ExecRequest{})
		for which, e := range map[string]*toolscript.RunError{"event": end.Error, "record": b.record(end.RunID).Error} {
			if e == nil || e.Message != "found ${KEY}" || e.Stack != "at ${KEY} (script.ts:1:1)" {
				b.t.Errorf("the %s has %+v", which, e)
			}
		}
	})
}
