package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/test/fixture/mcpserver"
	"github.com/toolscript/toolscript/transport/upstream"
)

// serve starts an HTTP server and returns its address. The server ends with the test.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// overHTTP starts the HTTP server with the given switches, and returns the server and its configuration.
func overHTTP(t *testing.T, kind string, switches ...string) (*mcpserver.HTTP, upstream.Config) {
	t.Helper()
	h := mcpserver.NewHTTP(append(switches, "asks")...)
	path := "/mcp"
	if kind == upstream.SSE {
		path = "/sse"
	}
	return h, upstream.Config{Type: kind, URL: serve(t, h) + path}
}

// behind returns the configuration of a server whose requests front handles.
func behind(t *testing.T, cfg upstream.Config, front http.HandlerFunc) upstream.Config {
	t.Helper()
	cfg.URL = serve(t, front) + cfg.URL[strings.LastIndex(cfg.URL, "/"):]
	return cfg
}

// asked is a request to a server whose answers a test writes.
type asked struct {
	ID     json.RawMessage
	Method string
	text   string // the whole message
}

// result returns a message with the result of the request.
func (a asked) result(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, a.ID, text)
}

// failure returns a message with the error of the request.
func (a asked) failure(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, a.ID, text)
}

// greeting returns the result of initialize of a server with tools.
func greeting(version, tools string) string {
	return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":%s},"serverInfo":{"name":"s","version":"1"}}`, version, tools)
}

// answering handles requests with the messages that answer returns. If it returns "", there is no such method.
func answering(answer func(w http.ResponseWriter, a asked) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var a asked
		body, err := io.ReadAll(r.Body)
		switch a.text = string(body); {
		case err != nil || json.Unmarshal(body, &a) != nil:
			w.WriteHeader(http.StatusMethodNotAllowed) // GET
		case a.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		default:
			w.Header().Set("Content-Type", "application/json")
			message := answer(w, a)
			if message == "" {
				message = a.failure(`{"code":-32601,"message":"no such method"}`)
			}
			_, _ = io.WriteString(w, message) // the client sees a message that is cut
		}
	}
}

// wires maps the connections to test to the type of server, followed by its switches.
var wires = map[string][]string{
	"stdio":   {upstream.Stdio},
	"streams": {upstream.HTTP},
	"bodies":  {upstream.HTTP, "json"},
	"sse":     {upstream.SSE},
	"old":     {upstream.HTTP, "old"},
}

// onEveryWire runs test for every wire, with additional switches of the server.
func onEveryWire(t *testing.T, test func(t *testing.T, wire string, cfg upstream.Config), switches ...string) {
	t.Helper()
	for name, wire := range wires {
		t.Run(name, func(t *testing.T) {
			cfg, _ := started(t, append(wire[:len(wire):len(wire)], append(switches, "asks")...)...)
			test(t, name, cfg)
		})
	}
}
