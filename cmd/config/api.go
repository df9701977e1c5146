package config

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/openapi"
)

// api are the settings of a server that an OpenAPI document describes, as JSON; nil for a
// server of another type.
func (o Options) api(n *node, file File) (json.RawMessage, error) {
	if serverType(n) != mcpclient.OpenAPI {
		return nil, nil
	}
	auth := n.child("auth")
	s := openapi.Settings{
		Spec: n.child("spec").text(), BaseURL: n.child("baseUrl").text(), Operations: n.child("operations").texts(),
		Auth: openapi.Auth{
			Type: auth.child("type").text(), Token: auth.child("token").text(), Name: auth.child("name").text(), Value: auth.child("value").text(),
			Username: auth.child("username").text(), Password: auth.child("password").text(),
		},
	}
	if !strings.HasPrefix(s.Spec, "http://") && !strings.HasPrefix(s.Spec, "https://") {
		o.WorkDir = filepath.Dir(file.Path)
		var err error
		if s.Spec, err = o.absolute(s.Spec); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(s)
	return text, err
}

// loginAddress is the address of a server at which a person logs in; "" without a login.
func loginAddress(n *node) string {
	switch {
	case serverType(n) != mcpclient.OpenAPI:
		return n.child("url").text()
	case n.child("auth").child("type").text() == "oauth2":
		return n.child("baseUrl").text()
	default:
		return ""
	}
}
