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
	for _, how := range []string{"own", "shared", "fleet", "leased"} {
		t.Run(how, func(t *testing.T) {
			served := mcpserver.NewHTTP()
			web := httptest.NewServer(served)
			t.Cleanup(web.Close)
			start := starter(t, how, upstream.Config{Type: upstream.HTTP, URL: web.URL + "/mcp"})
			gateways := []*actors.System{start()}
			if how != "own" {
				gateways = append(gateways, start())
			}
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
