package codegen

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// Limits of a schema. The generator runs in the gateway, so a schema without limits could
// block the gateway for all clients.
const (
	maxSchemaBytes = 1 << 20
	maxNesting     = 512 // levels of the JSON text; deeper values are cut
)

// decode decodes a schema and keeps the order of its members.
func decode(data []byte) (*document, error) {
	if len(data) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes; types are made of schemas up to %d", len(data), maxSchemaBytes)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("the schema is empty")
	}
	scanner, err := rawjson.NewScanner(data)
	if err != nil {
		return nil, err
	}
	d := decoder{Scanner: scanner}
	root := d.value(0)
	return newDocument(root, d.identities), nil
}

// decoder creates values. Their number is not known in advance, so they are allocated
// in chunks. The members and items of unfinished values are on stacks.
type decoder struct {
	rawjson.Scanner
	chunk   []value
	items   []*value
	members []member

	identities bool // a part of the schema may have its own $id
}

// chunkSize is the number of values in one allocation; a schema of 1.5 KB has 75 values.
const chunkSize = 16

// make returns a value from a chunk.
func (d *decoder) make(k kind, text string) *value {
	if len(d.chunk) == 0 {
		d.chunk = make([]value, chunkSize)
	}
	v := &d.chunk[0]
	d.chunk = d.chunk[1:]
	v.kind, v.text = k, text
	return v
}

func (d *decoder) value(depth int) *value {
	switch d.Next() {
	case '{', '[':
		if depth == maxNesting {
			d.Skip()
			return d.make(cut, "")
		}
		if d.Next() == '{' {
			return d.object(depth)
		}
		return d.array(depth)
	case '"':
		return d.make(text, d.String())
	case 't', 'f':
		return d.make(boolean, d.Word())
	case 'n':
		return d.make(null, d.Word())
	default:
		return d.make(number, d.Word())
	}
}

func (d *decoder) array(depth int) *value {
	v, start := d.make(array, ""), len(d.items)
	for d.Bracket(); d.Next() != ']'; {
		d.items = append(d.items, d.value(depth+1))
	}
	d.Bracket()
	v.items = slices.Clone(d.items[start:])
	d.items = d.items[:start]
	return v
}

func (d *decoder) object(depth int) *value {
	v, start := d.make(object, ""), len(d.members)
	for d.Bracket(); d.Next() != '}'; {
		key := d.String()
		d.identities = d.identities || identity(key)
		d.members = append(d.members, member{key, d.value(depth + 1)})
	}
	d.Bracket()
	v.members = make([]member, 0, len(d.members)-start)
	for _, m := range d.members[start:] {
		v.set(m.key, m.value)
	}
	d.members = d.members[:start]
	return v
}
