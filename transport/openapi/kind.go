package openapi

import (
	_ "embed"

	"github.com/toolscript/toolscript/transport/upstream"
)

//go:embed keys.json
var keys string

// Kind is the kind of servers whose tools are the operations of an OpenAPI document.
var Kind = upstream.Kind{
	Type: upstream.OpenAPI, About: "is an HTTP API that spec describes", Page: "apis.md#openapi-documents",
	Required: `"required": ["spec"], "if": {"required": ["auth"], "properties": {"auth": {"properties": {"type": {"const": "oauth2"}}}}}, "then": {"required": ["baseUrl"]}`,
	Schema:   keys, Keys: []string{"spec", "baseUrl", "operations", "auth", "headers", "oauth", "startupTimeout"},
	Settings: []string{"spec", "baseUrl", "operations", "auth"}, Paths: [][]string{{"spec"}, {"oauth", "assertionFile"}},
	Conversions: []upstream.ConvertKind{Document},
	Dial:        func(h upstream.Host) upstream.Dial { return upstream.DialWith(Dialer(h).Dial) },
}
