package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"github.com/toolscript/toolscript"
)

// Entry is how a client starts toolscript.
type Entry struct {
	Command string
	Args    []string
}

// entryName is the name of toolscript in the files of clients.
const entryName = "toolscript"

func (e Entry) definition(form entryForm) ordered {
	args := make([]any, len(e.Args))
	for i, arg := range e.Args {
		args[i] = arg
	}
	out := ordered{{"command", e.Command}, {"args", args}}
	if form == typedEntry {
		out = append(ordered{{"type", "stdio"}}, out...)
	}
	return out
}

// Connect is the change that registers toolscript in a client, nil if it is registered
// so already.
func Connect(c *Client, places Places, project bool, e Entry) (*Change, error) {
	file, err := c.connectFile(places, project)
	if err != nil {
		return nil, err
	}
	text, err := read(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && text == nil {
		text = []byte{}
	}
	_, servers, _, err := contents(file, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path, err)
	}
	change := &Change{File: file, before: text, after: text}
	old, taken := servers[entryName]
	definition := e.definition(c.entry)
	if taken && reflect.DeepEqual(old, plainValue(definition)) {
		return nil, nil
	}
	if taken && !(&Server{fields: object(old)}).isToolscript() {
		return nil, &toolscript.Error{
			Kind: toolscript.Conflict,
			Err:  fmt.Errorf("%s has another server of the name %s; rename it and run the command again", file.Path, entryName),
		}
	}
	return change, change.register(definition, tomlEntry(entryName, e), taken)
}

// register inserts the entry into the text of a client's file.
func (c *Change) register(definition ordered, table string, replaces bool) error {
	keys := append(c.File.keys[:len(c.File.keys):len(c.File.keys)], entryName)
	if !c.File.toml {
		err := c.put(definition, keys...)
		if err == nil {
			c.members[0].Was = replaces
		}
		return err
	}
	text, err := setTable(c.after, table, keys...)
	if err != nil {
		return fmt.Errorf("%s: %w; add this by hand:\n%s", c.File.Path, err, table)
	}
	c.after = text
	c.members = []added{{Keys: keys, Table: table, Was: replaces}}
	return nil
}

// connectFile is the file of a client that toolscript is registered in.
func (c *Client) connectFile(places Places, project bool) (File, error) {
	for _, file := range c.files(places) {
		if file.connect && file.Project == project {
			return file, nil
		}
	}
	why := fmt.Sprintf("%s has no file for one project", c.Title)
	if project && places.Project == "" {
		why = "this folder belongs to no project"
	}
	return File{}, &toolscript.Error{Kind: toolscript.Invalid, Err: errors.New(why)}
}
