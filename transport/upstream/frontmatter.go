package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Frontmatter compares the head of a SKILL.md, which is YAML, with the frontmatter that the server
// has listed. The input is the listed frontmatter, as compact JSON, a newline, and the text of
// SKILL.md. The output is empty, or says what differs.
var Frontmatter = ConvertKind{Name: "frontmatter", Most: 4 << 10, Do: compareFrontmatter}

func compareFrontmatter(input []byte, _ ConvertNeed) ([][]byte, error) {
	listed, text, _ := bytes.Cut(input, []byte("\n"))
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(listed))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil {
		return nil, fmt.Errorf("the listed frontmatter cannot be read: %w", err)
	}
	head, wrong := yamlHead(string(text))
	if wrong != "" {
		return [][]byte{[]byte(wrong)}, nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if value, has := head[name]; !has || !sameValue(&value, fields[name], new(int)) {
			return [][]byte{fmt.Appendf(nil, "the field %.60q differs from the listed one", name)}, nil
		}
		delete(head, name)
	}
	for _, name := range slices.Sorted(maps.Keys(head)) {
		return [][]byte{fmt.Appendf(nil, "the field %.60q is not listed", name)}, nil
	}
	return nil, nil
}

// yamlHead returns the fields between the first line, which is ---, and the next such line; or what is
// wrong with them.
func yamlHead(text string) (head map[string]yaml.Node, wrong string) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	rest, begins := strings.CutPrefix(text, "---\n")
	lines, _, ends := strings.Cut("\n"+rest+"\n", "\n---\n")
	if !begins || !ends {
		return nil, "it does not begin with a frontmatter"
	}
	if yaml.Unmarshal([]byte(lines), &head) != nil {
		return nil, "its frontmatter is not YAML"
	}
	return head, ""
}

// maxCompared bounds the values that sameValue visits: aliases can repeat a value without end.
const maxCompared = 10_000

// sameValue reports whether a value of YAML is a value of JSON. visited counts the values.
func sameValue(n *yaml.Node, value any, visited *int) bool {
	if *visited++; *visited > maxCompared {
		return false
	}
	switch n.Kind {
	case yaml.AliasNode:
		return sameValue(n.Alias, value, visited)
	case yaml.SequenceNode:
		items, is := value.([]any)
		if !is || len(items) != len(n.Content) {
			return false
		}
		for i, item := range items {
			if !sameValue(n.Content[i], item, visited) {
				return false
			}
		}
		return true
	case yaml.MappingNode:
		fields, is := value.(map[string]any)
		if !is || 2*len(fields) != len(n.Content) {
			return false
		}
		for i := 0; i < len(n.Content); i += 2 {
			field, has := fields[n.Content[i].Value]
			if !has || !sameValue(n.Content[i+1], field, visited) {
				return false
			}
		}
		return true
	case yaml.ScalarNode:
		return sameScalar(n, value)
	default:
		return false
	}
}

// dateLength is the length of a date such as 2026-07-28. Servers write dates of YAML in several forms.
const dateLength = 10

func sameScalar(n *yaml.Node, value any) bool {
	switch v := value.(type) {
	case nil:
		return n.Tag == "!!null"
	case string:
		return v == n.Value || n.Tag == "!!timestamp" && len(n.Value) >= dateLength && strings.HasPrefix(v, n.Value[:dateLength])
	case bool:
		is, err := strconv.ParseBool(strings.ToLower(n.Value))
		return n.Tag == "!!bool" && err == nil && is == v
	case json.Number:
		a, err := v.Float64()
		b, wrong := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		return v.String() == n.Value || err == nil && wrong == nil && a == b
	default:
		return false
	}
}
