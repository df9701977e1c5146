package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/transport/api"
)

// stage has tools of three servers with apps. Two of them have a page with one URI.
type stage struct {
	offering
	calls *[]toolscript.Call
}

func (stage) AppTools(context.Context) (api.Tools, error) {
	tool := func(server, name string, ui *toolscript.UI) api.ToolInfo {
		return api.ToolInfo{ServerName: server, ToolName: name, QualifiedName: server + "__" + name, Description: "Of " + server + ".", InputSchema: json.RawMessage(`{"x":1e400}`), UI: ui}
	}
	page, app := &toolscript.UI{Page: "ui://p/q"}, &toolscript.UI{NoModels: true}
	renamed := tool("a", "fresh", app)
	renamed.Original = &toolscript.Original{Name: "refresh"}
	return api.Tools{Tools: []api.ToolInfo{
		tool("a", "show", page), tool("a", "count", app), renamed, tool("a", "secret", &toolscript.UI{NoApps: true}),
		tool("b", "show", page), tool("b", "run_script", nil), tool("c@work", "chart", &toolscript.UI{Page: "ui://c"}),
	}}, nil
}

func (s stage) CallTool(_ context.Context, call toolscript.Call) (json.RawMessage, error) {
	*s.calls = append(*s.calls, call)
	call.Progress(toolscript.Progress{Done: 1, Total: 2, Message: "half"})
	switch call.ID {
	case "a__count":
		return nil, &toolscript.Error{Kind: toolscript.ApprovalDenied, Err: errors.New("a__count was denied")}
	case "b__show":
		return nil, &toolscript.Error{Kind: toolscript.ToolFailed, RPCCode: -32000, Err: errors.New("b fails")}
	}
	return json.RawMessage(`{"content":[],"structuredContent":{"n":12345678901234567890},"_meta":{"m":1e400}}`), nil
}

const (
	theExtension = `"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}`
	appsMeta     = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{` + theExtension + `},"io.modelcontextprotocol/clientInfo":{"name":"host","version":"2"}}`
	helloOfHost  = `{"protocolVersion":"2025-11-25","capabilities":{` + theExtension + `},"clientInfo":{"name":"host","version":"1"}}`
)

// appCases has requests of a client that shows apps. %s takes the place of its _meta.
var appCases = []struct{ method, params, want string }{
	{"tools/list", `{%s}`, `{"_meta":{"ui":{"resourceUri":"ui://a/p/q"},"ui/resourceUri":"ui://a/p/q"},"description":"Of a.","inputSchema":{"x":1e400},"name":"a__show"}`},
	{"tools/list", `{%s}`, `{"_meta":{"ui":{"visibility":["app"]}},"description":"Of a.","inputSchema":{"x":1e400},"name":"refresh"}`},
	{"tools/list", `{%s}`, `"ui":{"visibility":["model"]}},"description":"Of a.","inputSchema":{"x":1e400},"name":"a__secret"}`},
	{"tools/list", `{%s}`, `"ui":{"resourceUri":"ui://c@work/c"},"ui/resourceUri":"ui://c@work/c"},"description":"Of c@work.","inputSchema":{"x":1e400},"name":"c__chart"}`},
	{"tools/call", `{"name":"a__show","arguments":{"k":1e400},%s}`, `"structuredContent":{"n":12345678901234567890}`},
	{"tools/call", `{"name":"refresh","arguments":null,%s}`, `"_meta":{"m":1e400}`},
	{"tools/call", `{"name":"c__chart",%s}`, `"result"`},
	{"tools/call", `{"name":"show",%s}`, `"error":{"code":-32602,"message":"several servers have a tool \"show\": a__show, b__show; the client does not say whose app calls it`},
	{"tools/call", `{"name":"a__count",%s}`, `"content":[{"type":"text","text":"a__count was denied"}],"isError":true`},
	{"tools/call", `{"name":"b__show",%s}`, `"error":{"code":-32000,"message":"b fails"`},
	{"tools/call", `{"name":"secret",%s}`, `"error":{"code":-32602,"message":"there is no tool \"secret\"`},
	{"tools/call", `{"name":"b__run_script",%s}`, `"error":{"code":-32602,"message":"there is no tool`},
	{"resources/read", `{"uri":"ui://b/p/q",%s}`, `"uri":"ui://b/p/q"`},
	{"resources/read", `{"uri":"ui://c",%s}`, `"text":"of c@work"`},
	{"resources/read", `{"uri":"ui://p/q",%s}`, `several servers have this page: a, b`},
}

