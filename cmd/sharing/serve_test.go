package sharing

import (
	"log/slog"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
)

// TestWaitLost checks that a hub ends with an error when it has lost its NATS server, and
// also when it stays without gateways.
func TestWaitLost(t *testing.T) {
	lost := make(chan struct{})
	close(lost)
	for _, stay := range []bool{false, true} {
		o := ServeOptions{Stay: stay, Logger: slog.New(slog.DiscardHandler)}
		if err := wait(t.Context(), o, newIdle(time.Hour), lost, nil); toolscript.KindOf(err) != toolscript.Internal {
			t.Errorf("stay %t: error %v", stay, err)
		}
	}
}
