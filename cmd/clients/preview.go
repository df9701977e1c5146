package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Change is the planned change of one file.
type Change struct {
	File    File
	before  []byte // nil if the file does not exist
	after   []byte
	members []added
}

// added is a member that a change adds or removes, with the data to undo that.
type added struct {
	Keys  []string `json:"keys"`
	Value any      `json:"value"`           // new value in a JSON file
	Table string   `json:"table,omitempty"` // new text in a TOML or YAML file
	Was   bool     `json:"was,omitempty"`   // the change replaces or removes another value
	Gone  bool     `json:"gone,omitempty"`  // the change removes the value

	Before json.RawMessage `json:"before,omitempty"` // the other value, in a JSON file
}

// Diff shows the change line by line, without secrets.
func (c *Change) Diff() string {
	if c.File.format != "" { // lines of YAML are masked like lines of TOML
		return changedLines(config.LineDiff(maskTOML(c.before), maskTOML(c.after)))
	}
	return config.LineDiff(maskJSON(c.before), maskJSON(c.after))
}

// New reports whether the file does not exist yet.
func (c *Change) New() bool { return c.before == nil }

// maskJSON returns a text with all of its secrets hidden.
func maskJSON(text []byte) string {
	d, err := parse(text)
	if err != nil {
		return ""
	}
	var out []byte
	if d.root == nil {
		out = maskComments(text)
	} else {
		d.root.mask("")
		out = d.packed()
	}
	return strings.TrimSuffix(strings.ReplaceAll(string(out), "\r\n", "\n"), "\n")
}

// maskComments hides the secrets in the comments of a text between tokens.
func maskComments(text hujson.Extra) hujson.Extra {
	out := text[:0:0] // not nil if text is not
	for at := 0; at < len(text); {
		if end := rawjson.EndOfComment(text, at); end > 0 {
			out = append(out, upstream.Redact(string(text[at:end]))...)
			at = end
		} else {
			out = append(out, text[at])
			at++
		}
	}
	return out
}

// mask hides the secrets in a value. name is its key.
func (n *node) mask(name string) {
	n.BeforeExtra, n.AfterExtra = maskComments(n.BeforeExtra), maskComments(n.AfterExtra)
	switch v := n.Value.(type) {
	case hujson.Literal:
		kind, text := v.Kind(), v.String()
		if shown := masked(name, text); shown != text && (kind == '"' || kind == '0') { // a number may be the value of a variable
			n.Value = hujson.Literal(quoted(shown))
		}
	case *hujson.Object:
		v.AfterExtra = maskComments(v.AfterExtra)
		for i := range v.Members {
			m := &v.Members[i]
			key := keyOf(*m)
			m.Name.BeforeExtra, m.Name.AfterExtra = maskComments(m.Name.BeforeExtra), maskComments(m.Name.AfterExtra)
			if looksSecret(key) {
				m.Name.Value = hujson.Literal(quoted(hidden))
			}
			(*node)(&m.Value).mask(key)
		}
	case *hujson.Array:
		v.AfterExtra = maskComments(v.AfterExtra)
		before := ""
		for i := range v.Elements {
			item := (*node)(&v.Elements[i])
			flag := flagBefore(item.plain())
			item.mask(cmp.Or(before, listName(name)))
			before = flag
		}
	}
}

// listName returns the name that the items of a list take from it: the items of a list of
// keys are keys, but the arguments of a program are not secrets by name.
func listName(name string) string {
	if name == "args" {
		return ""
	}
	return name
}

// maskTOML returns the text without secrets in quotes. changedLines removes texts of
// several lines from the preview.
func maskTOML(text []byte) string {
	var out strings.Builder
	for line := range bytes.Lines(text) {
		text := strings.TrimRight(string(line), "\r\n")
		rest := strings.TrimLeft(text, " \t") // Redact removes the indentation
		out.WriteString(text[:len(text)-len(rest)] + upstream.Redact(rest) + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// changedLines removes the unchanged lines of a diff: in TOML, they may begin in the middle
// of a text of several lines.
func changedLines(diff string) string {
	var out strings.Builder
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, " ") {
			out.WriteString(line)
		}
	}
	return out.String()
}
