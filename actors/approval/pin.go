package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
)

// Server is what a pin has of the server of a tool.
type Server struct {
	Identity string // its definition, see mcpclient.Config.Identity
	Source   string // the configuration file that defines it
	Project  string // the folder in which it is called
}

// Pin identifies what a person has approved: a tool with its texts, and the definition of its
// server, in one configuration file and one project.
type Pin struct {
	Tool    string `json:"tool,omitempty"` // its id, in a Store
	Source  string `json:"configFile,omitempty"`
	Project string `json:"project,omitempty"`

	Description string `json:"description"`
	Input       string `json:"inputSchema,omitempty"` // without white space
	Output      string `json:"outputSchema,omitempty"`
	Server      string `json:"server"` // hash of the definition of the server

	// Own are the name and the description that the server gives, where the configuration
	// has others: the approval of one tool must not become that of another by a new name.
	Own string `json:"own,omitempty"`
}

// PinOf makes the pin of a tool. Only the hash of the identity of its server is kept, because
// it may contain secrets.
func PinOf(t toolscript.Tool, server Server) Pin {
	hash := sha256.Sum256([]byte(server.Identity))
	own := ""
	if o := t.Own(); o.Name != t.Name || o.Description != t.Description {
		own = o.Name + "\n" + o.Description
	}
	return Pin{
		Source: server.Source, Project: server.Project,
		Own:         own,
		Description: strings.TrimSpace(t.Title + "\n" + t.Description),
		Input:       compact(t.InputSchema), Output: compact(t.OutputSchema), Server: hex.EncodeToString(hash[:]),
	}
}

// compact is a schema without white space; a cache of tool lists may have removed it.
func compact(schema json.RawMessage) string {
	var text bytes.Buffer
	if json.Compact(&text, schema) != nil {
		return string(schema)
	}
	return text.String()
}

// Equal reports whether two pins are those of the same tool.
func (p Pin) Equal(other Pin) bool { return p.Difference(other) == "" }

// Difference describes how the tool has changed since p; "" if it has not.
func (p Pin) Difference(now Pin) string {
	var changes []string
	for _, place := range []struct{ name, was, is string }{
		{"configuration file", p.Source, now.Source}, {"project", p.Project, now.Project},
	} {
		if place.was != place.is {
			changes = append(changes, fmt.Sprintf("the %s: was %q, is %q", place.name, place.was, place.is))
		}
	}
	if p.Server != now.Server {
		changes = append(changes, "the definition of the server")
	}
	for _, part := range []struct{ name, was, is string }{
		{"description", p.Description, now.Description},
		{"input schema", p.Input, now.Input},
		{"output schema", p.Output, now.Output},
		{"name and description of the server", p.Own, now.Own},
	} {
		if part.was != part.is {
			was, is := apart(part.was, part.is)
			changes = append(changes, "the "+part.name+": was "+was+", is "+is)
		}
	}
	return strings.Join(changes, "; ")
}

const (
	around     = 40  // characters of the equal text before and after a difference
	shownStart = 200 // characters of the start of a long difference
	shownEnd   = 100 // and of its end
)

// apart returns the parts of two texts that differ, with a little of the equal text around
// them.
func apart(was, is string) (string, string) {
	a, b := []rune(was), []rune(is)
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	tail := 0
	for tail < len(a)-same && tail < len(b)-same && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	from, rest := max(0, same-around), max(0, tail-around)
	return quoted(a[from:len(a)-rest], from > 0, rest > 0), quoted(b[from:len(b)-rest], from > 0, rest > 0)
}

// quoted leaves out the middle of a long text, never its end.
func quoted(text []rune, begun, goesOn bool) string {
	shown := toolscript.Shown(string(text))
	if missing := len(text) - shownStart - shownEnd; missing > 0 {
		shown = fmt.Sprintf("%s …(%d characters)… %s", toolscript.Shown(string(text[:shownStart])), missing, toolscript.Shown(string(text[len(text)-shownEnd:])))
	}
	if begun {
		shown = "…" + shown
	}
	if goesOn {
		shown += "…"
	}
	quoted, _ := toolscript.PlainJSON(shown) // a string always encodes
	return string(quoted)
}
