package mcpclient_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// A server may accept only integers as ids, and return ids as text.
func TestIDsOnEveryWire(t *testing.T) {
	for _, ids := range []string{"integers", "texts"} {
		onEveryWire(t, func(t *testing.T, wire string, cfg upstream.Config) {
			t.Helper()
			c := dial(t, cfg, upstream.Events{})
			if tools, err := c.ListTools(kit.Within(t)); err != nil || len(tools) == 0 {
				t.Errorf("%s: %d tools, %v", ids, len(tools), err)
			}
			if err := c.Ping(kit.Within(t)); err != nil {
				t.Errorf("%s: Ping = %v", ids, err)
			}
			if got := text(t, c, "echo", `{"text":"x"}`); got != "x" {
				t.Errorf("%s: echo = %q", ids, got)
			}
			var signs atomic.Int64
			if _, err := c.CallTool(kit.Within(t), "progress", []byte(`{"steps":3,"ms":1}`), func() { signs.Add(1) }); err != nil {
				t.Fatal(err)
			}
			if signs.Load() != 3 && wire != "bodies" { // "bodies" has no stream for progress
				t.Errorf("%s: %d signs of progress, want 3", ids, signs.Load())
			}
		}, ids)
	}
}

// An unreadable answer ends its call, and the error quotes it without secrets.
func TestUnreadableAnswerOnEveryWire(t *testing.T) {
	const secret = "swordfish-swordfish-swordfish"
	long := strings.Repeat("x", 200_000)
	lines := map[string]string{
		"NaN":                  `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"x":NaN}}}`,
		"a textual code":       `{"jsonrpc":"2.0","id":ID,"error":{"code":"E_DENIED","message":"no"}}`,
		"text before":          `DEBUG sent {"jsonrpc":"2.0","id":ID,"result":{"content":[]}}`,
		"the id as text":       `{"jsonrpc":"2.0","id":"ID","result":{"content":[],"n":Infinity}}`,
		"an object of Python":  `{'jsonrpc': '2.0', 'id': ID, 'result': {'content': [], 'isError': False}}`,
		"the id at the end":    `{"jsonrpc":"2.0","result":{"content":[],"text":"` + long + `","n":Infinity},"id":ID}`,
		"a secret":             `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"n":NaN,"key":"` + secret + `"}}`,
		"a secret at the edge": `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"n":NaN,"text":"` + strings.Repeat("x", 730) + secret + `"}}`,
	}
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		cfg.Secrets = map[string]string{"${KEY}": secret}
		c := dial(t, cfg, upstream.Events{})
		for name, line := range lines {
			_, err := c.CallTool(kit.Within(t), "print", arguments(t, "", line+"\n"), nil)
			if toolscript.KindOf(err) != toolscript.ToolFailed || toolscript.SentOf(err) != toolscript.SentYes {
				t.Errorf("%s: CallTool = %v, want kind tool_failed, sent", name, err)
				continue
			}
			wantText(t, name, err.Error(), "the server's answer cannot be read: ", line[:10])
			if strings.Contains(err.Error(), "swordfish") || len(err.Error()) > 400 {
				t.Errorf("%s: the error is %s", name, err)
			}
		}
		if got := text(t, c, "echo", `{"text":"still here"}`); got != "still here" {
			t.Errorf("echo = %q", got)
		}
	}, "prints")
}

