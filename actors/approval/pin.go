package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/toolscript/toolscript"
)

// Pin identifies what a person has approved: a tool with its texts, and the program or
// address of its server.
type Pin struct {
	Description string `json:"description"`
	Input       string `json:"inputSchema,omitempty"` // without white space
	Output      string `json:"outputSchema,omitempty"`
	Server      string `json:"server"` // hash of the command or URL of the server

	// Own are the name and the description that the server gives, where the configuration
	// has others: the approval of one tool must not become that of another by a new name.
	Own string `json:"own,omitempty"`
}

// PinOf makes the pin of a tool. server is the identity of its server; only its hash is
// kept, because a command may contain secrets.
func PinOf(t toolscript.Tool, server string) Pin {
	hash := sha256.Sum256([]byte(server))
	own := ""
	if o := t.Own(); o.Name != t.Name || o.Description != t.Description {
		own = o.Name + "\n" + o.Description
	}
	return Pin{
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
	if p.Server != now.Server {
		changes = append(changes, "the command or URL of the server")
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
	before   = 40  // characters of the equal text before a difference
	maxShown = 300 // characters of a text in a difference
)

// apart returns the parts of two texts from shortly before their first difference.
func apart(was, is string) (string, string) {
	a, b := []rune(was), []rune(is)
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	from := max(0, same-before)
	return quoted(a[from:], from), quoted(b[from:], from)
}

func quoted(text []rune, from int) string {
	start, end := "", ""
	if from > 0 {
		start = "…"
	}
	if len(text) > maxShown {
		text, end = text[:maxShown], "…"
	}
	quoted, _ := json.Marshal(start + string(text) + end) // a string always encodes
	return string(quoted)
}
