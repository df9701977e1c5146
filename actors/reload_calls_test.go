package actors_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestReloadDuringACall: if a server is changed, disabled or removed during a call, the error of the call says so.
func TestReloadDuringACall(t *testing.T) {
	first := map[string]upstream.Config{"up": {Type: upstream.Stdio, Command: "one"}, "other": {Type: upstream.Stdio}}
	for want, change := range map[string]func(map[string]upstream.Config){
		"the configuration of the server was changed": func(all map[string]upstream.Config) {
			all["up"] = upstream.Config{Type: upstream.Stdio, Command: "two"}
		},
		"run: toolscript enable up": func(all map[string]upstream.Config) {
			all["up"] = upstream.Config{Type: upstream.Stdio, Command: "one", Disabled: true}
		},
		"the server was removed from the configuration": func(all map[string]upstream.Config) { delete(all, "up") },
	} {
		t.Run(want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn := newConn("up")
				conn.call = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
					<-ctx.Done()
					time.Sleep(time.Second) // a server that ends slowly
					return nil, ctx.Err()
				}
				d := dialer{"up": answers(conn, nil)}
				s := start(t, d, "other")
				if _, err := s.Configure(t.Context(), first); err != nil {
					t.Fatal(err)
				}
				settle(t, s)
				failed := make(chan error, 1)
				go func() {
					_, err := s.CallTool(t.Context(), toolscript.Call{ID: "up__echo", Args: json.RawMessage(`{}`)})
					failed <- err
				}()
				synctest.Wait()
				next := maps.Clone(first)
				change(next)
				if _, err := s.Configure(t.Context(), next); err != nil {
					t.Fatal(err)
				}
				err := <-failed
				if toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "whether the call was carried out is not known") {
					t.Errorf("the call: %v, want %q", err, want)
				}
			})
		})
	}
}
