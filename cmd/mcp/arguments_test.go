package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/transport/api"
)

// noting is a gateway that records the arguments of its methods.
type noting struct {
	mcp.Gateway
	asked any
}

func (g *noting) Search(_ context.Context, q toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
	g.asked = []any{q.Text, q.Limit}
	return toolscript.SearchAnswer{}, nil
}

func (g *noting) Describe(_ context.Context, name string) (toolscript.ToolDescription, error) {
	all, _ := g.asked.([]any)
	g.asked = append(all, name)
	if name == "bank" {
		return toolscript.ToolDescription{}, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("there is no tool")}
	}
	return toolscript.ToolDescription{Types: "// The server bank says:\n// Quote first.\n" + name}, nil
}

func (g *noting) Tools(context.Context, toolscript.Filter, time.Duration) (api.Tools, error) {
	return api.Tools{Tools: []api.ToolInfo{
		{ServerName: "bank", ToolName: "get_quote", Description: "A quote\nfor a transfer."}, {ServerName: "bank", ToolName: "transfer", Description: strings.Repeat("x", 200)}, {ServerName: "other", ToolName: "no"},
	}}, nil
}

func (g *noting) Exec(_ context.Context, q toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	g.asked = []any{q.Code, q.Limits.TimeoutMs, q.Needs}
	return emit(toolscript.EndEvent("run_1", toolscript.End{OK: true}))
}

// TestForgivingArguments: arguments are accepted in forms that the schema does not have.
func TestForgivingArguments(t *testing.T) {
	many := `"` + strings.Repeat(`t","`, 24) + `t"`
	g := &noting{}
	s := sdkClient(t, plain(g), "2025-11-25", nil)
	for _, c := range []struct{ name, tool, args, want, said string }{
		{"another member", "search_tools", `{"query":"x","wait_for_previous":false}`, `["x",5]`, `the tool has no argument \"wait_for_previous\", which was ignored`},
		{"a member like one that is given", "search_tools", `{"query":"x","queries":["y"]}`, `["x",5]`, `no argument \"queries\", which was ignored`},
		{"members of n8n", "run_script", `{"code":"x","sessionId":"7","action":"sendMessage","chatInput":"hi","cwd":"/","mode":"x"}`, `["x",0,null]`, `no argument \"action\", which was ignored`},
		{"zero", "search_tools", `{"query":"x","limit":0}`, `["x",5]`, ""},
		{"an empty list", "search_tools", `{"query":"x","limit":[]}`, `["x",5]`, ""},
		{"arguments as text", "search_tools", `"{\"query\":\"x\"}"`, `["x",5]`, ""},
		{"null", "search_tools", `{"query":"x","limit":null}`, `["x",5]`, ""},
		{"a number as text", "search_tools", `{"query":"x","limit":"3"}`, `["x",3]`, ""},
		{"a fraction of zero", "search_tools", `{"query":"x","limit":3.0}`, `["x",3]`, ""},
		{"beyond the maximum", "search_tools", `{"query":"x","limit":50}`, `["x",20]`, "limit is at most 20; 20 was used in place of 50"},
		{"a number as query", "search_tools", `{"query":7}`, `["7",5]`, ""},
		{"one name", "describe_tools", `{"names":"a.b"}`, `["a.b"]`, ""},
		{"names in one text", "describe_tools", `{"names":"a.b, c,"}`, `["a.b","c"]`, ""},
		{"a list as text", "describe_tools", `{"names":"[\"a.b\",\"c\"]"}`, `["a.b","c"]`, ""},
		{"many names", "describe_tools", `{"names":[` + many + `]}`, `[` + many[:79] + `]`, "names has at most 20 items; the other 5 were left out"},
		{"all members", "run_script", `{"code":"x","timeout":null,"needs":null,"maxTokens":null,"wait":null,"run":null,"abort":null}`, `["x",0,null]`, ""},
		{"empty members", "run_script", `{"code":"x","timeout":0,"needs":[],"maxTokens":0,"wait":"","run":"","abort":false}`, `["x",0,null]`, ""},
		{"texts", "run_script", `{"code":"x","timeout":"2.5","needs":"a","maxTokens":"100","abort":"False"}`, `["x",2500,["a"]]`, ""},
		{"a long time", "run_script", `{"code":"x","timeout":1e6}`, `["x",3600000,null]`, "timeout is at most 3600, in seconds; 3600 was used in place of 1000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g.asked = nil
			result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.args)})
			if err != nil {
				t.Fatal(err)
			}
			text := result.Content[0].(*sdk.TextContent).Text
			asked, _ := json.Marshal(g.asked) // plain values, so this does not fail
			if result.IsError || string(asked) != c.want || c.said != "" && !strings.Contains(text, c.said) || c.said == "" && strings.Contains(text, "notices") {
				t.Errorf("asked for %s, want %s; the result is %s", asked, c.want, text)
			}
		})
	}
}

