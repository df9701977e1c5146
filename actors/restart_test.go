package actors_test

import (
	"context"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestStatusAfterARestart: after RestartServer, Servers returns the new status, not that of the time before or of
// the attempt.
func TestStatusAfterARestart(t *testing.T) {
	s := startWith(t, actors.Options{Servers: map[string]upstream.Config{"a": {Type: upstream.HTTP}, "b": {Type: upstream.HTTP}}, Dial: (&roll{}).dial})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range 500 {
		status, err := s.RestartServer(ctx, "a")
		if err != nil || status.State != toolscript.Ready {
			t.Fatalf("the restart returned %+v, %v", status, err)
		}
		if all, err := s.Servers(ctx); err != nil || all[0].State != toolscript.Ready || !all[0].Since.Equal(status.Since) {
			t.Fatalf("the servers are %+v, %v, after a restart that returned %+v", all, err, status)
		}
	}
}
