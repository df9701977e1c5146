package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// ordered is an object that keeps the order of its members.
type ordered []pair

type pair struct {
	key   string
	value any
}

var errUnsafe = errors.New("the file cannot be edited without changing other parts of it")

// set returns the text with a value at the keys. It adds missing objects on the way. The
// rest of the text stays the same, byte for byte.
func set(text []byte, value any, keys ...string) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	out, err := d.set(value, keys)
	if err != nil {
		return nil, err
	}
	want := plainValue(value)
	if !same(text, out, func(before any) any { return withValue(before, want, keys) }) {
		return nil, errUnsafe
	}
	return out, nil
}

func (d *document) set(value any, keys []string) ([]byte, error) {
	s := d.style()
	if d.root == nil {
		text := d.text
		if len(bytes.TrimSpace(text)) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(bytes.Clone(text), s.newline...)
		}
		return append(bytes.Clone(text), s.render(nested(value, keys), "")+s.newline...), nil
	}
	n := d.root
	for i, key := range keys {
		if n.kind != '{' {
			return nil, fmt.Errorf("%s is not an object", strings.Join(append([]string{"the top"}, keys[:i]...), "."))
		}
		m, ok := n.member(key)
		if !ok {
			return d.insert(n, s, key, nested(value, keys[i+1:])), nil
		}
		n = m.value
	}
	return splice(d.text, edit{n.from, n.to, s.render(value, d.indentAt(n.from))}), nil
}

// nested wraps the value in one object for each key.
func nested(value any, keys []string) any {
	for i := len(keys) - 1; i >= 0; i-- {
		value = ordered{{keys[i], value}}
	}
	return value
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	text     string
}

// splice applies edits, which are in order and do not overlap.
func splice(text []byte, edits ...edit) []byte {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...)
}

// insert adds a member after the last one of an object.
func (d *document) insert(n *node, s style, key string, value any) []byte {
	outer := d.indentAt(n.from)
	if len(n.members) == 0 {
		inner := outer + s.unit
		end := n.from + 1 + len(bytes.TrimRight(d.text[n.from+1:n.to-1], " \t\r\n"))
		text := s.newline + inner + quoted(key) + ": " + s.render(value, inner) + s.newline + outer
		return splice(d.text, edit{end, n.to - 1, text})
	}
	last := n.members[len(n.members)-1]
	if bytes.IndexByte(d.text[n.from:last.at], '\n') < 0 { // the object is on one line
		end := last.value.to
		return splice(d.text, edit{end, end, ", " + quoted(key) + ": " + s.render(value, outer)})
	}
	inner := d.indentAt(last.at)
	text := s.newline + inner + quoted(key) + ": " + s.render(value, inner)
	end, comma := d.endOfLine(last.value.to, n.to-1)
	if comma {
		return splice(d.text, edit{end, end, text + ","})
	}
	return splice(d.text, edit{last.value.to, last.value.to, ","}, edit{end, end, text})
}

// endOfLine returns the offset behind a last member, its comma, and the comments that
// follow on the same line. comma reports whether there is a comma.
func (d *document) endOfLine(at, limit int) (end int, comma bool) {
	end = at
	for at < limit {
		c := d.text[at]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			at++
		case c == ',':
			at++
			end, comma = at, true
		case c == '/' && rawjson.EndOfComment(d.text, at) > 0:
			at = rawjson.EndOfComment(d.text, at)
			end = at
			if d.text[end-1] == '\r' {
				end--
			}
		case c == '\n' && !comma && d.commaFollows(at, limit):
			at++
		default:
			return end, comma
		}
	}
	return end, comma
}

// commaFollows reports whether a comma follows on a later line, behind comments.
func (d *document) commaFollows(at, limit int) bool {
	for at < limit {
		switch c := d.text[at]; {
		case c == ',':
			return true
		case c == '/' && rawjson.EndOfComment(d.text, at) > 0:
			at = rawjson.EndOfComment(d.text, at)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
		default:
			return false
		}
	}
	return false
}

// remove returns the text without a member. If the member has another value, that is an error.
func remove(text []byte, value any, keys ...string) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	parent := d.root.at(keys[:len(keys)-1]...)
	m, ok := parent.member(keys[len(keys)-1])
	if !ok {
		return text, nil
	}
	if !reflect.DeepEqual(m.value.plain(), plainValue(value)) {
		return nil, fmt.Errorf("%s has changed since", strings.Join(keys, "."))
	}
	out := d.cut(parent, m)
	if !same(text, out, func(before any) any { return withoutValue(before, keys) }) {
		return nil, errUnsafe
	}
	return out, nil
}

