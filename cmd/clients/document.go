package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/internal/texts"
)

// document is JSON text that may have comments and trailing commas, as editors allow.
type document struct {
	text []byte // without the byte order mark
	mark []byte // byte order mark
	root *node  // nil if the text has nothing but comments
}

// node is one value. Its methods may be called on nil.
type node hujson.Value

// parse parses a text. The error contains no part of the text, which may have secrets.
func parse(text []byte) (*document, error) {
	d := &document{text: rawjson.TrimMark(text)}
	d.mark = text[:len(text)-len(d.text)]
	if texts.IsUTF16(text) {
		return nil, fmt.Errorf("it is %w", texts.CheckUTF8(text))
	}
	root, err := rawjson.ParseCommented(d.text)
	if syntax, is := errors.AsType[*rawjson.SyntaxError](err); is {
		before := d.text[:min(syntax.Offset, max(len(d.text)-1, 0))]
		return nil, fmt.Errorf("line %d, column %d: this is not JSON",
			bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'))
	}
	if root.Value != nil {
		d.root = (*node)(&root)
	}
	return d, nil
}

// packed returns the text of the document after changes of its nodes.
func (d *document) packed() []byte {
	return append(bytes.Clone(d.mark), (*hujson.Value)(d.root).Pack()...)
}

// object returns the object that the value is, or nil.
func (n *node) object() *hujson.Object {
	if n == nil {
		return nil
	}
	o, _ := n.Value.(*hujson.Object)
	return o
}

// keyOf returns the key of a member.
func keyOf(m hujson.ObjectMember) string {
	key, _ := m.Name.Value.(hujson.Literal)
	return key.String()
}

// find returns the index of the member with a key, or -1. If the key occurs more than once, the last member counts.
func find(o *hujson.Object, key string) int {
	if o == nil {
		return -1
	}
	for i, m := range slices.Backward(o.Members) {
		if keyOf(m) == key {
			return i
		}
	}
	return -1
}

// at follows keys. It returns nil if a key is missing.
func (n *node) at(keys ...string) *node {
	for _, key := range keys {
		o := n.object()
		i := find(o, key)
		if i < 0 {
			return nil
		}
		n = (*node)(&o.Members[i].Value)
	}
	return n
}

// items returns the items of a list.
func (n *node) items() []hujson.Value {
	if n == nil {
		return nil
	}
	if list, is := n.Value.(*hujson.Array); is {
		return list.Elements
	}
	return nil
}

// compact returns the value as JSON without comments.
func (n *node) compact() []byte {
	v := hujson.Value(*n).Clone()
	v.Minimize()
	return v.Pack()
}

// plain returns the value in the types of encoding/json.
func (n *node) plain() (value any) {
	if n == nil {
		return nil
	}
	from := json.NewDecoder(bytes.NewReader(n.compact()))
	from.UseNumber()
	_ = from.Decode(&value) // it is valid
	return value
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
