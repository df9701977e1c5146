package host_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestTimeoutWhileTheHubHangs: calls end at their time limit while the hub hangs, before the connection to it counts as
// lost, even if the socket has no room for their arguments. Calls that were not written count as not sent.
func TestTimeoutWhileTheHubHangs(t *testing.T) {
	ofHost := func(t *testing.T, cfg upstream.Config) (*actors.System, *valve) {
		t.Helper()
		r := startHub(t, nil)
		c, v := r.stoppable()
		cfg.Shared = upstream.SharedHost
		return r.gateway(c, cfg), v
	}
	ofFleet := func(stateless bool) func(*testing.T, upstream.Config) (*actors.System, *valve) {
		return func(t *testing.T, cfg upstream.Config) (*actors.System, *valve) {
			t.Helper()
			at := startNATS(t)
			slow, v := stoppable(t, at)
			mustJoin(t, slow, "one", cfg, stateless)
			return fleetGateway(t, at, cfg), v
		}
	}
	for _, tt := range []struct {
		name  string
		start func(*testing.T, upstream.Config) (*actors.System, *valve)
		size  int // size of the arguments in bytes
		calls int
		some  bool // whether some of the calls are not written
	}{
		{"a small call", ofHost, 10, 1, false},
		{"more than the socket takes", ofHost, 60 << 10, 20, true},
		{"arguments in pieces", ofHost, 200 << 10, 1, false},
		{"of a fleet and stateless", ofFleet(true), 10, 1, false},
		{"of a fleet with an owner", ofFleet(false), 10, 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := config(t, "")
			cfg.Timeout = 500 * time.Millisecond
			s, v := tt.start(t, cfg)
			ready(t, s)
			v.close()
			args, err := json.Marshal(map[string]string{"text": strings.Repeat("x", tt.size)})
			if err != nil {
				t.Fatal(err)
			}
			failed := make(chan error, tt.calls)
			for range tt.calls {
				go func() {
					_, err := s.CallTool(kit.Within(t), toolscript.Call{ID: "srv__echo", Args: args})
					failed <- err
				}()
			}
			unsent := 0
			for range tt.calls {
				err := <-failed
				text := "no answer and no progress within 500ms; " + toolscript.UnknownOutcome
				if toolscript.SentOf(err) == toolscript.SentNo {
					text = "the call was not sent"
					unsent++
				}
				kindIs(t, err, toolscript.Timeout, text)
			}
			if (unsent > 0) != tt.some {
				t.Errorf("%d of %d calls count as not sent", unsent, tt.calls)
			}
		})
	}
}
