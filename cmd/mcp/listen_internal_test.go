package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
)

// during calls a function while the client receives the acknowledgement.
type during struct {
	do  func()
	got chan string
}

func (d during) notify(message []byte) {
	if strings.Contains(string(message), "acknowledged") {
		d.do()
	}
	d.got <- string(message)
}

// TestChangeDuringTheAcknowledgement checks that a change is delivered that happens before the client knows
// that it is subscribed.
func TestChangeDuringTheAcknowledgement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &entrance{life: t.Context()}
		d := during{do: func() { e.listeners.announce("notifications/tools/list_changed") }, got: make(chan string, 2)}
		ctx, cancel := context.WithCancel(withNotifier(t.Context(), d))
		go e.listen(ctx, message{ID: json.RawMessage("1"), Method: "subscriptions/listen", Params: json.RawMessage(`{"notifications": {"toolsListChanged": true}}`)})
		if ack, change := <-d.got, <-d.got; !strings.Contains(ack, "acknowledged") || !strings.Contains(change, "tools/list_changed") {
			t.Errorf("got %s, then %s", ack, change)
		}
		cancel()
		synctest.Wait()
	})
}
