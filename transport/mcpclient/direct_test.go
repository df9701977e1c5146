package mcpclient_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// begin starts a call of a tool. The channel receives the call's error.
func begin(t *testing.T, c *mcpclient.Conn, tool, args string) (call upstream.Started, ended <-chan error) {
	t.Helper()
	done := make(chan error, 2)
	call = c.Start(upstream.ToolCall{Ctx: t.Context(), Tool: tool, Args: json.RawMessage(args), Done: func(_ json.RawMessage, err error) {
		done <- err
	}})
	return call, done
}

func TestStartedCallEndsOnce(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	stopped := &toolscript.Error{Kind: toolscript.Cancelled}
	call, ended := begin(t, c, "sleep", `{"ms":600000}`)
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() { call.Cancel("enough", stopped) })
	}
	group.Wait()
	if err := <-ended; toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("error = %v, want cancelled", err)
	}
	if got := text(t, c, "echo", `{"text":"next"}`); got != "next" || len(ended) > 0 {
		t.Errorf("echo = %q, and the call ended %d times more", got, len(ended))
	}
}

// A panic in a callback ends neither the connection nor other calls.
func TestPanicOfACallback(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	c.Start(upstream.ToolCall{Ctx: t.Context(), Tool: "echo", Args: json.RawMessage(`{"text":"x"}`), Done: func(json.RawMessage, error) { panic("planted") }})
	if got := text(t, c, "echo", `{"text":"next"}`); got != "next" {
		t.Errorf("echo = %q", got)
	}
}

func TestEndOfTheConnectionEndsStartedCalls(t *testing.T) {
	c := dial(t, config(t), upstream.Events{})
	_, first := begin(t, c, "sleep", `{"ms":600000}`)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, second := begin(t, c, "echo", `{"text":"x"}`)
	for name, ended := range map[string]<-chan error{"before": first, "after": second} {
		if err := <-ended; toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("a call that began %s the end = %v, want unavailable", name, err)
		}
	}
}
