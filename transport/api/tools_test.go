package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
)

var someTools = toolscript.NewCatalog(3, []string{"github", "a__b"}, []toolscript.Tool{
	{Server: "github", Name: "create_issue", Description: "Create <b> & more", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type": "object"}`)},
	{Server: "a__b", Name: "c", InputSchema: nil},
})

func TestTools(t *testing.T) {
	const (
		ab     = `{"serverName":"a__b","toolName":"c","qualifiedName":"a__b__c","inputSchema":{}}`
		github = `{"serverName":"github","toolName":"create_issue","qualifiedName":"github__create_issue","description":"Create <b> & more","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}`
	)
	l := serve(t, &fake{catalog: someTools})
	for query, want := range map[string]string{
		"":                               `{"tools":[` + ab + "," + github + "]}",
		"?filter=":                       `{"tools":[` + ab + "," + github + "]}",
		"?filter=github":                 `{"tools":[` + github + "]}",
		"?filter=a__b":                   `{"tools":[` + ab + "]}", // the name contains the separator
		"?filter=a__b__c":                `{"tools":[` + ab + "]}",
		"?filter=%20a__b__c%20,%20githb": `{"tools":[` + ab + `],"unknown":[{"entry":"githb","suggestions":["github"]}]}`,
		"?filter=unknown":                `{"tools":[],"unknown":[{"entry":"unknown","servers":["a__b","github"]}]}`,
	} {
		got := l.ask(t, http.MethodGet, "/tools"+query, "")
		if diff := cmp.Diff(want, strings.TrimSpace(got.body)); got.status != 200 || diff != "" {
			t.Errorf("GET /tools%s = %d (-want +got):\n%s", query, got.status, diff)
		}
	}
}

// TestCallTool: a result is passed on unchanged (D10), even with isError.
func TestCallTool(t *testing.T) {
	result := `{"content":[{"type":"text","text":"<&>"}],  "structuredContent":{"n":1e400},"isError":true,"_meta":{"k":"v"}}`
	calls := make(chan toolscript.Call, 1)
	l := serve(t, &fake{callTool: func(_ context.Context, call toolscript.Call) (json.RawMessage, error) {
		calls <- call
		return json.RawMessage(result), nil
	}})
	got := l.ask(t, http.MethodPost, "/tools/github__create_issue", ` {"title": "é", "n": 12345678901234567890} `)
	if got.status != 200 || got.body != result || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("answer = %d %q %s", got.status, got.header.Get("Content-Type"), got.body)
	}
	want := toolscript.Call{
		ID:        "github__create_issue",
		Args:      json.RawMessage(`{"title": "é", "n": 12345678901234567890}`),
		RequestID: got.header.Get("X-Request-Id"),
		Client:    "Go-http-client/1.1",
	}
	if diff := cmp.Diff(want, kit.Receive(t, calls)); diff != "" {
		t.Errorf("call (-want +got):\n%s", diff)
	}
}

// TestToolIDsTravelWhole: a tool id may contain any characters.
func TestToolIDsTravelWhole(t *testing.T) {
	ids := make(chan string, 1)
	l := serve(t, &fake{callTool: func(_ context.Context, call toolscript.Call) (json.RawMessage, error) {
		ids <- call.ID
		return json.RawMessage(`{}`), nil
	}})
	for _, id := range []string{"a__b__c", "日本__道具", "s__with/slash", "s__with space", "s__100%", "s__a:b*c+d", "s__?#", "s__..", "s__UPPER"} {
		if got := l.ask(t, http.MethodPost, "/tools/"+url.PathEscape(id), "{}"); got.status != 200 {
			t.Errorf("POST of %q = %d %s", id, got.status, got.body)
			continue
		}
		if got := kit.Receive(t, ids); got != id {
			t.Errorf("POST of %q called %q", id, got)
		}
		if _, err := l.client(t).CallTool(t.Context(), toolscript.Call{ID: id}); err != nil {
			t.Errorf("CallTool(%q): %v", id, err)
			continue
		}
		if got := kit.Receive(t, ids); got != id {
			t.Errorf("CallTool(%q) called %q", id, got)
		}
	}
}

func TestArgumentsThatAreNoObject(t *testing.T) {
	l := serve(t, &fake{callTool: func(context.Context, toolscript.Call) (json.RawMessage, error) {
		t.Error("the tool was called")
		return json.RawMessage(`{}`), nil
	}})
	for body, want := range map[string]string{
		`[]`:               "not an array",
		`"x"`:              "not a string",
		`true`:             "not a boolean",
		` null`:            "not null",
		`-1.5`:             "not a number",
		`7`:                "not a number",
		`{"a":1} {"b":2}`:  "byte 9",
		`{}x`:              "at byte 3",
		`{"a":1`:           "ends early",
		"{\n  \"a\" 1}":    "line 2, column 7",
		`{a:1}`:            "line 1, column 2",
		"\"\xff\"":         "not UTF-8",
		"{\"a\":\"\xff\"}": "not UTF-8",
		strings.Repeat(`{"a":`, 20000) + "1" + strings.Repeat("}", 20000): "not JSON",
	} {
		got := l.ask(t, http.MethodPost, "/tools/a__b", body)
		if got.status != 400 || got.kind() != toolscript.Invalid || !strings.Contains(got.failure().Error, want) {
			t.Errorf("body %.30q = %d %s, want 400 with %q", body, got.status, got.body, want)
		}
	}
}

func TestBadEscapeInPath(t *testing.T) {
	l := serve(t, &fake{})
	got := l.raw(t, "POST /"+l.token+"/tools/a%zz HTTP/1.1\r\nHost: "+l.address()+
		"\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
	if got.status != 400 || got.kind() != toolscript.Invalid {
		t.Errorf("answer = %d %s, want 400 invalid", got.status, got.body)
	}
}

// TestToolsOfApps: with apps=true, the tools of servers with a page are listed, including those that only apps may
// call, and an app may make the call. Other requests are not affected.
func TestToolsOfApps(t *testing.T) {
	calls := make(chan toolscript.Call, 1)
	l := serve(t, &fake{
		callTool: func(_ context.Context, call toolscript.Call) (json.RawMessage, error) {
			calls <- call
			return json.RawMessage(`{}`), nil
		},
		catalog: toolscript.NewCatalog(1, []string{"a", "b"}, []toolscript.Tool{
			{Server: "a", Name: "show", Title: "Show", UI: &toolscript.UI{Page: "ui://p"}}, {Server: "a", Name: "count", UI: &toolscript.UI{NoModels: true}}, {Server: "b", Name: "x"},
		}),
	})
	const show, count = `{"serverName":"a","toolName":"show","qualifiedName":"a__show","title":"Show","inputSchema":{},"ui":{"page":"ui://p"}}`,
		`{"serverName":"a","toolName":"count","qualifiedName":"a__count","inputSchema":{},"ui":{"noModels":true}}`
	for query, want := range map[string]string{"?apps=true": show + "," + count, "": show + `,{"serverName":"b","toolName":"x","qualifiedName":"b__x","inputSchema":{}}`} {
		if got := l.ask(t, http.MethodGet, "/tools"+query, ""); strings.TrimSpace(got.body) != `{"tools":[`+want+`]}` {
			t.Errorf("GET /tools%s: %s", query, got.body)
		}
		if got := l.ask(t, http.MethodPost, "/tools/a__count"+query, "{}"); got.status != 200 {
			t.Errorf("POST: %d %s", got.status, got.body)
		}
		if call := kit.Receive(t, calls); call.FromApp != (query != "") {
			t.Errorf("with %q: %+v", query, call)
		}
	}
}
