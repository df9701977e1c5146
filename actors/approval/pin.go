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

// PinnedServer identifies the server of a tool in a pin.
type PinnedServer struct {
	Identity string // definition of the server, see upstream.Config.Identity
	Source   string // the configuration file that defines it
	Project  string // the folder in which it is called
}

// Pin identifies what a person has approved: a tool with its texts, and the definition of its
// server, in one configuration file and one project.
type Pin struct {
	Tool    string `json:"tool,omitempty"` // id of the tool, set in a Store
	Source  string `json:"configFile,omitempty"`
	Project string `json:"project,omitempty"`

	Description string `json:"description"`
	Input       string `json:"inputSchema,omitempty"` // without white space
	Output      string `json:"outputSchema,omitempty"`
	Server      string `json:"server"` // hash of the definition of the server

	// Own has the server's own name and description of the tool if the configuration overrides
	// them: a new name must not turn the approval of one tool into that of another.
	Own string `json:"own,omitempty"`
}

// PinOf returns the pin of a tool. It has only a hash of the server's identity, because the
// identity may contain secrets.
func PinOf(t toolscript.Tool, server PinnedServer) Pin {
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

// compact removes the white space of a schema, as a cache of tool lists may have done.
func compact(schema json.RawMessage) string {
	var text bytes.Buffer
	if json.Compact(&text, schema) != nil {
		return string(schema)
	}
	return text.String()
}

// Equal reports whether two pins identify the same, unchanged tool.
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
	shownEnd   = 100 // characters of its end
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
