package toolscript_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

// TestFormsOfAnError: all forms of an error have its kind, and its text with what helps.
func TestFormsOfAnError(t *testing.T) {
	e := &toolscript.Error{
		Kind: toolscript.Quarantined, Server: "a", Phase: toolscript.Checking, Err: errors.New("it has changed"), Next: "see: toolscript pins diff a",
		Details: []toolscript.Detail{{Message: "x"}}, RetryAfter: 1500 * time.Microsecond,
	}
	outer := &toolscript.Error{Kind: toolscript.Cancelled, Err: fmt.Errorf("because: %w", e)}
	const text, whole = "it has changed; see: toolscript pins diff a", "a: it has changed; see: toolscript pins diff a"
	if e.Error() != whole || e.Text() != text || toolscript.TextOf(fmt.Errorf("because: %w", e)) != text {
		t.Errorf("Error = %q, Text = %q", e.Error(), e.Text())
	}
	if got := toolscript.TextOf(&toolscript.Error{Kind: toolscript.Busy, Server: "a"}); got != "a: busy" {
		t.Errorf("TextOf an error without a message = %q", got)
	}
	for name, c := range map[string]struct{ got, want any }{
		"run": {toolscript.RunErrorOf(e, "run_1"), &toolscript.RunError{
			Name: "ToolQuarantinedError", Code: toolscript.Quarantined, Message: whole, Phase: toolscript.Checking, ScriptID: "run_1",
		}},
		"run that was cancelled in a phase": {toolscript.RunErrorOf(outer, ""), &toolscript.RunError{
			Name: "ScriptCancelledError", Code: toolscript.Cancelled, Message: "because: " + whole, Phase: toolscript.Checking,
		}},
		"run, another error": {toolscript.RunErrorOf(errors.New("no"), ""), &toolscript.RunError{
			Name: "ScriptError", Code: toolscript.Internal, Message: "no", Phase: toolscript.Executing,
		}},
		"call": {toolscript.ToolErrorOf(e, "", "a__b"), &toolscript.ToolError{
			Server: "a", Tool: "a__b", Code: toolscript.Quarantined, Message: whole, Sent: toolscript.SentNo, RetryMs: 2, Details: e.Details,
		}},
		"call, another error": {toolscript.ToolErrorOf(errors.New("no"), "b", "b__c"), &toolscript.ToolError{
			Server: "b", Tool: "b__c", Code: toolscript.Internal, Message: "no", Sent: toolscript.SentUnknown,
		}},
		"status":                       {toolscript.Quarantined.Status(), 403},
		"status of a kind of runs":     {toolscript.Threw.Status(), 500},
		"status of an unknown kind":    {toolscript.Kind("new").Status(), 500},
		"class of a kind without one":  {toolscript.Threw.ClassName(), "ScriptError"},
		"class of a kind of all calls": {toolscript.InvalidResult.ClassName(), "InvalidResultError"},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestToolErrorInJSON: an answer that is not JSON does not hide the error.
func TestToolErrorInJSON(t *testing.T) {
	e := &toolscript.ToolError{Tool: "a__b", Code: toolscript.ToolFailed, Message: "no", Content: []json.RawMessage{[]byte(`{"type":"text"}`)}}
	const want = `{"server":"","tool":"a__b","code":"tool_failed","message":"no"`
	if got := string(e.JSON()); got != want+`,"content":[{"type":"text"}]}` {
		t.Errorf("JSON = %s", got)
	}
	for _, bad := range []toolscript.ToolError{{Content: []json.RawMessage{[]byte(`{`)}}, {Structured: []byte(`{`)}} {
		bad.Tool, bad.Code, bad.Message = e.Tool, e.Code, e.Message
		if got := string(bad.JSON()); got != want+"}" {
			t.Errorf("JSON of an answer that is none = %s", got)
		}
	}
}
