package mcpclient_test

import (
	"net/http/httptest"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/transport/upstream"
)

// overHTTP starts the HTTP server with the given switches, and returns the server and its configuration.
func overHTTP(t *testing.T, kind string, switches ...string) (*mcpserver.HTTP, upstream.Config) {
	t.Helper()
	h := mcpserver.NewHTTP(append(switches, "asks")...)
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	path := "/mcp"
	if kind == upstream.SSE {
		path = "/sse"
	}
	return h, upstream.Config{Type: kind, URL: s.URL + path}
}

// wires maps the connections to test to the type of server, followed by its switches.
var wires = map[string][]string{
	"stdio":   {upstream.Stdio},
	"streams": {upstream.HTTP},
	"bodies":  {upstream.HTTP, "json"},
	"sse":     {upstream.SSE},
	"old":     {upstream.HTTP, "old"},
}

func onEveryWire(t *testing.T, test func(t *testing.T, wire string, cfg upstream.Config)) {
	t.Helper()
	for name, wire := range wires {
		t.Run(name, func(t *testing.T) {
			if wire[0] == upstream.Stdio {
				test(t, name, config(t, "asks"))
				return
			}
			_, cfg := overHTTP(t, wire[0], wire[1:]...)
			test(t, name, cfg)
		})
	}
}
