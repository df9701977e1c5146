package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"github.com/toolscript/toolscript/cmd/config"
)

// openServer opens a file of toolscript that has a server. The result is nil if it has none of
// the name.
func openServer(file File, name string) (*target, *node, error) {
	t, err := openTarget(file)
	if err != nil {
		return nil, nil, err
	}
	if t.change.before == nil {
		return nil, nil, nil
	}
	d, err := parse(t.change.before)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file.Path, err)
	}
	n := d.root.at("mcpServers", name)
	if n == nil {
		return nil, nil, nil
	}
	return t, n, nil
}

// HasServer reports whether a file of toolscript defines a server.
func HasServer(file File, name string) (bool, error) {
	t, _, err := openServer(file, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return t != nil, err
}

// RemoveServer is the change that removes a server from a file of toolscript.
func RemoveServer(file File, name string) (*Change, error) {
	t, n, err := openServer(file, name)
	if err != nil || t == nil {
		return nil, err
	}
	return t.change, t.change.drop(n.plain(), "mcpServers", name)
}

// SwitchServer is the change that disables a server in a file of toolscript, or enables it. It
// is nil if the server is so already.
func SwitchServer(file File, name string, disabled bool) (*Change, error) {
	t, n, err := openServer(file, name)
	if err != nil || t == nil {
		return nil, err
	}
	member := n.at("disabled")
	is := member != nil && member.plain() == true
	switch {
	case is == disabled:
		return nil, nil
	case disabled:
		return t.change, t.change.put(true, "mcpServers", name, "disabled")
	default:
		return t.change, t.change.drop(member.plain(), "mcpServers", name, "disabled")
	}
}

// drop removes a value from the text of a change.
func (c *Change) drop(value any, keys ...string) error {
	before := c.written(keys...)
	text, err := remove(c.after, value, keys...)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File.Path, err)
	}
	c.after = text
	c.members = append(c.members, added{Keys: keys, Was: true, Gone: true, Before: before})
	return nil
}

// written is the value at some keys as JSON without comments; nil if there is none.
func (c *Change) written(keys ...string) json.RawMessage {
	d, err := parse(c.after)
	if err != nil {
		return nil
	}
	n := d.root.at(keys...)
	if n == nil {
		return nil
	}
	return bytes.Clone(d.Plain[n.from:n.to])
}

// Confine is the "confine" of a server in a file of toolscript, as the file has it; nil if there
// is none.
func Confine(file File, name string) (any, error) {
	_, n, err := openServer(file, name)
	if err != nil {
		return nil, err
	}
	return n.at(confineKey).plain(), nil
}

const confineKey = "confine"

// SetConfine is the change that sets the "confine" of a server in a file of toolscript. It is nil
// if the server has that value already.
func SetConfine(file File, name string, value json.RawMessage) (*Change, error) {
	d, err := parse(value)
	if err != nil {
		return nil, err
	}
	t, n, err := openServer(file, name)
	if err != nil || t == nil {
		return nil, err
	}
	member := n.at(confineKey)
	if member != nil && reflect.DeepEqual(member.plain(), d.root.plain()) {
		return nil, nil
	}
	if err := t.change.put(inOrder(d.root), "mcpServers", name, confineKey); err != nil {
		return nil, err
	}
	if _, wrong := config.Check(file.Path, t.change.after); wrong != nil {
		return nil, wrong
	}
	return t.change, nil
}
