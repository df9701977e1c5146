package codegen

import (
	"slices"
	"strings"
)

// op says what a type expression is made of.
type op uint8

const (
	opWord op = iota // a keyword or a literal
	opRef            // the name of another declaration
	opUnion
	opIntersection
	opArray
	opTuple
	opObject
)

// typ is a type expression. It is built once and not changed after its
// converter has finished.
type typ struct {
	op    op
	word  string     // of opWord
	ref   *alias     // of opRef
	parts []*typ     // of unions and intersections; the element of an array; the positions of a tuple
	least int        // of tuples: how many positions must be there
	rest  *typ       // of tuples: what may follow, nil for nothing; of objects: the index signature
	props []property // of opObject
	bulk  int        // about how many bytes it prints
}

// property is one member of an object type.
type property struct {
	key      string
	optional bool
	typ      *typ
	schema   *value // where its documentation is
}

// alias is a named declaration beside the type that a converter makes.
type alias struct {
	name   string
	typ    *typ
	schema *value
	at     *path

	recursive bool  // of a root: its own schema refers to it
	state     visit // see finish
	width     int
}

var (
	unknown   = word("unknown")
	never     = word("never")
	undefined = word("undefined")
	noMembers = word("Record<string, never>")
)

func word(w string) *typ { return &typ{op: opWord, word: w, bulk: len(w)} }

func arrayOf(element *typ) *typ {
	return &typ{op: opArray, parts: []*typ{element}, bulk: element.bulk + 2}
}

// openObject accepts every object.
func openObject() *typ { return objectOf(nil, unknown) }

func objectOf(props []property, index *typ) *typ {
	t := &typ{op: opObject, props: props, rest: index, bulk: 4}
	for _, p := range props {
		t.bulk += len(p.key) + p.typ.bulk + 4
	}
	if index != nil {
		t.bulk += index.bulk + 16
	}
	return t
}

// union is the type of what is at least one of parts.
func union(parts ...*typ) *typ {
	if len(parts) == 1 {
		return parts[0]
	}
	flat := flatten(opUnion, parts)
	kept := flat[:0]
	for _, t := range flat {
		switch t {
		case unknown:
			return unknown
		case never:
			continue
		}
		kept = append(kept, t)
	}
	return combine(opUnion, distinct(kept), never)
}

// intersection is the type of what is all of parts.
func intersection(parts ...*typ) *typ {
	if len(parts) == 1 {
		return parts[0]
	}
	flat := flatten(opIntersection, parts)
	kept := flat[:0]
	for _, t := range flat {
		switch t {
		case never:
			return never
		case unknown:
			continue
		}
		kept = append(kept, t)
	}
	return combine(opIntersection, distinct(kept), unknown)
}

// combine is parts under one operator; empty is what no parts mean.
func combine(o op, parts []*typ, empty *typ) *typ {
	switch len(parts) {
	case 0:
		return empty
	case 1:
		return parts[0]
	}
	t := &typ{op: o, parts: parts}
	for _, p := range parts {
		t.bulk += p.bulk + 3
	}
	return t
}

// flatten copies parts and puts the parts of those with the same operator in
// their place.
func flatten(o op, parts []*typ) []*typ {
	flat := make([]*typ, 0, len(parts))
	for _, t := range parts {
		if t.op == o {
			flat = append(flat, t.parts...)
		} else {
			flat = append(flat, t)
		}
	}
	return flat
}

// short is the size up to which two types are compared by their text. Above it
// they count as different: comparing large ones at every level of a schema
// would be quadratic.
const short = 256

// distinct drops the parts that are there already.
func distinct(parts []*typ) []*typ {
	if len(parts) < 2 {
		return parts
	}
	seen := make(map[string]bool, len(parts))
	kept := parts[:0]
	for _, t := range parts {
		if t.bulk <= short {
			key := t.word
			if t.op != opWord {
				key = t.String()
			}
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		kept = append(kept, t)
	}
	return kept
}

// acceptsEmpty reports whether {} is of type t, so that it may be left out.
func (t *typ) acceptsEmpty() bool {
	switch t.op {
	case opWord:
		return t == unknown || t == noMembers
	case opRef:
		return t.ref.typ.acceptsEmpty()
	case opUnion:
		for _, p := range t.parts {
			if p.acceptsEmpty() {
				return true
			}
		}
		return false
	case opIntersection:
		for _, p := range t.parts {
			if !p.acceptsEmpty() {
				return false
			}
		}
		return true
	case opObject:
		for _, p := range t.props {
			if !p.optional {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// mayBeObject reports whether an object may be of type t.
func (t *typ) mayBeObject() bool {
	switch t.op {
	case opWord:
		return t == unknown || t.word == noMembers.word || strings.HasPrefix(t.word, "{") // a literal
	case opRef:
		return t.ref.typ.mayBeObject()
	case opUnion:
		return slices.ContainsFunc(t.parts, (*typ).mayBeObject)
	case opIntersection:
		return !slices.ContainsFunc(t.parts, func(p *typ) bool { return !p.mayBeObject() })
	default:
		return t.op == opObject
	}
}

// String is the type on one line, without documentation.
func (t *typ) String() string {
	var b strings.Builder
	p := printer{out: &b, style: bare}
	p.typ(t, lowest)
	return b.String()
}
