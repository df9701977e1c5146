package toolscript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

func TestMadeCalls(t *testing.T) {
	yes, no := true, false
	e := toolscript.End{Detached: []toolscript.DetachedCall{{CallID: "6", Tool: "shop__wait"}}}
	e.Make([]toolscript.CallRecord{
		{CallID: "1", Tool: "shop__create", OK: &yes}, {CallID: "2", Tool: "shop__create", OK: &yes},
		{CallID: "3", Tool: "shop__plan", Planned: true},
		{CallID: "4", Tool: "shop__create", OK: &no, Kind: toolscript.ToolFailed, Sent: toolscript.SentYes},
		{CallID: "5", Tool: "shop__wait"}, {CallID: "6", Tool: "shop__wait"},
	})
	want := []toolscript.MadeCalls{
		{Tool: "shop__create", Calls: 2, CallID: "1"},
		{Tool: "shop__create", Calls: 1, CallID: "4", Kind: toolscript.ToolFailed, Sent: toolscript.SentYes},
		{Tool: "shop__wait", Calls: 1, CallID: "5", Kind: toolscript.Cancelled, Sent: toolscript.SentUnknown},
	}
	if diff := cmp.Diff(want, e.Made); diff != "" || e.MadeCalls != 4 || e.MadeMore != 0 {
		t.Errorf("%d calls, %d more (-want +got):\n%s", e.MadeCalls, e.MadeMore, diff)
	}
	text := "run run_1 had made 4 calls: shop__create ok (2 calls); shop__create tool_failed; " +
		"shop__wait cancelled, and whether it was carried out is not known; the calls marked ok have been carried out, " +
		"and the whole script would repeat them; show the calls: toolscript runs show run_1"
	if got := e.MadeText("run_1"); got != text {
		t.Errorf("MadeText = %s", got)
	}
}

// TestMadeCallsAreBounded: an End has the first calls and the number of the others.
func TestMadeCallsAreBounded(t *testing.T) {
	yes := true
	var calls []toolscript.CallRecord
	for i := range 1000 {
		calls = append(calls, toolscript.CallRecord{CallID: fmt.Sprint(i), Tool: fmt.Sprintf("s__t%d", i%2), OK: &yes})
	}
	var e toolscript.End
	e.Make(calls)
	if len(e.Made) != 20 || e.MadeCalls != 1000 || e.MadeMore != 980 {
		t.Errorf("%d entries of %d calls, %d more", len(e.Made), e.MadeCalls, e.MadeMore)
	}
	if text := e.MadeText("run_1"); !strings.Contains(text, "1000 calls") || !strings.Contains(text, "; and 980 more;") {
		t.Errorf("MadeText = %s", text)
	}
	if text := (&toolscript.End{}).MadeText("run_1"); text != "" {
		t.Errorf("MadeText of no calls = %s", text)
	}
}
