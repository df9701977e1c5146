package actors_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestMeasures: calls are counted by their outcome, and requests to servers are timed, across the connections of a
// server.
func TestMeasures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := newConn("up", "echo", "fail", "isError")
		up.call = func(_ context.Context, tool string, args json.RawMessage) (json.RawMessage, error) {
			time.Sleep(3 * time.Millisecond)
			switch tool {
			case "fail":
				return nil, &toolscript.Error{Kind: toolscript.Timeout, Err: errors.New("too slow")}
			case "isError":
				return json.RawMessage(`{"isError":true,"content":[]}`), nil
			}
			return args, nil
		}
		d := dialer{"up": answers(up, nil), "down": answers(nil, &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New("refused")})}
		s := startWith(t, actors.Options{
			Dial: d.dial, Servers: map[string]upstream.Config{"up": {Type: upstream.Stdio}, "down": {Type: upstream.Stdio}},
			CountTools: func() toolscript.Filter { return toolscript.Filter{"up__fail"} },
		})
		settle(t, s)
		for _, id := range []string{"up__echo", "up__echo", "up__fail", "up__isError", "up__misspelt", "nobody__echo", "down__echo"} {
			_, _ = s.CallTool(t.Context(), toolscript.Call{ID: id, Args: json.RawMessage(`{"n":1}`)})
		}
		m, err := s.Measures(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		outcomes := map[string]map[string]uint64{"": m.Unrouted}
		for _, server := range m.Servers {
			outcomes[server.Name] = server.Outcomes
		}
		want := map[string]map[string]uint64{
			"up": {"ok": 2, "timeout": 1, "tool_failed": 1}, "down": {"unavailable": 1}, "": {"not_found": 2},
		}
		if diff := cmp.Diff(want, outcomes); diff != "" {
			t.Errorf("outcomes: %s", diff)
		}
		one := m.Servers[1]
		if n := one.Durations.Count(); n != 4 || one.Durations.Sum != 12*time.Millisecond || one.AnswerBytes != 7+7+29 {
			t.Errorf("%d requests of %s, %d bytes", n, one.Durations.Sum, one.AnswerBytes)
		}
		if one.Calls != 4 || one.Errors != 2 || one.P50Ms < 2 || one.P95Ms > 5 {
			t.Errorf("status has %d calls, %d errors, %v ms, %v ms", one.Calls, one.Errors, one.P50Ms, one.P95Ms)
		}
		if want := []toolscript.ToolMeasures{{Server: "up", Tool: "up__fail", Outcomes: map[string]uint64{"timeout": 1}}}; !cmp.Equal(want, m.Tools) {
			t.Errorf("tools: %v", m.Tools)
		}
	})
}

// TestCountersOfToolsAreBounded: the number of counters is bounded, even if the configuration selects many tools.
func TestCountersOfToolsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tools []string
		for i := range 300 {
			tools = append(tools, fmt.Sprintf("tool%d", i))
		}
		s := startWith(t, actors.Options{
			Dial: dialer{"up": answers(newConn("up", tools...), nil)}.dial, Servers: map[string]upstream.Config{"up": {Type: upstream.Stdio}},
			CountTools: func() toolscript.Filter { return toolscript.Filter{"up"} },
		})
		settle(t, s)
		for _, tool := range tools {
			if _, err := s.CallTool(t.Context(), toolscript.Call{ID: "up__" + tool}); err != nil {
				t.Fatal(err)
			}
		}
		m, err := s.Measures(t.Context())
		if err != nil || len(m.Tools) != 200 || m.Servers[0].Outcomes["ok"] != 300 {
			t.Errorf("%d tools are counted alone, %v calls in all (%v)", len(m.Tools), m.Servers[0].Outcomes, err)
		}
	})
}
