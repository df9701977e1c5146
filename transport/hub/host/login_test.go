package host_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestEndOfALoginDuringACall: when a server no longer accepts the credentials, every call gets the
// same kind of error and command: the call that finds this out, one in flight, that of another
// gateway, and later ones. This holds for a gateway's own server and for a shared one.
func TestEndOfALoginDuringACall(t *testing.T) {
	for _, tt := range []struct {
		name     string
		gateways func(*testing.T, upstream.Config) []*actors.System
	}{
		{"own", func(t *testing.T, cfg upstream.Config) []*actors.System {
			t.Helper()
			r := startHub(t, nil)
			return []*actors.System{r.gateway(r.client(nil), cfg)}
		}},
		{"shared", func(t *testing.T, cfg upstream.Config) []*actors.System {
			t.Helper()
			r := startHub(t, nil)
			cfg.Shared = upstream.SharedHost
			return []*actors.System{r.gateway(r.client(nil), cfg), r.gateway(r.client(nil), cfg)}
		}},
		{"fleet", func(t *testing.T, cfg upstream.Config) []*actors.System {
			t.Helper()
			at := startNATS(t)
			mustJoin(t, at, "one", cfg, true)
			return []*actors.System{fleetGateway(t, at, cfg), fleetGateway(t, at, cfg)}
		}},
		{"leased", func(t *testing.T, cfg upstream.Config) []*actors.System {
			t.Helper()
			at := startNATS(t)
			mustJoin(t, at, "one", cfg, false)
			return []*actors.System{fleetGateway(t, at, cfg), fleetGateway(t, at, cfg)}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			served := mcpserver.NewHTTP()
			web := httptest.NewServer(served)
			t.Cleanup(web.Close)
			gateways := tt.gateways(t, upstream.Config{Type: upstream.HTTP, URL: web.URL + "/mcp"})
			inFlight := make(chan error, len(gateways))
			for _, g := range gateways {
				ready(t, g)
				go func() {
					_, err := g.CallTool(t.Context(), toolscript.Call{ID: "srv__never"})
					inFlight <- err
				}()
			}
			kit.Eventually(t, "the calls are in flight", func() bool { return served.Seen("tools/call") == len(gateways) })
			served.Refuse(http.StatusUnauthorized, 1000)
			for _, g := range gateways {
				_, err := servedCall(t, g, "echo", `{"text":"hi"}`)
				kindIs(t, err, toolscript.Unauthorized, "toolscript auth srv")
			}
			for range gateways {
				kindIs(t, <-inFlight, toolscript.Unauthorized, "toolscript auth srv")
			}
			for _, g := range gateways {
				_, err := servedCall(t, g, "echo", `{"text":"hi"}`)
				kindIs(t, err, toolscript.Unauthorized, "toolscript auth srv")
			}
		})
	}
}
