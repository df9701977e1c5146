package config

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/transport/graphql"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// api returns the settings, as JSON, of a server that an OpenAPI document or a GraphQL
// schema describes, or nil for a server of another type.
func (o Options) api(n *node, file File) (json.RawMessage, error) {
	kind := serverType(n)
	if kind != upstream.OpenAPI && kind != upstream.GraphQL {
		return nil, nil
	}
	spec := n.child("spec").text()
	if spec != "" && (kind == upstream.GraphQL || !isAddress(spec)) {
		o.WorkDir = filepath.Dir(file.Path)
		var err error
		if spec, err = o.absolute(spec); err != nil {
			return nil, err
		}
	}
	auth := n.child("auth")
	credentials := upstream.HTTPAuth{
		Type: auth.child("type").text(), Token: auth.child("token").text(), Name: auth.child("name").text(), Value: auth.child("value").text(),
		Username: auth.child("username").text(), Password: auth.child("password").text(),
	}
	operations := n.child("operations").texts()
	if kind == upstream.GraphQL {
		return json.Marshal(graphql.Settings{URL: n.child("url").text(), Spec: spec, Operations: operations, Auth: credentials})
	}
	return json.Marshal(openapi.Settings{Spec: spec, BaseURL: n.child("baseUrl").text(), Operations: operations, Auth: credentials})
}

// wrongDestination returns a mistake for an API with credentials whose address is only in a
// local document, which could send them anywhere; see upstream.NewOrigin.
func (d *document) wrongDestination(name string, n *node) []finding {
	spec := n.child("spec")
	credentials := n.child("headers") != nil || n.child("auth") != nil && n.child("auth").child("type").text() != "none"
	if serverType(n) != upstream.OpenAPI || !credentials || n.child("baseUrl") != nil || len(spec.unset) > 0 || isAddress(spec.text()) {
		return nil
	}
	return []finding{wrongAt([]string{serversKey, name, "baseUrl"}, n.key,
		"required: the configuration decides which address gets the credentials and headers, not the document")}
}

// loginAddress returns the address at which a person logs in to a server, or "" without a login.
func loginAddress(n *node) string {
	oauth2 := n.child("auth").child("type").text() == "oauth2"
	switch kind := serverType(n); {
	case kind == upstream.OpenAPI && oauth2:
		return n.child("baseUrl").text()
	case (kind == upstream.OpenAPI || kind == upstream.GraphQL) && !oauth2:
		return ""
	default:
		return n.child("url").text()
	}
}

// isAddress reports whether a spec is a URL rather than a path.
func isAddress(spec string) bool {
	return strings.HasPrefix(spec, "http://") || strings.HasPrefix(spec, "https://")
}
