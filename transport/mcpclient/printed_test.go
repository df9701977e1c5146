package mcpclient_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The client does not treat a request that a server prints as the answer to that request.
func TestPrintedRequestIsNoAnswer(t *testing.T) {
	c := dial(t, config(t, "prints"), upstream.Events{})
	printed := startPrinting(t, c, "", `got {"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"result"}}`+"\n")
	kit.Eventually(t, "the text", func() bool {
		text, failure := printed.Printed()
		return failure && strings.Contains(text, "text that is not a message")
	})
}

// The error of a call without an answer quotes what the server printed during the call.
func TestOutputDuringACallIsQuoted(t *testing.T) {
	c := dial(t, config(t, "prints", "noise=3"), upstream.Events{})
	kit.Eventually(t, "what the server printed before the calls", func() bool { return len(c.Stderr()) == 3 })
	for name, tt := range map[string]struct{ stderr, stdout, want string }{
		"a traceback":       {"Traceback (most recent call last):\n  File \"x.py\", line 1\nKeyError: 'id'\n", "", `; meanwhile the server wrote to stderr: "KeyError: 'id'"`},
		"a log":             {"INFO begins\n", "", `; meanwhile the server wrote to stderr: "INFO begins"; a longer "timeout" can be set for the server in .toolscript.json`},
		"no line break":     {"", `{"jsonrpc":"2.0","id":ID,"result":{}}`, `; its last line on stdout has no line break: "{`},
		"an answer to none": {"", "\n{\"jsonrpc\":\"2.0\",\"result\":NaN}\n", `; on stdout it wrote text that is not a message: "{\"jsonrpc\":\"2.0\",\"result\":NaN}"`},
	} {
		t.Run(name, func(t *testing.T) {
			started := startPrinting(t, c, tt.stderr, tt.stdout)
			kit.Eventually(t, tt.want, func() bool { return strings.HasPrefix(mcpclient.Unanswered(started), tt.want) })
		})
	}
}

// startPrinting starts a call of print, which is cancelled at the end of the test.
func startPrinting(t *testing.T, c *mcpclient.Conn, stderr, stdout string) printing {
	t.Helper()
	started := c.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "print", Args: arguments(t, stderr, stdout), Done: func(json.RawMessage, error) {}})
	t.Cleanup(func() { started.Cancel("the end", nil) })
	return printing{started, started.(mcpclient.Printer)}
}

func arguments(t *testing.T, stderr, stdout string) json.RawMessage {
	t.Helper()
	args, err := json.Marshal(map[string]string{"stderr": stderr, "stdout": stdout})
	if err != nil {
		t.Fatal(err)
	}
	return args
}

// printing is a call in flight.
type printing struct {
	upstream.Started
	mcpclient.Printer
}
