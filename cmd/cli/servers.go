package cli

import (
	"maps"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// serversOf are those of the configured servers that a script names. Where the
// text does not tell, and where a server would be called something else without
// the others, it is all of them.
func serversOf(code string, configured map[string]mcpclient.Config) map[string]mcpclient.Config {
	identifiers, all := usedServers(code)
	if all {
		return configured
	}
	chosen := map[string]mcpclient.Config{}
	among := serverNames(configured)
	for _, ident := range identifiers {
		found, ok := among.Server(ident)
		if !ok {
			return configured // the script's error then lists the real names
		}
		chosen[found.Server] = configured[found.Server]
	}
	alone := serverNames(chosen)
	for _, ident := range identifiers {
		before, _ := among.Server(ident)
		if after, ok := alone.Server(ident); !ok || after.Server != before.Server {
			return configured
		}
	}
	return chosen
}

// serverNames are the identifiers of servers whose tools are not known yet.
func serverNames(servers map[string]mcpclient.Config) *codegen.Names {
	return codegen.NewNames(toolscript.NewCatalog(0, slices.Collect(maps.Keys(servers)), nil))
}
