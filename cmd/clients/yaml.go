package clients

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// parseYAML parses a text. The error contains no part of the text, which may have secrets.
func parseYAML(text []byte) (map[string]any, error) {
	fields := map[string]any{}
	if err := yaml.Unmarshal(rawjson.TrimMark(text), &fields); err != nil {
		return nil, errors.New("this is not YAML with an object at the top")
	}
	return fields, nil
}

// yamlText is YAML text with its parsed tree. It can be edited where objects have a line for each member.
type yamlText struct {
	lines []string // lines with their line breaks
	root  *yaml.Node
}

func readYAML(text []byte) (*yamlText, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(rawjson.TrimMark(text), &document); err != nil {
		return nil, errors.New("this is not YAML")
	}
	y := &yamlText{lines: slices.Collect(strings.Lines(string(text)))}
	if len(document.Content) > 0 {
		y.root = document.Content[0]
	}
	return y, nil
}

// yamlMember finds a key of an object. at is the index of the key in n.Content.
func yamlMember(n *yaml.Node, key string) (at int, ok bool) {
	if n == nil || n.Kind != yaml.MappingNode {
		return 0, false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i, true
		}
	}
	return 0, false
}

// block reports whether an object has a line for each member.
func block(n *yaml.Node) bool {
	return n != nil && n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// extent returns the lines of a member of an object: from its key to the next key, without
// the comment above that key. outer is the line behind the object.
func (y *yamlText) extent(n *yaml.Node, at, outer int) (from, to int) {
	from, to = n.Content[at].Line-1, outer
	if at+2 < len(n.Content) {
		next := n.Content[at+2]
		to = next.Line - 1
		if next.HeadComment != "" {
			to -= strings.Count(next.HeadComment, "\n") + 1
		}
	}
	for to > from+1 && strings.TrimSpace(y.lines[to-1]) == "" { // blank lines belong to the next member
		to--
	}
	return from, to
}

// entry returns the range of lines of a server, and its object.
func (y *yamlText) entry(keys []string) (from, to int, server *yaml.Node, ok bool) {
	n, to := y.root, len(y.lines)
	for _, key := range keys {
		at, found := yamlMember(n, key)
		if !found || !block(n) {
			return 0, 0, nil, false
		}
		from, to = y.extent(n, at, to)
		n = n.Content[at+1]
	}
	return from, to, n, true
}

// with returns the text with a range of lines replaced.
func (y *yamlText) with(from, to int, block string) []byte {
	newline := "\n"
	if len(y.lines) > 0 && strings.HasSuffix(y.lines[0], "\r\n") {
		newline = "\r\n"
	}
	before := strings.Join(y.lines[:from], "")
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += newline
	}
	return []byte(before + strings.ReplaceAll(block, "\n", newline) + strings.Join(y.lines[to:], ""))
}

// setYAML returns the text with a member set in a top-level object. It replaces a member of
// that name, or adds the member as the first one.
func setYAML(text []byte, lines string, keys ...string) ([]byte, error) {
	y, err := readYAML(text)
	if err != nil {
		return nil, err
	}
	var out []byte
	at, there := yamlMember(y.root, keys[0])
	switch from, to, _, found := y.entry(keys); {
	case found:
		out = y.with(from, to, indented(lines, y.root.Content[at+1].Content[0].Column-1))
	case y.root != nil && !block(y.root):
		return nil, errUnsafe
	case !there:
		out = y.with(len(y.lines), len(y.lines), keys[0]+":\n"+lines)
	case block(y.root.Content[at+1]):
		line := y.root.Content[at].Line
		out = y.with(line, line, indented(lines, y.root.Content[at+1].Content[0].Column-1))
	case len(y.root.Content[at+1].Content) == 0: // null or {}
		line := y.root.Content[at].Line
		out = y.with(line-1, line, keys[0]+":\n"+lines)
	default:
		return nil, errUnsafe
	}
	added, err := parseYAML([]byte(keys[0] + ":\n" + lines))
	if err != nil {
		return nil, err
	}
	return out, checkEdit(parseYAML, text, out, func(before map[string]any) { withValue(before, valueAt(added, keys), keys) })
}

// indented replaces the indentation of lines, which is two, by another one.
func indented(lines string, columns int) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString(strings.Repeat(" ", columns) + strings.TrimPrefix(line, "  "))
	}
	return b.String()
}

// removeYAML returns the text without a member. If the member has another value, that is an error.
func removeYAML(text []byte, lines string, keys ...string) ([]byte, error) {
	fields, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	added, err := parseYAML([]byte(keys[0] + ":\n" + lines))
	if err != nil {
		return nil, err
	}
	now := valueAt(fields, keys)
	if now == nil {
		return text, nil
	}
	y, err := readYAML(text)
	if err != nil {
		return nil, err
	}
	if len(object(valueAt(fields, keys[:1]))) == 1 { // the object would be empty
		keys = keys[:1]
	}
	from, to, _, ok := y.entry(keys)
	if !ok || !reflect.DeepEqual(now, valueAt(added, append(keys[:1:1], entryName))) {
		return nil, fmt.Errorf("%s has changed since", strings.Join(keys, "."))
	}
	out := y.with(from, to, "")
	return out, checkEdit(parseYAML, text, out, func(before map[string]any) { withoutValue(before, keys) })
}

// switchYAML returns the text with a boolean set in a member of a top-level object.
func switchYAML(text []byte, field string, value bool, keys ...string) ([]byte, error) {
	y, err := readYAML(text)
	if err != nil {
		return nil, err
	}
	_, _, server, ok := y.entry(keys)
	if !ok || !block(server) {
		return nil, errUnsafe
	}
	line := server.Content[0].Line - 1
	lines := fmt.Sprintf("%s%s: %t\n", strings.Repeat(" ", server.Content[0].Column-1), field, value)
	to := line
	if at, has := yamlMember(server, field); has {
		line, to = server.Content[at].Line-1, server.Content[at].Line
	}
	out := y.with(line, to, lines)
	return out, checkEdit(parseYAML, text, out, func(before map[string]any) { withValue(before, value, append(slices.Clone(keys), field)) })
}