// TestDescribeServer: the name of a server lists its tools; two modules have its instructions once.
func TestDescribeServer(t *testing.T) {
	s := sdkClient(t, plain(&noting{}), "2025-11-25", nil)
	for names, want := range map[string]string{
		`["bank"]`:            `{"types":"// bank has 2 tools; describe those that you need:\n// bank.getQuote: A quote for a transfer.\n// bank.transfer: ` + strings.Repeat("x", 160) + `… (more: describe_tools)"}`,
		`["bank.a","bank.b"]`: `{"types":"// The server bank says:\n// Quote first.\nbank.a\n\nbank.b"}`,
	} {
		result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "describe_tools", Arguments: json.RawMessage(`{"names":` + names + `}`)})
		if err != nil {
			t.Fatal(err)
		}
		if text := result.Content[0].(*sdk.TextContent).Text; text != want {
			t.Errorf("%s: %s, want %s", names, text, want)
		}
	}
}

// TestRefusedArguments: a refusal names the argument and says which values are valid.
func TestRefusedArguments(t *testing.T) {
	s := sdkClient(t, plain(&noting{}), "2025-11-25", nil)
	for _, c := range []struct{ tool, args, want string }{
		{"search_tools", `{"query":"x","limit":"many"}`, `limit: expected integer, got string`},
		{"search_tools", `{"query":"x","limit":2.5}`, `limit: expected integer, got number`},
		{"search_tools", `{"query":"x","limit":-1}`, `limit: expected at least 1, got number -1`},
		{"search_tools", `{"q":"x"}`, `query is missing: say what the tool should do; the tool has no argument "q"`},
		{"search_tools", `{"query":["x"]}`, `query: expected string, got array`},
		{"describe_tools", `{}`, `names is missing: name tools that search_tools has found`},
		{"describe_tools", `{"names":[7]}`, `names/0: expected string, got number`},
		{"describe_tools", `{"names":{"a":true}}`, `names: expected array, got object`},
		{"run_script", `{"script":"x"}`, `code is missing: the script is empty; the tool has no argument "script"`},
		{"run_script", `{"code":"x","abort":"perhaps"}`, `abort: expected boolean, got string`},
		{"run_script", `{"code":"x","timeout":[1]}`, `timeout: expected number, got array`},
		{"run_script", `{"code":5}`, `code: expected string, got number`},
		{"run_script", `{"code":"x","timeoutMs":30000}`, `the tool has no argument "timeoutMs"; did you mean timeout?`},
		{"run_script", `{"code":"x","max_tokens":100}`, `the tool has no argument "max_tokens"; did you mean maxTokens?`},
		{"describe_tools", `{"name":"a.b"}`, `the tool has no argument "name"; did you mean names?`},
		{"describe_tools", `{"names":[""]}`, `names is missing: name tools that search_tools has found`},
		{"describe_tools", `{"names":[]}`, `names is missing: name tools that search_tools has found`},
		{"describe_tools", `{"names":"[1,"}`, `names: expected array, got string`},
		{"run_script", `{"code":"x","wait":"soon"}`, `wait is "soon"; it must be a time such as 10s, at most 1h`},
	} {
		result, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.args)})
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.args, err)
			continue
		}
		if text := result.Content[0].(*sdk.TextContent).Text; !result.IsError || text != c.want {
			t.Errorf("%s %s: %s, want %s", c.tool, c.args, text, c.want)
		}
	}
}