// cut removes a member with its line and one comma.
func (d *document) cut(parent *node, m member) []byte {
	from := len(bytes.TrimRight(d.text[:m.at], " \t"))
	if from > 0 && d.text[from-1] == '\n' {
		from--
		if from > 0 && d.text[from-1] == '\r' {
			from--
		}
	} else {
		from = m.at
	}
	to := m.value.to
	if comma := d.commaAfter(to); comma > 0 {
		return splice(d.text, edit{from, to, ""}, edit{comma, comma + 1, ""})
	}
	var before *node
	for _, other := range parent.members {
		if other.value.to <= m.at {
			before = other.value
		}
	}
	if before == nil {
		return splice(d.text, edit{from, to, ""})
	}
	comma := before.to + bytes.IndexByte(d.Plain[before.to:], ',')
	start := max(from, comma+1)
	if len(bytes.Trim(d.text[comma+1:start], " \t")) == 0 { // it is on the line of the member before
		start = comma + 1
	}
	return splice(d.text, edit{comma, comma + 1, ""}, edit{start, to, ""})
}

// commaAfter returns the offset of the comma that follows a value, or 0 if there is none.
func (d *document) commaAfter(at int) int {
	next := len(d.Plain) - len(bytes.TrimLeft(d.Plain[at:], " \t\r\n"))
	for _, comma := range d.Commas {
		if comma >= at && comma < next {
			return comma
		}
	}
	if next < len(d.Plain) && d.Plain[next] == ',' {
		return next
	}
	return 0
}

// style is the formatting of a file: the unit of indentation and the line break.
type style struct{ unit, newline string }

func (d *document) style() style {
	s := style{"  ", "\n"}
	if bytes.Contains(d.text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if d.root != nil && len(d.root.members) > 0 && bytes.IndexByte(d.text[d.root.from:d.root.members[0].at], '\n') >= 0 {
		if unit := d.indentAt(d.root.members[0].at); unit != "" {
			s.unit = unit
		}
	}
	return s
}

// indentAt returns the white space at the start of the line of an offset.
func (d *document) indentAt(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// render returns a value as JSON. Objects have a line for each member; lists are on one line.
func (s style) render(value any, indent string) string {
	switch v := value.(type) {
	case ordered:
		return s.object(len(v), indent, func(i int) (string, any) { return v[i].key, v[i].value })
	case map[string]any:
		keys := sortedKeys(v)
		return s.object(len(v), indent, func(i int) (string, any) { return keys[i], v[keys[i]] })
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = s.render(item, indent)
		}
		return "[" + strings.Join(items, ", ") + "]"
	default:
		return quoted(v)
	}
}

func (s style) object(size int, indent string, at func(int) (string, any)) string {
	if size == 0 {
		return "{}"
	}
	var b strings.Builder
	b.WriteByte('{')
	for i := range size {
		key, value := at(i)
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(s.newline + indent + s.unit + quoted(key) + ": " + s.render(value, indent+s.unit))
	}
	b.WriteString(s.newline + indent + "}")
	return b.String()
}

// quoted returns a scalar as JSON.
func quoted(value any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // texts, numbers, booleans and null always encode
	return strings.TrimSuffix(b.String(), "\n")
}

// plainValue returns a value in the form in which parsing its JSON returns it.
func plainValue(value any) any {
	d, err := parse([]byte(style{"", ""}.render(value, "")))
	if err != nil {
		return nil
	}
	return d.root.plain()
}

// same reports whether the new text has the content of the old one after a change.
func same(before, after []byte, change func(any) any) bool {
	old, err := parse(before)
	if err != nil {
		return false
	}
	edited, err := parse(after)
	if err != nil {
		return false
	}
	return reflect.DeepEqual(edited.root.plain(), change(old.root.plain()))
}

func withValue(before, value any, keys []string) any {
	if len(keys) == 0 {
		return value
	}
	fields := object(before)
	if fields == nil {
		fields = map[string]any{}
	}
	fields[keys[0]] = withValue(fields[keys[0]], value, keys[1:])
	return fields
}

func withoutValue(before any, keys []string) any {
	fields := object(before)
	if len(keys) == 1 {
		delete(fields, keys[0])
	} else if inner, ok := fields[keys[0]]; ok {
		fields[keys[0]] = withoutValue(inner, keys[1:])
	}
	return before
}
