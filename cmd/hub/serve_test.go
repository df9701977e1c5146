package hub

import (
	"log/slog"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
)

// TestWaitLost checks that a hub ends with an error if its connection to the NATS server is lost,
// even if it is to stay when no gateway uses it.
func TestWaitLost(t *testing.T) {
	lost := make(chan struct{})
	close(lost)
	for _, stay := range []bool{false, true} {
		o := LocalOptions{Stay: stay, Logger: slog.New(slog.DiscardHandler)}
		if err := wait(t.Context(), o, newIdle(time.Hour), lost, nil); toolscript.KindOf(err) != toolscript.Internal {
			t.Errorf("stay %t: error %v", stay, err)
		}
	}
}
