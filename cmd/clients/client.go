// Package clients reads the MCP servers that other MCP clients have configured, and
// registers toolscript in the files of those clients. A file is edited by inserting
// text: comments, the order of keys and unknown keys stay. Nothing is written before
// the caller has shown the change.
package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/naming"
)

// Client is one program that has MCP servers in its configuration.
type Client struct {
	Name  string // on the command line
	Title string // shown to users

	files     func(Places) []File
	translate func(*translation)
	expand    func(variable) (text string, ok bool) // nil: the client knows ${NAME} alone, or none
	bare      bool                                  // $NAME is a variable too
	entry     func(Entry) ordered                   // the server toolscript; nil if it cannot be registered there
	programs  []string                              // its own names as a process, as package ancestry has them
	inherit   string                                // the field of a server with the names of the variables that it gets; "": there is none
	set       func(name string) string              // a member of env that passes a variable on; nil: env has values only
	variables string                                // the field that other clients call env; "" is env

	// excluded reports whether settings outside of its definition disable a server; nil: there are
	// none. root is the whole file.
	excluded func(places Places, file File, root any, name string) bool

	// off disables the server at some keys; nil: there is no switch, and the server is removed.
	off func(c *Change, keys []string) error

	// switches is the file that off changes; nil: the one with the server.
	switches func(Places) File
}

// all are the known clients. If two of them have a server of the same name, the first
// one counts.
var all = []*Client{&claudeCode, &claudeDesktop, &cursor, &vscode, &codex, &gemini, &windsurf,
	&opencode, &qwen, &copilot, &cline, &kilo, &amp, &zed, &goose}

// OfProgram returns the client whose program has a name; nil if none has.
func OfProgram(name string) *Client {
	i := slices.IndexFunc(all, func(c *Client) bool { return slices.Contains(c.programs, name) })
	if i < 0 {
		return nil
	}
	return all[i]
}

// Names are the names of all clients.
func Names() []string {
	return names(func(*Client) bool { return true })
}

// Connectable are the names of the clients in which toolscript can be registered.
func Connectable() []string {
	return names(func(c *Client) bool { return c.entry != nil })
}

func names(fits func(*Client) bool) []string {
	var out []string
	for _, c := range all {
		if fits(c) {
			out = append(out, c.Name)
		}
	}
	return out
}

// Find returns the client of a name.
func Find(name string, among []string) (*Client, error) {
	for _, c := range all {
		if c.Name == name && slices.Contains(among, name) {
			return c, nil
		}
	}
	text := fmt.Sprintf("unknown client %.100q", name)
	if near := naming.Nearest(name, among, 1); len(near) > 0 {
		text += fmt.Sprintf("; did you mean %s?", near[0])
	} else {
		text += "; known are " + strings.Join(among, ", ")
	}
	return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%s", text)}
}

// File is one configuration file of a client. It may not exist.
type File struct {
	Path    string
	Root    string   // a link in Path may not lead out of this folder
	Project bool     // it belongs to the project, not to the user
	keys    []string // where in the file the servers are
	format  string
	connect bool // toolscript is registered in this one
}

// The formats of files besides JSON.
const (
	tomlFile = "toml"
	yamlFile = "yaml"
)

// connected is the file with the mark that toolscript is registered in it.
func (f File) connected() File {
	f.connect = true
	return f
}

// at are the keys of a server.
func (f File) at(name string) []string { return append(f.keys[:len(f.keys):len(f.keys)], name) }

// plainEntry has the command and the arguments.
func plainEntry(e Entry) ordered {
	args := make([]any, len(e.Args))
	for i, arg := range e.Args {
		args[i] = arg
	}
	return ordered{{"command", e.Command}, {"args", args}}
}

// typedEntry has "type": "stdio" too.
func typedEntry(e Entry) ordered { return append(ordered{{"type", "stdio"}}, plainEntry(e)...) }

// listEntry has the command and the arguments in one list.
func listEntry(e Entry) ordered {
	words := []any{e.Command}
	for _, arg := range e.Args {
		words = append(words, arg)
	}
	return ordered{{"type", "local"}, {"command", words}, {"enabled", true}}
}