// An answer that is spread over several lines ends its call.
func TestAnswerOnSeveralLines(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	c := dial(t, config(t, "prints"), upstream.Events{})
	for name, text := range map[string]string{
		"as of JSON.stringify":  "{\n  \"result\": {\n    \"content\": [\n      {\n        \"type\": \"text\",\n        \"text\": \"{\"\n      }\n    ]\n  },\n  \"jsonrpc\": \"2.0\",\n  \"id\": ID\n}\n",
		"as of Python":          "{\"jsonrpc\": \"2.0\",\n \"id\": ID,\n \"result\": {\"content\": []}}\n",
		"without indent":        "{\n\"id\": ID,\n\"result\": {\n\"content\": [\n{\n\"type\": \"text\"\n}\n]\n}\n}\n",
		"a break in a text":     "{\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\n\nb\"}]},\"jsonrpc\":\"2.0\",\"id\":ID}\n",
		"after text":            "DEBUG sends {\n  \"id\": ID,\n  \"error\": {\n    \"code\": 1,\n    \"message\": \"no\"\n  }\n}\n",
		"after a broken object": "{ it's \"odd\n{\n  \"id\": ID,\n  \"result\": {}\n}\n",
		"a long line in it":     "{\n  \"id\": ID,\n  \"result\": {\n    \"data\": \"" + long + "\"\n  }\n}\n",
		"long":                  "{\n  \"result\": {\n" + strings.Repeat("    \"data\": {},\n", 5_000) + "    \"last\": 1\n  },\n  \"id\": ID\n}\n",
		"the id is null":        "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": null,\n  \"error\": {\n    \"code\": -32700,\n    \"message\": \"the server's answer cannot be read, because it is spread over several lines\"\n  }\n}\n",
	} {
		_, err := c.CallTool(kit.Within(t), "print", arguments(t, "", text), nil)
		if toolscript.KindOf(err) != toolscript.ToolFailed || toolscript.SentOf(err) != toolscript.SentYes {
			t.Errorf("%s: CallTool = %v, want kind tool_failed, sent", name, err)
			continue
		}
		wantText(t, name, err.Error(), "the server's answer cannot be read")
	}
	printed := startPrinting(t, c, "", "{\n  \"id\": ID,\n  \"method\": \"x\",\n  \"params\": {\n    \"result\": 1\n  }\n}\n")
	kit.Eventually(t, "the request, as a whole", func() bool {
		text, failure := printed.Printed()
		return failure && strings.Contains(text, `text that is not a message: "{   \"id\": `)
	})
}

// An error without an id belongs to the call in flight if there is only one.
func TestErrorWithoutAnID(t *testing.T) {
	onEveryWire(t, func(t *testing.T, wire string, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		for _, id := range []string{`"id":null,`, ``} {
			line := `{"jsonrpc":"2.0",` + id + `"error":{"code":-32700,"message":"Parse error"}}` + "\n"
			if id == "" && wire != "stdio" && wire != "sse" {
				continue // the test server does not know to which request it belongs
			}
			_, err := c.CallTool(kit.Within(t), "print", arguments(t, "", line), nil)
			var known *toolscript.Error
			if !errors.As(err, &known) || known.Kind != toolscript.ToolFailed || known.RPCCode != -32700 || !strings.Contains(err.Error(), "Parse error") {
				t.Errorf("%s: CallTool = %v, want kind tool_failed with the code of the error", id, err)
			}
		}
	}, "prints")
}

// With several calls in flight, each error mentions it. An error about a notification belongs to no call.
func TestErrorWithoutAnIDDuringSeveralCalls(t *testing.T) {
	c := dial(t, config(t, "prints"), upstream.Events{})
	first := startPrinting(t, c, "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`+"\n")
	second := startPrinting(t, c, "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`+"\n")
	for _, call := range []printing{first, second} {
		const want = `; it answered with an error without the id of a request, which may be for this one: "Parse error"`
		kit.Eventually(t, want, func() bool { return mcpclient.Unanswered(call) == want })
	}
}

// An unreadable answer to initialize fails the connection before its time limit.
func TestUnreadableAnswerToInitialize(t *testing.T) {
	ctx := kit.Within(t)
	_, err := mcpclient.Dialer{}.Dial(ctx, "srv", config(t, "unreadable"), upstream.Events{})
	if ctx.Err() != nil || err == nil {
		t.Fatalf("Dial = %v, want an error before the time limit", err)
	}
	wantText(t, "error", err.Error(), "the server's answer cannot be read: ready {")
}
