package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// document is JSON text that may have comments and trailing commas, as editors allow.
type document struct {
	rawjson.Commented
	text []byte
	root *node // nil if the text has nothing but comments
}

// node is one value and its position in the text.
type node struct {
	from, to int
	kind     json.Delim // '{', '[' or 0
	members  []member   // members of an object
	items    []*node    // items of a list
	scalar   any
}

type member struct {
	key   string
	at    int // offset of the key
	value *node
}

// maxDepth is the maximum nesting depth.
const maxDepth = 500

// parse parses a text. The error contains no part of the text, which may have secrets.
func parse(text []byte) (*document, error) {
	d := &document{Commented: rawjson.WithoutComments(text), text: text}
	if len(bytes.TrimSpace(d.Plain)) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(d.Plain, new(json.RawMessage)); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			before := text[:min(max(int(syntax.Offset)-1, 0), len(text))]
			return nil, fmt.Errorf("line %d, column %d: this is not JSON",
				bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'))
		}
		return nil, errors.New("this is not JSON")
	}
	b := builder{code: d.Plain, tokens: json.NewDecoder(bytes.NewReader(d.Plain))}
	b.tokens.UseNumber()
	var err error
	d.root, err = b.value(0)
	return d, err
}

// builder builds nodes from the tokens of valid JSON.
type builder struct {
	code   []byte
	tokens *json.Decoder
}

func (b *builder) next() int {
	at := int(b.tokens.InputOffset())
	return at + len(b.code[at:]) - len(bytes.TrimLeft(b.code[at:], " \t\r\n,:"))
}

func (b *builder) value(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	n := &node{from: b.next()}
	token, err := b.tokens.Token()
	if err != nil {
		return nil, err
	}
	if delim, ok := token.(json.Delim); ok {
		n.kind = delim
		err = b.inner(n, depth)
	} else {
		n.scalar = token
	}
	n.to = int(b.tokens.InputOffset())
	return n, err
}

func (b *builder) inner(n *node, depth int) error {
	for b.tokens.More() {
		m := member{at: b.next()}
		if n.kind == '{' {
			token, err := b.tokens.Token()
			if err != nil {
				return err
			}
			m.key, _ = token.(string)
		}
		var err error
		if m.value, err = b.value(depth + 1); err != nil {
			return err
		}
		if n.kind == '{' {
			n.members = append(n.members, m)
		} else {
			n.items = append(n.items, m.value)
		}
	}
	_, err := b.tokens.Token()
	return err
}

// member returns the last member with a key, which is the one that counts.
func (n *node) member(key string) (member, bool) {
	if n == nil {
		return member{}, false
	}
	for _, m := range slices.Backward(n.members) {
		if m.key == key {
			return m, true
		}
	}
	return member{}, false
}

// at follows keys. It returns nil if a key is missing.
func (n *node) at(keys ...string) *node {
	for _, key := range keys {
		m, ok := n.member(key)
		if !ok {
			return nil
		}
		n = m.value
	}
	return n
}

// plain returns the value in the types of encoding/json.
func (n *node) plain() any {
	if n == nil {
		return nil
	}
	switch n.kind {
	case '{':
		fields := map[string]any{}
		for _, m := range n.members {
			fields[m.key] = m.value.plain()
		}
		return fields
	case '[':
		list := []any{}
		for _, item := range n.items {
			list = append(list, item.plain())
		}
		return list
	}
	return n.scalar
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
