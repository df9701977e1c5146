package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

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
		text := append(bytes.Clone(d.mark), d.text...)
		if len(bytes.TrimSpace(d.text)) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, s.newline...)
		}
		return append(text, s.render(nested(value, keys), "")+s.newline...), nil
	}
	n := d.root
	for i, key := range keys {
		o := n.object()
		if o == nil {
			return nil, fmt.Errorf("%s is not an object", strings.Join(append([]string{"the top"}, keys[:i]...), "."))
		}
		at := find(o, key)
		if at < 0 {
			d.insert(n, s, key, nested(value, keys[i+1:]))
			return d.packed(), nil
		}
		n = (*node)(&o.Members[at].Value)
	}
	if list, is := n.Value.(*hujson.Array); !is || !shorten(list, plainValue(value)) {
		n.Value = hujson.Literal(s.render(value, d.indentAt(n.StartOffset)))
	}
	return d.packed(), nil
}

// shorten removes items from a list, whose comments stay. It returns false if value is not a list of some of
// its items in their order.
func shorten(list *hujson.Array, value any) bool {
	wanted, _ := value.([]any)
	var gone []int
	for at, item := range list.Elements {
		if next := at - len(gone); next < len(wanted) && reflect.DeepEqual((*node)(&item).plain(), wanted[next]) {
			continue
		}
		gone = append(gone, at)
	}
	if len(wanted) == 0 || len(list.Elements)-len(gone) != len(wanted) {
		return false
	}
	for _, at := range slices.Backward(gone) {
		var around []extras
		for i := range list.Elements {
			around = append(around, extras{&list.Elements[i].BeforeExtra, &list.Elements[i].AfterExtra})
		}
		cutText(around, &list.AfterExtra, at)
		list.Elements = slices.Delete(list.Elements, at, at+1)
	}
	return true
}

// nested wraps the value in one object for each key.
func nested(value any, keys []string) any {
	for i := len(keys) - 1; i >= 0; i-- {
		value = ordered{{keys[i], value}}
	}
	return value
}

// insert adds a member after the last one of an object.
func (d *document) insert(n *node, s style, key string, value any) {
	o, indent := n.object(), d.indentAt(n.StartOffset)
	var before hujson.Extra // text before the new member
	trailing := hujson.Extra(nil)
	switch size := len(o.Members); {
	case size == 0:
		before = slices.Concat(bytes.TrimRight(o.AfterExtra, space), hujson.Extra(s.newline+indent+s.unit))
		o.AfterExtra = hujson.Extra(s.newline + indent)
		indent += s.unit
	case bytes.IndexByte(d.text[n.StartOffset:o.Members[size-1].Name.StartOffset], '\n') < 0: // the object is on one line
		before = hujson.Extra(" ")
		trailing = o.Members[size-1].Value.AfterExtra
	default:
		indent = d.indentAt(o.Members[size-1].Name.StartOffset)
		end := endOfLine(o.AfterExtra)
		before = slices.Concat(o.AfterExtra[:end], hujson.Extra(s.newline+indent))
		o.AfterExtra = o.AfterExtra[end:]
		trailing = o.Members[size-1].Value.AfterExtra
	}
	if trailing != nil {
		trailing = hujson.Extra{} // the last member has a comma
	}
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: before, Value: hujson.Literal(quoted(key))},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: hujson.Literal(s.render(value, indent)), AfterExtra: trailing},
	})
}

// space has the characters that JSON allows between tokens.
const space = " \t\r\n"

// endOfLine returns the offset behind the comments that begin on the first line of a text between tokens.
func endOfLine(text []byte) (end int) {
	for at := 0; at < len(text); {
		switch next := rawjson.EndOfComment(text, at); {
		case next > 0:
			at = next
			end = len(bytes.TrimSuffix(text[:at], []byte("\r")))
		case text[at] == '\n':
			return end
		default:
			at++
		}
	}
	return end
}

// remove returns the text without a member. If the member has another value, that is an error.
func remove(text []byte, value any, keys ...string) ([]byte, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}
	parent := d.root.at(keys[:len(keys)-1]...).object()
	at := find(parent, keys[len(keys)-1])
	if at < 0 {
		return text, nil
	}
	if !reflect.DeepEqual((*node)(&parent.Members[at].Value).plain(), plainValue(value)) {
		return nil, fmt.Errorf("%s has changed since", strings.Join(keys, "."))
	}
	cut(parent, at)
	out := d.packed()
	if !same(text, out, func(before any) any { return withoutValue(before, keys) }) {
		return nil, errUnsafe
	}
	return out, nil
}

// cut removes a member with its line and one comma. Comments around it stay.
func cut(o *hujson.Object, at int) {
	var around []extras
	for i := range o.Members {
		around = append(around, extras{&o.Members[i].Name.BeforeExtra, &o.Members[i].Value.AfterExtra})
	}
	cutText(around, &o.AfterExtra, at)
	o.Members = slices.Delete(o.Members, at, at+1)
}

// extras are the texts before and after a member or an item. after is nil if no comma follows.
type extras struct{ before, after *hujson.Extra }

// cutText moves the text around the part at to its neighbours, or to end after the last part.
func cutText(parts []extras, end *hujson.Extra, at int) {
	before := *parts[at].before
	whole := before
	if line := bytes.TrimRight(before, " \t"); bytes.HasSuffix(line, []byte("\n")) {
		before = bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
	}
	tail := *parts[at].after
	switch {
	case at+1 < len(parts):
		end = parts[at+1].before
		if len(bytes.Trim(before, " \t")) == 0 && bytes.IndexByte(*end, '\n') < 0 { // they are on one line
			*end = bytes.TrimLeft(*end, " \t")
		}
	case at > 0:
		if len(bytes.Trim(before, " \t")) == 0 {
			before = nil // it is on the line of the part before
		}
		last := parts[at-1].after
		if tail == nil { // no comma follows
			before, whole, *last = slices.Concat(*last, before), slices.Concat(*last, whole), nil
		} else if *last == nil {
			*last = hujson.Extra{}
		}
	}
	after := slices.Concat(tail, *end)
	if *end = slices.Concat(before, after); !end.IsValid() { // the line break is the end of a comment
		*end = slices.Concat(whole, after)
	}
}

// style is the formatting of a file: the unit of indentation and the line break.
type style struct{ unit, newline string }

func (d *document) style() style {
	s := style{"  ", "\n"}
	if bytes.Contains(d.text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if o := d.root.object(); o != nil && len(o.Members) > 0 && bytes.IndexByte(o.Members[0].Name.BeforeExtra, '\n') >= 0 {
		if unit := d.indentAt(o.Members[0].Name.StartOffset); unit != "" {
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
