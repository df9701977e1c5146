package clients

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/tailscale/hujson"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

// AddServer returns the change that adds a server to a file of toolscript, or nil if the file has
// the same server already. definition has the form of mcpServers. The error is a Conflict if the
// file has another server of the name, and Invalid if the definition or the file has mistakes.
func AddServer(file File, name string, definition json.RawMessage) (*Change, error) {
	d, err := parse(definition)
	if err != nil {
		return nil, err
	}
	t, err := openTarget(file)
	if err != nil {
		return nil, err
	}
	if old, taken := t.servers[name]; taken {
		if reflect.DeepEqual(old, d.root.plain()) {
			return nil, nil
		}
		return nil, &toolscript.Error{
			Kind: toolscript.Conflict,
			Err:  fmt.Errorf("%s has another server of the name %s; choose another name", file.Path, name),
		}
	}
	if err := t.change.put(inOrder(d.root), "mcpServers", name); err != nil {
		return nil, err
	}
	if _, wrong := config.Check(file.Path, t.change.after); wrong != nil {
		return nil, wrong
	}
	return t.change, nil
}

// inOrder returns the value of a node. Objects keep the order of their members.
func inOrder(n *node) any {
	switch v := n.Value.(type) {
	case *hujson.Object:
		out := ordered{}
		for _, m := range v.Members {
			out = append(out, pair{keyOf(m), inOrder((*node)(&m.Value))})
		}
		return out
	case *hujson.Array:
		out := []any{}
		for _, item := range v.Elements {
			out = append(out, inOrder((*node)(&item)))
		}
		return out
	default:
		return n.plain()
	}
}
