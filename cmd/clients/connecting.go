package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

	"github.com/toolscript/toolscript"
)

// Entry says how a client starts toolscript.
type Entry struct {
	Command string
	Args    []string

	// Variables are the names of the variables that toolscript needs, for clients that pass
	// on only the variables that they are told.
	Variables []string
}

// entryName is the name of toolscript in the files of clients.
const entryName = "toolscript"

func (e Entry) definition(c *Client) ordered {
	out := c.entry(e)
	if c.inherit != "" && len(e.Variables) > 0 {
		out = append(out, pair{c.inherit, list(e.Variables...)})
	}
	return out
}

// Connect returns the change that registers toolscript in a client, or nil if the client
// has the same entry already.
func Connect(c *Client, places Places, project bool, e Entry) (*Change, error) {
	file, err := c.connectFile(places, project)
	if err != nil {
		return nil, err
	}
	text, err := read(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	has, err := contents(file, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Path, err)
	}
	change := &Change{File: file, before: text, after: text}
	old, taken := has.servers[entryName]
	e.Variables = c.passed(old, e.Variables)
	definition := e.definition(c)
	if taken && reflect.DeepEqual(old, plainValue(definition)) {
		return nil, nil
	}
	if taken && !c.server(places, file, has, entryName, nil).isToolscript() {
		return nil, &toolscript.Error{
			Kind: toolscript.Conflict,
			Err:  fmt.Errorf("%s has another server of the name %s; rename it and run the command again", file.Path, entryName),
		}
	}
	return change, change.register(definition, e, taken)
}

// passed returns the variables of an entry: those that toolscript needs, and those that the
// user has added to the entry. It omits the variables that a client always passes on.
func (c *Client) passed(old any, needed []string) []string {
	if c.inherit == "" {
		return nil
	}
	all := slices.DeleteFunc(slices.Clone(needed), func(name string) bool { return slices.Contains(alwaysPassed, name) })
	added, _ := object(old)[c.inherit].([]any)
	for _, item := range added {
		if name, is := item.(string); is && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// alwaysPassed are the variables that every client passes to its servers.
var alwaysPassed = []string{"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER", "USERPROFILE"}

// register inserts the entry into the text of a client's file.
func (c *Change) register(definition ordered, e Entry, replaces bool) error {
	keys := c.File.at(entryName)
	if c.File.format == "" {
		return c.put(definition, keys...)
	}
	table, insert := tomlEntry(entryName, e), setTable
	if c.File.format == yamlFile {
		table, insert = yamlEntry(entryName, definition, "  "), setYAML
	}
	text, err := insert(c.after, table, keys...)
	if err != nil {
		return fmt.Errorf("%s: %w; add this by hand:\n%s", c.File.Path, err, table)
	}
	c.after = text
	c.members = append(c.members, added{Keys: keys, Table: table, Was: replaces})
	return nil
}

// connectFile returns the file of a client in which toolscript is registered.
func (c *Client) connectFile(places Places, project bool) (File, error) {
	for _, file := range c.in(places) {
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

// Registered reports whether a file of a client registers toolscript.
func Registered(c *Client, places Places) bool {
	for _, file := range c.in(places) {
		found, err := c.read(places, file, nil)
		if err == nil && slices.ContainsFunc(found, (*Server).isToolscript) {
			return true
		}
	}
	return false
}
