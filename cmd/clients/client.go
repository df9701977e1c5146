// Package clients reads the MCP servers that other MCP clients have configured, and registers
// toolscript in the files of those clients. It edits a file by inserting text: comments, the
// order of keys and unknown keys stay. Nothing is written before the caller has shown the
// change; Backups writes it.
package clients

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// Client is a program that has MCP servers in its configuration.
type Client struct {
	Name  string // name on the command line
	Title string // name that users see

	files     func(Places) []File // files of the user and of the project; see in
	translate func(*translation)
	expand    func(variable) (text string, ok bool) // translates a reference to a variable; nil: the client has only ${NAME}, or no variables
	bare      bool                                  // $NAME is a reference too
	entry     func(Entry) ordered                   // returns the entry of toolscript; nil: it cannot be registered there
	programs  []string                              // names of its process, in the form of confirm.ProgramAbove
	inherit   string                                // field of a server that lists the variables to pass on; "": there is none
	set       func(name string) string              // returns a member of env that passes a variable on; nil: env has values only
	variables string                                // name of the field env in this client; "" is env

	// excluded reports whether settings outside of its definition disable a server. It is
	// nil if the client has no such settings. root is the whole file.
	excluded func(places Places, file File, root any, name string) bool

	// off disables the server at some keys. It is nil if the client has no switch: the server is removed.
	off func(c *Change, keys []string) error

	// switches returns the file that off changes. It is nil if that is the server's own file.
	switches func(Places) File
}

// all lists the known clients. If two of them have servers of the same name, the first
// client takes precedence.
var all = []*Client{&claudeCode, &claudeDesktop, &cursor, &vscode, &codex, &gemini, &windsurf,
	&opencode, &qwen, &copilot, &cline, &kilo, &amp, &zed, &goose}

// OfProgram returns the client whose program has a name, or nil.
func OfProgram(name string) *Client {
	i := slices.IndexFunc(all, func(c *Client) bool { return slices.Contains(c.programs, name) })
	if i < 0 {
		return nil
	}
	return all[i]
}

// Names returns the names of all clients.
func Names() []string {
	return names(func(*Client) bool { return true })
}

// Connectable returns the names of the clients in which toolscript can be registered.
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

// in returns the files of the client; outside of a project, those of the user.
func (c *Client) in(p Places) []File {
	return slices.DeleteFunc(c.files(p), func(f File) bool { return f.Project && p.Project == "" })
}

// Find returns the client of a name that is among some names.
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
	Root    string   // folder that links in Path must not lead out of
	Project bool     // the file belongs to the project, not to the user
	keys    []string // keys that lead to the servers in the file
	format  string
	connect bool // toolscript is registered in this file
}

// The file formats other than JSON.
const (
	tomlFile = "toml"
	yamlFile = "yaml"
)

// connected returns the file, marked as the one in which toolscript is registered.
func (f File) connected() File {
	f.connect = true
	return f
}

// at returns the keys that lead to a server.
func (f File) at(name string) []string { return append(f.keys[:len(f.keys):len(f.keys)], name) }

// plainEntry returns an entry with the command and the arguments.
func plainEntry(e Entry) ordered {
	return ordered{{"command", e.Command}, {"args", list(e.Args...)}}
}

// list returns texts as a value of JSON.
func list(texts ...string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

// typedEntry returns a plainEntry with "type": "stdio".
func typedEntry(e Entry) ordered { return append(ordered{{"type", "stdio"}}, plainEntry(e)...) }

// listEntry returns an entry with the command and the arguments in one list.
func listEntry(e Entry) ordered {
	return ordered{{"type", "local"}, {"command", append(list(e.Command), list(e.Args...)...)}, {"enabled", true}}
}
