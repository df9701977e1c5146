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
	entry     entryForm                             // "" if toolscript cannot be registered there
}

// all are the known clients. If two of them have a server of the same name, the first
// one counts.
var all = []*Client{&claudeCode, &claudeDesktop, &cursor, &vscode, &codex, &gemini, &windsurf}

// Names are the names of all clients.
func Names() []string {
	return names(func(*Client) bool { return true })
}

// Connectable are the names of the clients in which toolscript can be registered.
func Connectable() []string {
	return names(func(c *Client) bool { return c.entry != "" })
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
	toml    bool
	connect bool // toolscript is registered in this one
}

// entryForm says how a client writes a server that is a program.
type entryForm string

const (
	plainEntry entryForm = "plain" // command and args
	typedEntry entryForm = "typed" // with "type": "stdio"
)
