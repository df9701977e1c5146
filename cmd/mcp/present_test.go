package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/mcp"
)

// html is a gateway whose texts contain characters that encoding/json escapes, and whose runs
// end only when they are cancelled.
type html struct {
	mcp.Gateway
	begun, ended chan struct{}
}

func (html) Search(context.Context, toolscript.SearchQuery) (toolscript.SearchAnswer, error) {
	return toolscript.SearchAnswer{Hint: "<b> & Promise<T>"}, nil
}

func (html) Describe(context.Context, string) (toolscript.ToolDescription, error) {
	return toolscript.ToolDescription{Types: "Promise<T & U>"}, nil
}

func (g html) Exec(ctx context.Context, q toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	if q.Code == "wait" {
		close(g.begun)
		<-ctx.Done()
		close(g.ended)
		return ctx.Err()
	}
	if err := emit(toolscript.Event{Type: toolscript.EventStart, RunID: "run_1"}); err != nil {
		return err
	}
	return emit(toolscript.EndEvent("run_1", toolscript.End{OK: true, Value: json.RawMessage(`"<b> \\u003cb> \u0026"`)}))
}

// TestTextIsPlain: results contain the text once, without needless escapes.
func TestTextIsPlain(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-11-25"} {
		c := onStdio(t, plain(html{}))
		c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, "\n")
		if _, err := c.out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		for arguments, want := range map[string]string{
			`"search_tools","arguments":{"query":"x"}`:   `"hint":"<b> & Promise<T>"`,
			`"describe_tools","arguments":{"names":"x"}`: `"types":"Promise<T & U>"`,
			`"run_script","arguments":{"code":"x"}`:      `"value":"<b> \\u003cb> &"`,
		} {
			c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+arguments+`}}`, "\n")
			line, err := c.out.ReadString('\n')
			var r struct {
				Result struct {
					Content           []struct{ Text string }
					StructuredContent any
				}
			}
			if err != nil || json.Unmarshal([]byte(line), &r) != nil || len(r.Result.Content) != 1 {
				t.Fatalf("%s: %s, %v", arguments, line, err)
			}
			if text := r.Result.Content[0].Text; !strings.Contains(text, want) || r.Result.StructuredContent != nil {
				t.Errorf("%s: text %s, structured content %v; want %s", arguments, text, r.Result.StructuredContent, want)
			}
		}
	}
}

// TestCancelledRequestHasNoAnswer: a cancelled request gets no answer, as MCP requires.
func TestCancelledRequestHasNoAnswer(t *testing.T) {
	g := html{begun: make(chan struct{}), ended: make(chan struct{})}
	c := onStdio(t, plain(g))
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"wait"}}}`, "\n")
	<-g.begun
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, "\n")
	<-g.ended
	c.mustPing()
	_ = c.in.Close() // a pipe in memory
	if more, err := io.ReadAll(c.out); err != nil || len(more) > 0 {
		t.Errorf("another answer: %s, %v", more, err)
	}
}
