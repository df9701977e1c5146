// Package gateway puts a gateway together: the actors, the kinds of servers, the worker processes,
// and what starts and confines the processes of servers.
package gateway

import (
	"github.com/toolscript/toolscript/transport/builtin"
	"github.com/toolscript/toolscript/transport/commands"
	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The kinds of servers, in the order in which the configuration lists them.
func init() {
	upstream.Register(mcpclient.Kinds...)
	upstream.Register(builtin.Kind, commands.Kind, openapi.Kind, graphql.Kind)
}
