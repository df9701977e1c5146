// Package kinds lists the kinds of servers. A program imports it for its effect. It is a package of its
// own, because whoever reads a configuration needs it, but not the engines of a gateway.
package kinds

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
