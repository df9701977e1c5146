package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/harness/agent"
)

const key = "sk-test-key"

// endpoint serves an API on loopback and returns a client of it.
func endpoint(t *testing.T, api agent.API, handle http.HandlerFunc) *agent.Client {
	t.Helper()
	srv := httptest.NewServer(handle)
	t.Cleanup(srv.Close)
	c, err := agent.NewClient(agent.ClientOptions{API: api, URL: srv.URL + "/v1", Model: "m", Key: key, MaxTokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var request = agent.Request{
	System: "be brief",
	Items:  []json.RawMessage{agent.UserText("hi")},
	Tools:  []agent.Tool{{Name: "demo__add", Description: "adds", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "bare"}},
}

func TestAPIs(t *testing.T) {
	for _, tt := range []struct {
		api                  agent.API
		path, header         string
		want, answer         string
		items                []string
		cut                  bool
		wantInput, wantOuput int64
	}{
		{
			agent.Responses, "/v1/responses", "Bearer " + key,
			`{"input":[{"content":"hi","role":"user"}],"instructions":"be brief","max_output_tokens":100,"model":"m","store":false,"tools":[` +
				`{"description":"adds","name":"demo__add","parameters":{"type":"object"},"type":"function"},{"description":"","name":"bare","parameters":{"type":"object"},"type":"function"}]}`,
			`{"output":[{"type":"reasoning","id":"r"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}],"incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":3,"output_tokens":4}}`,
			[]string{`{"type":"reasoning","id":"r"}`, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}`}, true, 3, 4,
		},
		{
			agent.Chat, "/v1/chat/completions", "Bearer " + key,
			`{"max_tokens":100,"messages":[{"content":"be brief","role":"system"},{"content":"hi","role":"user"}],"model":"m","tools":[` +
				`{"function":{"description":"adds","name":"demo__add","parameters":{"type":"object"}},"type":"function"},{"function":{"description":"","name":"bare","parameters":{"type":"object"}},"type":"function"}]}`,
			`{"choices":[{"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}`,
			[]string{`{"role":"assistant","content":"a"}`}, false, 3, 4,
		},
		{
			agent.Messages, "/v1/messages", key,
			`{"max_tokens":100,"messages":[{"content":"hi","role":"user"}],"model":"m","system":"be brief","tools":[` +
				`{"description":"adds","input_schema":{"type":"object"},"name":"demo__add"},{"description":"","input_schema":{"type":"object"},"name":"bare"}]}`,
			`{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"max_tokens","usage":{"input_tokens":3,"output_tokens":4}}`,
			[]string{`{"content":[{"type":"text","text":"a"}],"role":"assistant"}`}, true, 3, 4,
		},
	} {
		t.Run(string(tt.api), func(t *testing.T) {
			c := endpoint(t, tt.api, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				if r.URL.Path != tt.path || string(body) != tt.want {
					t.Errorf("POST %s %s\nwant %s %s", r.URL.Path, body, tt.path, tt.want)
				}
				if got := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key"); got != tt.header {
					t.Errorf("the key is sent as %q, want %q", got, tt.header)
				}
				_, _ = io.WriteString(w, tt.answer)
			})
			got, err := c.Send(t.Context(), request)
			if err != nil {
				t.Fatal(err)
			}
			var items []string
			for _, i := range got.Items {
				items = append(items, string(i))
			}
			if diff := cmp.Diff(tt.items, items); diff != "" || got.Cut != tt.cut || got.Usage != (agent.Usage{Input: tt.wantInput, Output: tt.wantOuput}) {
				t.Errorf("%+v; items (-want +got):\n%s", got, diff)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		status int
		header string
		body   string
		kind   toolscript.Kind
		retry  time.Duration
	}{
		{401, "", `{"error":{"message":"bad key ` + key + `"}}`, toolscript.Unauthorized, 0},
		{400, "", `{"error":{"message":"no such model"}}`, toolscript.Invalid, 0},
		{400, "", `{"error":"text"}`, toolscript.Invalid, 0},
		{404, "", `nothing`, toolscript.NotFound, 0},
		{413, "", `{"error":{"message":"too long"}}`, toolscript.TooLarge, 0},
		{429, "7", `{}`, toolscript.Busy, 7 * time.Second},
		{429, "999999999999", `{}`, toolscript.Busy, 5 * time.Minute},
		{529, "", `{"error":{"message":"overloaded"}}`, toolscript.Unavailable, 0},
		{302, "", ``, toolscript.Invalid, 0},
		{200, "", `{"choices":[]}`, toolscript.InvalidResult, 0},
		{200, "", `<html>`, toolscript.InvalidResult, 0},
	} {
		c := endpoint(t, agent.Chat, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/chat/completions" {
				t.Errorf("a redirect is followed to %s", r.URL)
			}
			w.Header().Set("Retry-After", tt.header)
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		})
		_, err := c.Send(t.Context(), request)
		var e *toolscript.Error
		if !errors.As(err, &e) || e.Kind != tt.kind || e.RetryAfter != tt.retry || strings.Contains(err.Error(), key) {
			t.Errorf("%d %s: %v of kind %s, want kind %s", tt.status, tt.body, err, toolscript.KindOf(err), tt.kind)
		}
	}
}

func TestLimits(t *testing.T) {
	c := endpoint(t, agent.Messages, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat(" ", 17<<20))
	})
	if _, err := c.Send(t.Context(), request); toolscript.KindOf(err) != toolscript.TooLarge {
		t.Errorf("17 MB: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Send(gone, request); toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("cancelled: %v", err)
	}
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices the end of a connection only after it has read the body
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	late, err := agent.NewClient(agent.ClientOptions{API: agent.Chat, URL: slow.URL, Model: "m", Timeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := late.Send(t.Context(), request); toolscript.KindOf(err) != toolscript.Timeout {
		t.Errorf("a slow endpoint: %v", err)
	}
	slow.Close()
	if _, err := late.Send(t.Context(), request); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("no endpoint: %v", err)
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]agent.ClientOptions{
		"no API":     {URL: "http://127.0.0.1:1", Model: "m"},
		"no URL":     {API: agent.Chat, Model: "m"},
		"other URL":  {API: agent.Chat, URL: "file:///etc", Model: "m"},
		"no model":   {API: agent.Chat, URL: "http://127.0.0.1:1"},
		"broken URL": {API: agent.Chat, URL: "http://[", Model: "m"},
	} {
		if _, err := agent.NewClient(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAllProxy(t *testing.T) {
	for _, variable := range []string{"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"} {
		t.Setenv(variable, "")
	}
	t.Setenv("ALL_PROXY", "socks4://proxy.test:1") // fails every request that uses this proxy
	c, err := agent.NewClient(agent.ClientOptions{API: agent.Chat, URL: "https://model.test/v1", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), request); err == nil || !strings.Contains(err.Error(), `has the scheme "socks4"`) {
		t.Errorf("got %v, want the error of the proxy", err)
	}
}
