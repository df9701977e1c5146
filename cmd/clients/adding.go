package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

// ReplaceServer returns the change that gives a server of a file of toolscript another definition, or nil
// if the file has that definition. Members of the server that definition does not have stay, except drop.
func ReplaceServer(file File, name string, definition json.RawMessage, drop ...string) (*Change, error) {
	d, err := parse(definition)
	if err != nil {
		return nil, err
	}
	next, _ := inOrder(d.root).(ordered)
	return editServers(file, []string{name}, func(c *Change, server *node, name, _ string) error {
		for _, member := range next {
			if old := server.at(member.key); old != nil && reflect.DeepEqual(old.plain(), d.root.at(member.key).plain()) {
				continue
			}
			if err := c.put(member.value, "mcpServers", name, member.key); err != nil {
				return err
			}
		}
		for _, key := range drop {
			if old := server.at(key); old != nil && d.root.at(key) == nil {
				if err := c.drop(old.plain(), "mcpServers", name, key); err != nil {
					return err
				}
			}
		}
		_, wrong := config.Check(file.Path, c.after)
		return wrong
	})
}

// Mentions reports whether the definition of a server in a file of toolscript has a text.
func Mentions(file File, name, text string) (bool, error) {
	_, d, err := openServers(file)
	if errors.Is(err, fs.ErrNotExist) || d == nil {
		return false, err
	}
	written, err := json.Marshal(d.root.at("mcpServers", name).plain())
	quoted, _ := json.Marshal(text) // a text always encodes
	return bytes.Contains(written, bytes.Trim(quoted, `"`)), err
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
