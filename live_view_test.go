package toolscript_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
)

// TestApply brings a snapshot up to date, in the order of its lists.
func TestApply(t *testing.T) {
	var s toolscript.Snapshot
	apply := func(kind toolscript.LiveType, entry any) {
		t.Helper()
		text, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Apply(toolscript.LiveEvent{Type: kind, Data: text}); err != nil {
			t.Error(err)
		}
	}
	apply(toolscript.LiveSnapshot, toolscript.Snapshot{Gateway: toolscript.GatewayInfo{PID: 7}})
	for _, name := range []string{"b", "a", "c", "b"} {
		apply(toolscript.LiveServer, toolscript.ServerEntry{ID: name, ServerStatus: toolscript.ServerStatus{Name: name}})
	}
	apply(toolscript.LiveServer, toolscript.Gone{ID: "a", Gone: true})
	apply(toolscript.LiveNotice, toolscript.Notice{Reason: toolscript.NoticeStopping})
	apply("later", toolscript.Gone{ID: "x"})
	start := time.Unix(1_800_000_000, 0)
	for i := range 2 * toolscript.SnapshotCalls {
		state := toolscript.CallEnded
		if i == 3 {
			state = toolscript.CallRunning
		}
		apply(toolscript.LiveCall, toolscript.CallEntry{ID: fmt.Sprint(i), State: state, Since: start.Add(time.Duration(i))})
		apply(toolscript.LiveLog, toolscript.LogLine{ID: fmt.Sprint(2*i + 1)})
	}
	apply(toolscript.LiveAttention, toolscript.Attention{ID: "w", Severity: toolscript.SeverityWarning})
	apply(toolscript.LiveAttention, toolscript.Attention{ID: "z", Severity: toolscript.SeverityAsk})
	var names []string
	for _, server := range s.Servers {
		names = append(names, server.Name)
	}
	if diff := cmp.Diff([]string{"b", "c"}, names); diff != "" || s.Gateway.PID != 7 {
		t.Errorf("servers: -want +got\n%s", diff)
	}
	if n := len(s.Calls); n != toolscript.SnapshotCalls+1 || s.Calls[0].ID != "199" || s.Calls[n-1].ID != "3" {
		t.Errorf("%d calls, the first is %s", len(s.Calls), s.Calls[0].ID)
	}
	if len(s.Logs) != toolscript.SnapshotLogs || s.Logs[0].ID != "1" || s.Attention[0].ID != "z" {
		t.Errorf("%d lines, attention %+v", len(s.Logs), s.Attention)
	}
	if s.Apply(toolscript.LiveEvent{Type: toolscript.LiveRun, Data: json.RawMessage(`{"id":1}`)}) == nil {
		t.Error("a wrong entry was accepted")
	}
}
