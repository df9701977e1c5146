package mcpclient_test

import (
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript/transport/upstream"
)

// A server receives the traceparent of a call, with and without a progress token.
func TestTraceparent(t *testing.T) {
	const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	onEveryWire(t, func(t *testing.T, _ string, cfg upstream.Config) {
		t.Helper()
		c := dial(t, cfg, upstream.Events{})
		for _, progress := range []func(){nil, func() {}} {
			for _, trace := range []string{"", traceparent} {
				type answer struct {
					result json.RawMessage
					err    error
				}
				done := make(chan answer, 1)
				c.Start(upstream.ToolCall{
					Ctx: t.Context(), Tool: "echo", Args: json.RawMessage(`{"text":"(_meta)"}`), Trace: trace, Progress: progress,
					Done: func(result json.RawMessage, err error) { done <- answer{result, err} },
				})
				a := <-done
				var result struct{ Content []struct{ Text string } }
				var meta map[string]any
				if err := json.Unmarshal(a.result, &result); a.err != nil || err != nil || len(result.Content) != 1 {
					t.Fatalf("echo = %s (%v)", a.result, a.err)
				}
				if err := json.Unmarshal([]byte(result.Content[0].Text), &meta); err != nil { // null if there is no _meta
					t.Fatal(err)
				}
				got, _ := meta["traceparent"].(string)
				if _, token := meta["progressToken"]; got != trace || token != (progress != nil) {
					t.Errorf("_meta is %v, want the traceparent %q and a progress token: %t", meta, trace, progress != nil)
				}
			}
		}
	})
}
