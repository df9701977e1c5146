package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
)

// offering has the prompts and resources of two servers.
type offering struct{ mcp.Gateway }

func (offering) Fetch(_ context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	if !o.Selected {
		return nil, fmt.Errorf("%s is not limited to what the configuration selects", o.ID)
	}
	switch o.ID {
	case toolscript.ListPrompts:
		return json.RawMessage(`{"prompts":[{"server":"docs","name":"greet","title":"Greet","icons":[{"src":"data:,x"}]}],"nextCursor":"more"}`), nil
	case toolscript.ListResources:
		return json.RawMessage(`{"resources":[{"server":"docs","uri":"test:///a","name":"a"},{"server":"files","uri":"test:///a","name":"a"},{"server":"files","uri":"test:///b","name":"b"}]}`), nil
	case toolscript.ListTemplates:
		return json.RawMessage(`{"resourceTemplates":[{"server":"files","uriTemplate":"test:///notes/{id}","name":"notes"}]}`), nil
	case toolscript.ReadResource:
		if o.URI == "test:///broken" {
			return nil, &toolscript.Error{Kind: toolscript.ToolFailed, RPCCode: -32042}
		}
		return json.RawMessage(`{"contents":[{"uri":"` + o.URI + `","text":"of ` + o.Server + `","odd":12345678901234567890}]}`), nil
	case toolscript.GetPrompt:
		return json.RawMessage(`{"messages":[{"role":"user","content":{"type":"text","text":"` + o.Server + " " + o.Prompt + " " + o.Args["who"] + `"}}]}`), nil
	case toolscript.Complete:
		return json.RawMessage(`{"completion":{"values":["` + o.Server + " " + o.Prompt + o.URI + " " + o.Argument + " " + o.Value + `"]}}`), nil
	}
	return nil, fmt.Errorf("no such request: %s", o.ID)
}

// ask sends a request and returns its whole response.
func (c *client) ask(method, params string) string {
	c.Helper()
	c.send(`{"jsonrpc":"2.0","id":"x","method":"` + method + `","params":` + params + "}\n")
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.Fatal(err)
	}
	return line
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func TestPromptsAndResourcesPass(t *testing.T) {
	o := plain(offering{})
	o.Pass = true
	c := onStdio(t, o)
	for _, tt := range []struct{ method, params, want string }{
		{"prompts/list", `{}`, `"result":{"nextCursor":"more","prompts":[{"icons":[{"src":"data:,x"}],"name":"docs__greet","title":"Greet"}]}`},
		{"prompts/list", `{` + modernMeta + `}`, `"cacheScope":"private"`},
		{"prompts/get", `{"name":"docs__greet","arguments":{"who":"you"}}`, `"text":"docs greet you"`},
		{"prompts/get", `{"name":"greet"}`, `"error":{"code":-32602,"message":"there is no such prompt`},
		{"resources/list", `{}`, `{"name":"b","uri":"test:///b"}`},
		{"resources/templates/list", `{}`, `"uriTemplate":"toolscript://runs/{run}/{part}{?range}"`},
		{"resources/templates/list", `{}`, `{"name":"notes","uriTemplate":"test:///notes/{id}"}`},
		{"resources/read", `{"uri":"test:///a"}`, `"text":"of docs","odd":12345678901234567890`},
		{"resources/read", `{"uri":"test:///b"}`, `"text":"of files"`},
		{"resources/read", `{"uri":"test:///notes/7"}`, `"text":"of files"`},
		{"resources/read", `{"uri":"test:///notes/7/8"}`, `"code":-32002,"data":{"uri":"test:///notes/7/8"}`},
		{"resources/read", `{"uri":"test:///none",` + modernMeta + `}`, `"code":-32602,"data":{"uri":"test:///none"}`},
		{"resources/read", `{"uri":"toolscript://runs/x/y"}`, `"error"`},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"docs__greet"},"argument":{"name":"who","value":"y"}}`, `"values":["docs greet who y"]`},
		{"completion/complete", `{"ref":{"type":"ref/resource","uri":"test:///notes/{id}"},"argument":{"name":"id","value":"1"}}`, `"values":["files test:///notes/{id} id 1"]`},
	} {
		if got := c.ask(tt.method, tt.params); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"x",`) || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %s\nwant %s", tt.method, tt.params, got, tt.want)
		}
	}
}

// If the configuration says so, clients get neither prompts nor resources, and cannot see that there are some.
func TestPromptsAndResourcesAreOff(t *testing.T) {
	c := onStdio(t, plain(offering{}))
	hello := c.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
	for _, capability := range []string{"prompts", "completions"} {
		if strings.Contains(hello, `"`+capability+`":`) {
			t.Errorf("the capability %s in %s", capability, hello)
		}
	}
	for method, params := range map[string]string{"prompts/list": `{}`, "resources/read": `{"uri":"test:///a"}`} {
		if got := c.ask(method, params); !strings.Contains(got, `"error"`) {
			t.Errorf("%s: %s", method, got)
		}
	}
}
