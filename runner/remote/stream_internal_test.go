package remote

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript/test/fixture/natstest"
	"github.com/toolscript/toolscript/test/kit"
)

// TestSilence checks that a stream ends if the other side still receives but sends nothing, as a stopped process does.
func TestSilence(t *testing.T) {
	nc, err := nats.Connect(natstest.Start(t, &server.Options{}).ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if _, err := nc.SubscribeSync("to"); err != nil {
		t.Fatal(err)
	}
	s, err := open(nc, "from", "to")
	if err != nil {
		t.Fatal(err)
	}
	go s.watch()
	kit.Eventually(t, "the stream has ended", func() bool {
		s.heard.Store(int64(time.Since(s.begun) - 2*silentTime))
		return s.cause() != nil
	})
	if err := s.cause(); !errors.Is(err, errSilent) {
		t.Errorf("the stream ended with: %v", err)
	}
}
