package clients

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/toolscript/toolscript"
)

// Doubled is a server of a client that toolscript has too.
type Doubled struct {
	Name string // name in the client
	Ours string // name in toolscript
	File File

	off File // file with the switch that disables it
}

// Doubled returns the servers that a client uses and that files of toolscript have too.
func (c *Client) Doubled(places Places, targets Targets) ([]Doubled, error) {
	var ours []*Server
	for _, file := range []File{targets.User, targets.Project} {
		if file.Path == "" {
			continue
		}
		t, err := openTarget(file)
		if err != nil {
			return nil, err
		}
		for _, name := range sortedKeys(t.servers) {
			ours = append(ours, &Server{Name: name, File: file, fields: object(copied(t.servers[name]))})
		}
	}
	var found []Doubled
	for _, file := range c.in(places) {
		theirs, err := c.read(places, file, nil)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.Path, err)
		}
		for _, s := range theirs {
			if s.refused != "" || s.disabled() || s.isToolscript() {
				continue
			}
			if at := slices.IndexFunc(ours, s.isBehind); at >= 0 {
				d := Doubled{s.Name, ours[at].Name, file, file}
				if c.switches != nil {
					d.off = c.switches(places)
				}
				found = append(found, d)
			}
		}
	}
	return found, nil
}

// isBehind reports whether a server of a client is the same as one of toolscript. If the
// names differ, all values must be equal, because they tell two accounts apart.
func (s *Server) isBehind(ours *Server) bool {
	return !ours.disabled() && (s.Name == ours.Name && s.shape() == ours.shape() || s.identity() == ours.identity())
}

// Removes reports whether the client cannot disable a server, so that Disable removes it.
func (c *Client) Removes() bool { return c.off == nil }

// Disable adds edits to the changes of a client's files that disable the doubled servers.
func (c *Client) Disable(changes []*Change, doubled []Doubled) ([]*Change, error) {
	for _, d := range doubled {
		at := slices.IndexFunc(changes, func(change *Change) bool { return change.File.Path == d.off.Path })
		if at < 0 {
			text, err := read(d.off)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			at, changes = len(changes), append(changes, &Change{File: d.off, before: text, after: text})
		}
		off := c.off
		if off == nil {
			off = offRemoved
		}
		if err := off(changes[at], d.File.at(d.Name)); err != nil {
			return nil, &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%s was not disabled: %w; disable it in %s", d.Name, err, c.Title)}
		}
	}
	return changes, nil
}

// offRemoved disables a server by removing it.
func offRemoved(c *Change, keys []string) error {
	d, err := parse(c.after)
	if err != nil {
		return err
	}
	return c.drop(d.root.at(keys...).plain(), keys...)
}

// offListed disables a server by adding its name to a list.
func offListed(list ...string) func(*Change, []string) error {
	return func(c *Change, keys []string) error {
		d, err := parse(c.after)
		if err != nil {
			return fmt.Errorf("%s: %w", c.File.Path, err)
		}
		names, _ := d.root.at(list...).plain().([]any)
		return c.put(append(names, keys[len(keys)-1]), list...)
	}
}

// offField disables a server by setting a field.
func offField(field string, value bool) func(*Change, []string) error {
	return func(c *Change, keys []string) error {
		edit := setTOML
		switch c.File.format {
		case "":
			return c.put(value, append(slices.Clone(keys), field)...)
		case yamlFile:
			edit = switchYAML
		}
		text, err := edit(c.after, field, value, keys...)
		if err != nil {
			return err
		}
		c.after = text
		c.members = append(c.members, added{Keys: append(slices.Clone(keys), field), Was: true})
		return nil
	}
}
