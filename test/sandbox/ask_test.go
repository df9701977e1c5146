package sandbox_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// On both engines, a person may need longer for an answer than the time limit of the script.
func TestElicitationIsNotCountedAsTimeOfTheRun(t *testing.T) {
	t.Parallel()
	limit := pace.Limit(time.Second)
	thought := limit + 2*time.Second
	g := newGateway(t, "ask")
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			request := toolscript.ExecRequest{
				Code:   `import { tools } from "toolscript"; return await tools.demo.ask({})`,
				Limits: toolscript.Limits{TimeoutMs: limit.Milliseconds()},
				Rules:  toolscript.Rules{Engine: engine, Ask: true, Check: toolscript.CheckOff},
			}
			end, err := g.runWithEvents(t, request, func(id string, e toolscript.Event) error {
				if e.Type != toolscript.EventAsk {
					return nil
				}
				<-time.After(thought)
				return g.ReplyRun(t.Context(), id, toolscript.Answer{ID: e.Ask.ID, Action: toolscript.Decline})
			})
			if err != nil || end.Error != nil || string(end.Value) != `{"action":"decline","content":{}}` {
				t.Errorf("end = %s, %+v, %v", end.Value, end.Error, err)
			}
			if end.Metrics.DurationMs < float64(thought.Milliseconds()) {
				t.Errorf("the run took %v ms, and the person alone %v", end.Metrics.DurationMs, thought)
			}
		})
	}
}

// runWithEvents runs a script, passes the run's id and events to on, and returns the end of the run.
func (g *gateway) runWithEvents(t *testing.T, request toolscript.ExecRequest, on func(id string, e toolscript.Event) error) (end toolscript.End, err error) {
	t.Helper()
	var id string
	err = g.Exec(t.Context(), request, func(e toolscript.Event) error {
		switch e.Type {
		case toolscript.EventStart:
			id = e.RunID
		case toolscript.EventEnd:
			end = *e.End
		default:
		}
		return on(id, e)
	})
	return end, err
}

// If a person's answer has null for an optional field, the server does not get the field.
func TestNullInAnAnswerOfAPerson(t *testing.T) {
	g := newGateway(t, "ask")
	request := toolscript.ExecRequest{Code: `import { tools } from "toolscript"; return await tools.demo.ask({})`, Rules: toolscript.Rules{Ask: true, Check: toolscript.CheckOff}}
	for content, want := range map[string]string{
		`{"who":"Ann","age":null}`: ``,
		`{"who":null,"age":7}`:     `the content does not fit the schema of the question: /who: `,
	} {
		end, err := g.runWithEvents(t, request, func(id string, e toolscript.Event) error {
			if e.Type != toolscript.EventAsk {
				return nil
			}
			err := g.ReplyRun(t.Context(), id, toolscript.Answer{ID: e.Ask.ID, Action: toolscript.Accept, Content: json.RawMessage(content)})
			if want == "" {
				return err
			}
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v, want %q", content, err, want)
			}
			return g.ReplyRun(t.Context(), id, toolscript.Answer{ID: e.Ask.ID, Action: toolscript.Decline})
		})
		if err != nil || end.Error != nil || want == "" && string(end.Value) != `{"action":"accept","content":{"who":"Ann"}}` {
			t.Errorf("%s: end = %s, %+v, %v", content, end.Value, end.Error, err)
		}
	}
}
