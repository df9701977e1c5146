package graphql

import "github.com/toolscript/toolscript/transport/upstream"

// Kind is the kind of servers whose tools are the queries and mutations of a GraphQL endpoint. Its
// keys are those of package openapi.
var Kind = upstream.Kind{
	Type: upstream.GraphQL, About: "is a GraphQL endpoint", Page: "apis.md#graphql",
	Required: `"required": ["url"]`, Keys: []string{"url", "spec", "operations", "auth", "headers", "oauth", "startupTimeout"},
	Settings: []string{"url", "spec", "operations", "auth"}, Paths: [][]string{{"spec"}, {"oauth", "assertionFile"}},
	Conversions: []upstream.ConvertKind{Schema},
	Dial:        func(h upstream.Host) upstream.Dial { return upstream.DialWith(Dialer(h).Dial) },
}
