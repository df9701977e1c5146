package host

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestStoppedGateway checks that the bridge to a gateway that has stopped reading ends after
// writeTime in both directions.
func TestStoppedGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gateway, outside := net.Pipe()
		inside, nats := net.Pipe()
		defer func() { _ = gateway.Close() }()
		begun, ended := time.Now(), make(chan struct{})
		go func() {
			bridge(outside, outside, inside)
			close(ended)
		}()
		if _, err := nats.Write([]byte("MSG")); err != nil {
			t.Fatal(err)
		}
		_ = nats.Close() // the NATS server gives up earlier
		select {
		case <-ended:
		case <-time.After(time.Hour):
			t.Fatal("the bridge does not end")
		}
		if passed := time.Since(begun); passed != writeTime {
			t.Errorf("the bridge has ended after %s, want %s", passed, writeTime)
		}
	})
}
