package mcpclient_test

import (
	"net/http/httptest"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// overHTTP starts the HTTP server with the given switches, and returns the server and its configuration.
func overHTTP(t *testing.T, kind string, switches ...string) (*mcpserver.HTTP, mcpclient.Config) {
	t.Helper()
	h := mcpserver.NewHTTP(append(switches, "asks")...)
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	path := "/mcp"
	if kind == mcpclient.SSE {
		path = "/sse"
	}
	return h, mcpclient.Config{Type: kind, URL: s.URL + path}
}

// wires maps the connections to test to the type of server, followed by its switches.
var wires = map[string][]string{
	"stdio":   {mcpclient.Stdio},
	"streams": {mcpclient.HTTP},
	"bodies":  {mcpclient.HTTP, "json"},
	"sse":     {mcpclient.SSE},
	"old":     {mcpclient.HTTP, "old"},
}

func onEveryWire(t *testing.T, test func(t *testing.T, wire string, cfg mcpclient.Config)) {
	t.Helper()
	for name, wire := range wires {
		t.Run(name, func(t *testing.T) {
			if wire[0] == mcpclient.Stdio {
				test(t, name, config(t, "asks"))
				return
			}
			_, cfg := overHTTP(t, wire[0], wire[1:]...)
			test(t, name, cfg)
		})
	}
}
