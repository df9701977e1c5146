package config

import (
	"encoding/json"
	"path/filepath"
	"strings"
)

// resolve makes the Paths of the server's kind absolute. note is called for each of them.
func (o Options) resolve(n *node, file File, note func(err error, field ...string)) {
	o.WorkDir = filepath.Dir(file.Path)
	for _, path := range kindOf(n).Paths {
		n.each(path, func(location []string, n *node) {
			if n.text() == "" || isAddress(n.text()) {
				return
			}
			at, err := o.absolute(n.text())
			note(err, location...)
			n.value = at
		})
	}
}

// settings returns the Settings of the server's kind as a JSON object; nil if it has none.
func settings(n *node) json.RawMessage {
	kind := kindOf(n)
	if len(kind.Settings) == 0 {
		return nil
	}
	values := map[string]any{}
	for _, name := range kind.Settings {
		if child := n.child(name); child != nil {
			values[name] = child.plain()
		}
	}
	text, _ := json.Marshal(values) // it was parsed from JSON
	return text
}

// wrongDestination returns a mistake for an API with credentials whose address is only in a
// local document, which could send them anywhere; see upstream.NewOrigin.
func (d *document) wrongDestination(name string, n *node) []finding {
	spec := n.child("spec")
	credentials := n.child("headers") != nil || n.child("auth") != nil && n.child("auth").child("type").text() != "none"
	if !kindOf(n).Has("baseUrl") || !credentials || n.child("baseUrl") != nil || len(spec.unset) > 0 || isAddress(spec.text()) {
		return nil
	}
	return []finding{wrongAt([]string{serversKey, name, "baseUrl"}, n.key,
		"required: the configuration decides which address gets the credentials and headers, not the document")}
}

// loginAddress returns the address at which a person logs in to a server, or "" without a login.
func loginAddress(n *node) string {
	switch kind := kindOf(n); {
	case kind.Has("auth") && n.child("auth").child("type").text() != "oauth2":
		return ""
	case kind.Has("baseUrl"):
		return n.child("baseUrl").text()
	default:
		return n.child("url").text()
	}
}

// isAddress reports whether a spec is a URL rather than a path.
func isAddress(spec string) bool {
	return strings.HasPrefix(spec, "http://") || strings.HasPrefix(spec, "https://")
}
