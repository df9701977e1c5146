package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/jsonc"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Change is one file that would be written.
type Change struct {
	File    File
	before  []byte // nil if there is no file
	after   []byte
	members []added
}

// added is a member that a change adds or removes, so that this can be taken back.
type added struct {
	Keys  []string `json:"keys"`
	Value any      `json:"value"`           // of JSON
	Table string   `json:"table,omitempty"` // of TOML and YAML
	Was   bool     `json:"was,omitempty"`   // it replaces another value
	Gone  bool     `json:"gone,omitempty"`  // the other value is removed instead

	Before json.RawMessage `json:"before,omitempty"` // the other value, of JSON
}

// Diff shows the change line by line, without secrets.
func (c *Change) Diff() string {
	if c.File.format != "" { // a line of YAML is masked as one of TOML
		return changedLines(config.LineDiff(maskTOML(c.before), maskTOML(c.after)))
	}
	return config.LineDiff(maskJSON(c.before), maskJSON(c.after))
}

// New reports whether the file does not exist yet.
func (c *Change) New() bool { return c.before == nil }

// maskJSON is a text with its secrets hidden, wherever they are.
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

// masker collects the places of secrets.
type masker struct {
	*document
	edits []edit
}

func (m *masker) replace(from, to int, text string) {
	if string(m.text[from:to]) != text {
		m.edits = append(m.edits, edit{from, to, text})
	}
}

// value masks a value that has a name.
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
			m.replace(inner.at, jsonc.EndOfString(m.Plain, inner.at), quoted(hidden))
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

// listName is the name that the items of a list take over: the keys that a client
// has approved are a list, the arguments of a program are not secrets.
func listName(name string) string {
	if name == "args" {
		return ""
	}
	return name
}

// maskTOML is the text without secrets in quotes. A text of several lines is cut off
// the preview by changedLines.
func maskTOML(text []byte) string {
	var out strings.Builder
	for line := range bytes.Lines(text) {
		text := strings.TrimRight(string(line), "\r\n")
		rest := strings.TrimLeft(text, " \t") // Redact removes the indentation
		out.WriteString(text[:len(text)-len(rest)] + mcpclient.Redact(rest) + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// changedLines leaves out the lines that do not change: of TOML, their context may
// begin in the middle of a text of several lines.
func changedLines(diff string) string {
	var out strings.Builder
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, " ") {
			out.WriteString(line)
		}
	}
	return out.String()
}
