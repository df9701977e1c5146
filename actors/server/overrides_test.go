package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestOverridesAreOfTheGatewayAlone checks that facts and errors have the names of the configuration, and that the
// server gets its own names.
func TestOverridesAreOfTheGatewayAlone(t *testing.T) {
	config := upstream.Config{Overrides: map[string]toolscript.Override{"get": {Name: "fetch"}, "lost": {Name: "found"}}}
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		conn := withTools("get", "put")
		conn.call = func(_ context.Context, tool string, _ func()) (json.RawMessage, error) {
			sent = append(sent, tool)
			return nil, &toolscript.Error{Kind: toolscript.ToolFailed, Server: "fake", Tool: tool, Err: errors.New("no")}
		}
		r := start(t, options{config: config, dial: func(context.Context, int) (server.Conn, error) { return conn, nil }})
		listed := false
		for _, fact := range r.take() {
			m, ok := fact.(catalog.ToolsChanged)
			if !ok {
				continue
			}
			listed = true
			if len(m.Tools) != 2 || m.Tools[0].Name != "fetch" || m.Tools[0].Own().Name != "get" || m.Tools[1].Original != nil {
				t.Errorf("tools = %+v", m.Tools)
			}
			if len(m.Warnings) != 1 {
				t.Errorf("warnings = %q", m.Warnings)
			}
		}
		if status := r.status(); !listed || len(status.Overrides) != 1 || status.Overrides[0].Tool != "fake__fetch" || status.Overrides[0].Own != "get" {
			t.Errorf("overrides = %+v", status.Overrides)
		}
		err := (<-r.send(t.Context(), server.Call{Tool: "fetch", Own: "get"})).err
		var failed *toolscript.Error
		if !errors.As(err, &failed) || failed.Tool != "fetch" || len(sent) != 1 || sent[0] != "get" {
			t.Errorf("the server was asked for %q, and the error is %v", sent, err)
		}
	})
}
