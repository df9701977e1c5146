package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

// openServers opens a configuration file of toolscript. The document is nil if the file does not exist.
func openServers(file File) (*target, *document, error) {
	t, err := openTarget(file)
	if err != nil || t.change.before == nil {
		return t, nil, err
	}
	d, err := parse(t.change.before)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file.Path, err)
	}
	return t, d, nil
}

// HasServer reports whether a configuration file of toolscript defines a server, or an account such
// as github@work.
func HasServer(file File, name string) (bool, error) {
	_, d, err := openServers(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	server, account := toolscript.CutAccount(name)
	if d == nil || account == "" {
		return d != nil && d.root.at("mcpServers", name) != nil, err
	}
	accounts, _ := d.root.at("mcpServers", server, accountsKey).plain().([]any)
	return slices.Contains(accounts, any(account)), err
}

const accountsKey = "accounts"

// editServers returns the change that edits some servers in a file of toolscript, or nil if no server needs an edit.
// It ignores names that the file does not have. account is the part of a name such as github@work after the @; else
// "".
func editServers(file File, names []string, edit func(c *Change, server *node, name, account string) error) (*Change, error) {
	t, d, err := openServers(file)
	if err != nil || d == nil {
		return nil, err
	}
	for _, name := range names {
		name, account := toolscript.CutAccount(name)
		if n := d.root.at("mcpServers", name); n != nil {
			if err := edit(t.change, n, name, account); err != nil {
				return nil, err
			}
		}
	}
	if len(t.change.members) == 0 {
		return nil, nil
	}
	return t.change, nil
}

// RemoveServers returns the change that removes servers, or accounts of servers, from a file of toolscript.
func RemoveServers(file File, names ...string) (*Change, error) {
	return editServers(file, names, func(c *Change, server *node, name, account string) error {
		if account != "" {
			return c.removeAccount(name, account)
		}
		return c.drop(server.plain(), "mcpServers", name)
	})
}

func (c *Change) removeAccount(server, account string) error {
	list := c.written("mcpServers", server, accountsKey)
	if list == nil {
		return nil // the change has removed the server
	}
	var accounts []string
	if err := json.Unmarshal(list, &accounts); err != nil {
		return fmt.Errorf("%s: the accounts of server %s: %w", c.File.Path, server, err)
	}
	left := slices.DeleteFunc(slices.Clone(accounts), func(a string) bool { return a == account })
	if len(left) == 0 {
		return fmt.Errorf("%s is the last account of the server; run: %s", account, toolscript.Command("remove", server))
	}
	return c.put(left, "mcpServers", server, accountsKey)
}

// SwitchServers returns the change that disables or enables servers in a file of toolscript.
func SwitchServers(file File, disabled bool, names ...string) (*Change, error) {
	return editServers(file, names, func(c *Change, server *node, name, account string) error {
		if account != "" {
			return fmt.Errorf("%s is an account of server %s, and only a whole server can be disabled; to remove the account: %s",
				account, name, toolscript.Command("remove", name+toolscript.AccountSeparator+account))
		}
		member := server.at("disabled")
		is := member != nil && member.plain() == true
		switch {
		case is == disabled:
			return nil
		case disabled:
			return c.put(true, "mcpServers", name, "disabled")
		default:
			return c.drop(member.plain(), "mcpServers", name, "disabled")
		}
	})
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

// written returns the value at some keys as JSON without comments, or nil if there is none.
func (c *Change) written(keys ...string) json.RawMessage {
	d, err := parse(c.after)
	if err != nil {
		return nil
	}
	if n := d.root.at(keys...); n != nil {
		return n.compact()
	}
	return nil
}

// Confine returns the "confine" of a server in a file of toolscript, in the form of the file, or nil if there is
// none. All accounts of a server share it.
func Confine(file File, name string) (any, error) {
	_, d, err := openServers(file)
	if err != nil || d == nil {
		return nil, err
	}
	server, _ := toolscript.CutAccount(name)
	return d.root.at("mcpServers", server, confineKey).plain(), nil
}

const confineKey = "confine"

// SetConfine returns the change that sets the "confine" of a server in a file of
// toolscript, or nil if the server has that value already.
func SetConfine(file File, name string, value json.RawMessage) (*Change, error) {
	d, err := parse(value)
	if err != nil {
		return nil, err
	}
	return editServers(file, []string{name}, func(c *Change, server *node, name, _ string) error {
		member := server.at(confineKey)
		if member != nil && reflect.DeepEqual(member.plain(), d.root.plain()) {
			return nil
		}
		if err := c.put(inOrder(d.root), "mcpServers", name, confineKey); err != nil {
			return err
		}
		_, wrong := config.Check(file.Path, c.after)
		return wrong
	})
}
