package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/agent"
)

// model is a server that sends answers in the form of an API, one after the other, and keeps the requests.
type model struct {
	*agent.Client
	requests []string
}

func newModel(t *testing.T, api agent.API, answers ...string) *model {
	t.Helper()
	m := &model{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		m.requests = append(m.requests, string(body))
		_, _ = io.WriteString(w, answers[min(len(m.requests), len(answers))-1])
	}))
	t.Cleanup(srv.Close)
	c, err := agent.NewClient(agent.ClientOptions{API: api, URL: srv.URL, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	m.Client = c
	return m
}

// says returns an answer with a text.
func says(api agent.API, text string) string {
	quoted, _ := json.Marshal(text)
	switch api {
	case agent.Responses:
		return fmt.Sprintf(`{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":%s}]}],"usage":{"input_tokens":10,"output_tokens":1}}`, quoted)
	case agent.Chat:
		return fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":10,"completion_tokens":1}}`, quoted)
	default:
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%s}],"usage":{"input_tokens":10,"output_tokens":1}}`, quoted)
	}
}

var apis = []agent.API{agent.Responses, agent.Chat, agent.Messages}

// TestLoop checks a loop with two answers: one with a script, and one without.
func TestLoop(t *testing.T) {
	for _, api := range apis {
		t.Run(string(api), func(t *testing.T) {
			m := newModel(t, api, says(api, "I look.\n<tool-calls>return 1</tool-calls>"), says(api, " It is 1. "))
			var processed []string
			l := agent.Loop{Model: m, Process: func(_ context.Context, items []json.RawMessage) ([]json.RawMessage, error) {
				processed = append(processed, string(items[0]))
				if len(processed) > 1 {
					return []json.RawMessage{json.RawMessage(`{"type":"text","text":" It is 1. "}`)}, nil
				}
				return []json.RawMessage{
					json.RawMessage(`{"type":"text","text":"I look.\n"}`), json.RawMessage(`{"type":"ScriptToolCall","scriptId":"scr_1"}`),
					json.RawMessage(`{"type":"ScriptToolCallOutput","scriptId":"scr_1","value":"</tool-calls-output>"}`),
				}, nil
			}}
			got, err := l.Run(t.Context(), "count")
			if want := (agent.Result{Text: "It is 1.", Turns: 2, Usage: agent.Usage{Input: 20, Output: 2}}); err != nil || got != want {
				t.Fatalf("%+v, %v; want %+v", got, err, want)
			}
			second := m.requests[1]
			for _, part := range []string{`"content":"count"`, `tool-calls-output`, `scr_1`, `I look.`} {
				if !strings.Contains(second, part) {
					t.Errorf("the second request lacks %s:\n%s", part, second)
				}
			}
			if strings.Contains(second, `"</tool-calls-output>`) || strings.Count(second, `\u003c/tool-calls-output\u003e`) != 1 {
				t.Errorf("a result ends its block:\n%s", second)
			}
		})
	}
}

func TestResults(t *testing.T) {
	items := []json.RawMessage{
		json.RawMessage(`{"type":"text","text":"a"}`),
		json.RawMessage(`{"type":"function_call_output","call_id":"1","output":"x"}`),
		json.RawMessage(`{"type":"tool","role":"tool","tool_call_id":"1","content":"x"}`),
		json.RawMessage(`{"type":"tool_result","tool_use_id":"1","content":"x"}`),
		json.RawMessage(`{"type":"ScriptToolCallOutput","ok":true}`),
	}
	for _, tt := range []struct {
		api   agent.API
		items []json.RawMessage
		want  string
	}{
		{agent.Responses, []json.RawMessage{items[0], items[1], items[4]}, `{"type":"function_call_output","call_id":"1","output":"x"} {"content":[{"text":"`},
		{agent.Chat, []json.RawMessage{items[2], items[4]}, `{"content":"x","role":"tool","tool_call_id":"1"} {"content":[{"text":"`},
		{agent.Messages, []json.RawMessage{items[3], items[4]}, `{"content":[{"type":"tool_result","tool_use_id":"1","content":"x"},{"text":"`},
		{agent.Chat, []json.RawMessage{items[0]}, ``},
		{agent.Messages, []json.RawMessage{items[0], json.RawMessage(`no JSON`)}, ``},
	} {
		var got []string
		for _, item := range agent.Results(tt.api, tt.items) {
			got = append(got, string(item))
		}
		if text := strings.Join(got, " "); !strings.HasPrefix(text, tt.want) || tt.want == "" && text != "" {
			t.Errorf("%s: %s\nwant %s…", tt.api, text, tt.want)
		}
	}
}

func TestLoopEnds(t *testing.T) {
	asks := func(context.Context, []json.RawMessage) ([]json.RawMessage, error) {
		return []json.RawMessage{json.RawMessage(`{"type":"ScriptToolCallOutput"}`)}, nil
	}
	m := newModel(t, agent.Chat, says(agent.Chat, "again"))
	if r, err := (agent.Loop{Model: m, Turns: 3, Process: asks}).Run(t.Context(), "x"); toolscript.KindOf(err) != toolscript.LimitCalls || r.Turns != 3 {
		t.Errorf("without an end: %+v, %v", r, err)
	}
	fault := errors.New("fault")
	fails := func(context.Context, []json.RawMessage) ([]json.RawMessage, error) { return nil, fault }
	if _, err := (agent.Loop{Model: m, Process: fails}).Run(t.Context(), "x"); !errors.Is(err, fault) {
		t.Errorf("a process that fails: %v", err)
	}
	cut := newModel(t, agent.Chat, `{"choices":[{"message":{"role":"assistant","content":"half"},"finish_reason":"length"}]}`)
	nothing := func(context.Context, []json.RawMessage) ([]json.RawMessage, error) { return nil, nil }
	if r, err := (agent.Loop{Model: cut, Process: nothing}).Run(t.Context(), "x"); toolscript.KindOf(err) != toolscript.InvalidResult || r.Text != "half" {
		t.Errorf("an answer that was cut: %+v, %v", r, err)
	}
}