// TestServedApps: a client that declares the extension gets the tools of apps, and can call them. Each call and each
// page reaches the right server. Other clients see nothing new.
func TestServedApps(t *testing.T) {
	var calls []toolscript.Call
	var shown []string
	o := plain(stage{calls: &calls})
	o.Pass, o.Shown = true, func(tool, _ string, text []byte) {
		if tool == mcp.Definitions {
			shown = append(shown, string(text))
		}
	}
	old := func(t *testing.T, hello string) *client {
		t.Helper()
		c := onStdio(t, o)
		c.ask("initialize", hello)
		return c
	}
	for name, tt := range map[string]struct {
		c     *client
		meta  string
		named string
	}{
		"2025-11-25": {old(t, helloOfHost), `"x":1`, "mcp host 1"},
		"2026-07-28": {onStdio(t, o), appsMeta, "mcp host 2"},
	} {
		calls, shown = nil, nil
		for _, a := range appCases {
			got := tt.c.ask(a.method, fmt.Sprintf(a.params, tt.meta))
			if !strings.Contains(got, a.want) || strings.Contains(got, `"name":"show"`) || strings.Count(got, `"name":"run_script"`) > 1 {
				t.Errorf("%s: %s %s: %s\nwant %s", name, a.method, a.params, got, a.want)
			}
		}
		ids := ""
		for _, call := range calls {
			ids += call.ID + " "
			if !call.FromApp || call.Client != tt.named {
				t.Errorf("%s: call %+v", name, call)
			}
		}
		if ids != "a__show a__fresh c@work__chart a__count b__show " {
			t.Errorf("%s: calls %s", name, ids)
		}
		if len(shown) == 0 || !strings.Contains(shown[0], `"a__show"`) || strings.Contains(shown[0], `"refresh"`) {
			t.Errorf("%s: shown to a model: %s", name, shown)
		}
	}
	for name, tt := range map[string]struct {
		c    *client
		meta string
	}{
		"2025-11-25": {old(t, strings.Replace(helloOfHost, "text/html;profile=mcp-app", "text/other", 1)), `"x":1`}, "2026-07-28": {onStdio(t, o), modernMeta},
	} {
		if got := tt.c.ask("tools/list", `{`+tt.meta+`}`); strings.Count(got, `"inputSchema"`) != 3 {
			t.Errorf("%s: a client without the extension: %s", name, got)
		}
		if got := tt.c.ask("tools/call", `{"name":"a__show",`+tt.meta+`}`); !strings.Contains(got, `there is no tool \"a__show\"; the tools are search_tools`) {
			t.Errorf("%s: a client without the extension: %s", name, got)
		}
	}
}

// TestAppsOfSessions: over HTTP, each session belongs to another client.
func TestAppsOfSessions(t *testing.T) {
	o := plain(stage{calls: new([]toolscript.Call)})
	o.Pass = true
	h := overHTTP(t, o)
	ask := func(session, method, params string) *httptest.ResponseRecorder {
		return h.post(session, `{"jsonrpc":"2.0","id":1,"method":"`, method, `","params":`, params, `}`)
	}
	for hello, want := range map[string]int{helloOfHost: 3 + 9, strings.Replace(helloOfHost, theExtension, "", 1): 3} {
		session := ask("", "initialize", hello).Header().Get("Mcp-Session-Id")
		if got := ask(session, "tools/list", `{}`).Body.String(); strings.Count(got, `"inputSchema"`) != want {
			t.Errorf("%d tools wanted: %s", want, got)
		}
		if got := ask(session, "tools/call", `{"name":"refresh"}`).Body.String(); strings.Contains(got, `"structuredContent":{"n":12345678901234567890}`) != (want > 3) {
			t.Errorf("the call: %s", got)
		}
	}
}

// TestProgressOfApps: the progress of a call goes to the client before the response, if it asks for progress.
func TestProgressOfApps(t *testing.T) {
	o := plain(stage{calls: new([]toolscript.Call)})
	o.Pass = true
	c := onStdio(t, o)
	c.ask("initialize", helloOfHost)
	first := c.ask("tools/call", `{"name":"a__show","_meta":{"progressToken":"p"}}`)
	second, err := c.out.ReadString('\n')
	if err != nil || !strings.Contains(first, `"method":"notifications/progress","params":{"message":"1/2 half","progress":1,"progressToken":"p"}`) || !strings.Contains(second, `"structuredContent"`) {
		t.Errorf("%s\n%s\n%v", first, second, err)
	}
}
