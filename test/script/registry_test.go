package script_test

import (
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/toolscript/toolscript/test/fixture/registryserver"
)

// startRegistry starts an MCP Registry and sets TOOLSCRIPT_REGISTRY to its address.
func startRegistry(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: registry")
	}
	entries, err := registryserver.Servers()
	ts.Check(err)
	server := httptest.NewServer(registryserver.Handler(entries...))
	ts.Defer(server.Close)
	ts.Setenv("TOOLSCRIPT_REGISTRY", server.URL)
}
