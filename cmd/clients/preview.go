package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Change is the planned change of one file.
type Change struct {
	File    File
	before  []byte // nil if the file does not exist
	after   []byte
	members []added
}

// added is a member that a change adds or removes, with what is needed to take that back.
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
	m := masker{document: d}
	m.value("", d.root)
	for _, at := range d.Comments {
		m.replace(at[0], at[1], mcpclient.Redact(string(text[at[0]:at[1]])))
	}
	out := string(text)
	if len(m.edits) > 0 {
		slices.SortFunc(m.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
		out = string(splice(text, m.edits...))
	}
	return strings.TrimSuffix(strings.ReplaceAll(out, "\r\n", "\n"), "\n")
}

// masker collects the edits that hide secrets.
type masker struct {
	*document
	edits []edit
}

func (m *masker) replace(from, to int, text string) {
	if string(m.text[from:to]) != text {
		m.edits = append(m.edits, edit{from, to, text})
	}
}

// value hides the secrets in a value. name is its key.
func (m *masker) value(name string, n *node) {
	if n == nil {
		return
	}
	switch n.scalar.(type) {
	case string, json.Number: // a number may be the value of a variable
		text := fmt.Sprint(n.scalar)
		if shown := masked(name, text); shown != text {
			m.replace(n.from, n.to, quoted(shown))
		}
	}
	for _, inner := range n.members {
		if looksSecret(inner.key) {
			m.replace(inner.at, rawjson.EndOfString(m.Plain, inner.at), quoted(hidden))
		}
		m.value(inner.key, inner.value)
	}
	before := ""
	for _, item := range n.items {
		if before == "" {
			before = listName(name)
		}
		m.value(before, item)
		before = flagBefore(item.scalar)
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
		out.WriteString(text[:len(text)-len(rest)] + mcpclient.Redact(rest) + "\n")
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
