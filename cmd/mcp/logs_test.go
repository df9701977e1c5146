package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

// logging is a gateway whose run calls a tool of the server docs when it is released, and ends when it is
// released again.
type logging struct {
	*announcing
	released chan struct{}
}

func (g logging) Exec(_ context.Context, _ toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	for _, e := range []toolscript.Event{
		{Type: toolscript.EventStart, RunID: "run_1"}, {Type: toolscript.EventCall, Tool: "docs__x"},
		toolscript.EndEvent("run_1", toolscript.End{OK: true, Value: json.RawMessage("7")}),
	} {
		if e.Type != toolscript.EventStart {
			<-g.released
		}
		if err := emit(e); err != nil {
			return err
		}
	}
	return nil
}

func logOf(server, logger, data string) toolscript.Change {
	return toolscript.Change{Of: toolscript.ChangeLog, Server: server, Level: "error", Logger: logger, Data: json.RawMessage(data)}
}

func loggedAs(logger, data string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%s,"level":"error","logger":%q}}`, data, logger)
}

// TestLogLevelOfASession: a session gets log messages from the level on that it has set. Before that, it gets none.
func TestLogLevelOfASession(t *testing.T) {
	a := &announcing{}
	c := onStdio(t, a.options())
	if answer := hello(c); !strings.Contains(answer, `"logging":{}`) {
		t.Errorf("capabilities: %s", answer)
	}
	if got := c.ask("logging/setLevel", `{"level":"loud"}`); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("an unknown level: %s", got)
	}
	if got := a.watched(); len(got) > 0 {
		t.Errorf("a client that sets no level: %q", got)
	}
	for _, level := range []string{"debug", "error"} {
		if got := c.ask("logging/setLevel", `{"level":"`+level+`"}`); !strings.Contains(got, `"result":{}`) {
			t.Fatalf("%s: %s", level, got)
		}
		a.await(t, "false"+level) // one watch, of the last level
	}
	a.tell(logOf("docs", "db", `{"n":1}`))
	a.tell(logOf("docs", "", `"<text>"`))
	a.tell(logOf("", "", `"left out"`))
	for _, want := range []string{loggedAs("docs/db", `{"n":1}`), loggedAs("docs", `"<text>"`), loggedAs("toolscript", `"left out"`)} {
		var got, wanted any
		line := c.line()
		if json.Unmarshal([]byte(line), &got) != nil || json.Unmarshal([]byte(want), &wanted) != nil || fmt.Sprint(got) != fmt.Sprint(wanted) {
			t.Errorf("told %s, want %s", line, want)
		}
	}
}

// In MCP 2026-07-28, a request gets the messages of the servers that its run calls.
func TestLogLevelOfARequest(t *testing.T) {
	a := &announcing{}
	g := logging{a, make(chan struct{})}
	o := plain(g)
	o.Pass = true
	c := onStdio(t, o)
	call := func(meta string) {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + meta + `,"name":"run_script","arguments":{"code":"x"}}}` + "\n")
	}
	withLevel := strings.Replace(modernMeta, `"io.modelcontextprotocol/clientCap`, `"io.modelcontextprotocol/logLevel":"error","io.modelcontextprotocol/clientCap`, 1)
	call(withLevel)
	a.await(t, "falseerror")
	a.tell(logOf("docs", "", `"early"`)) // before the run is known to call the server
	a.tell(logOf("files", "", `"of another"`))
	g.released <- struct{}{}
	if got := c.line(); got != loggedAs("docs", `"early"`) {
		t.Errorf("told %s", got)
	}
	go a.tell(logOf("docs", "db", `"later"`)) // the client reads later
	if got := c.line(); got != loggedAs("docs/db", `"later"`) {
		t.Errorf("told %s", got)
	}
	g.released <- struct{}{}
	if got := c.line(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("told %s", got)
	}
	a.await(t)

	call(modernMeta)
	g.released <- struct{}{}
	if got := a.watched(); len(got) > 0 {
		t.Errorf("a request without a level: %q", got)
	}
	g.released <- struct{}{}
	if got := c.line(); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("told %s", got)
	}
	call(strings.Replace(withLevel, `"error"`, `"loud"`, 1))
	if got := c.line(); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("an unknown level: %s", got)
	}
}
