package codegen

import (
	"slices"
	"strings"
)

// op is the kind of a type expression.
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

// typ is a type expression. It is immutable after its converter has finished.
type typ struct {
	op    op
	word  string     // for opWord
	ref   *alias     // for opRef
	parts []*typ     // parts of a union or intersection; the element of an array; the positions of a tuple
	least int        // for tuples: the number of required positions
	rest  *typ       // for tuples: the type of further positions, nil if there are none; for objects: the index signature
	props []property // for opObject
	bulk  int        // estimated length in bytes
}

// property is one member of an object type.
type property struct {
	key      string
	optional bool
	typ      *typ
	schema   *value // source of the documentation
	rules    *value // source of the constraints in the documentation
}

// alias is a named declaration.
type alias struct {
	name   string
	typ    *typ
	schema *value
	at     *path

	recursive bool  // for the root: its schema refers to itself
	state     visit // see finish
	width     int
}

var (
	unknown   = word("unknown")
	never     = word("never")
	undefined = word("undefined")
	noMembers = word("Record<string, never>")
	anyObject = word("object")
)

func word(w string) *typ { return &typ{op: opWord, word: w, bulk: len(w)} }

func arrayOf(element *typ) *typ {
	return &typ{op: opArray, parts: []*typ{element}, bulk: element.bulk + 2}
}

// openObject returns the type of all objects.
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

// union returns the type of values that have at least one of the types.
func union(parts ...*typ) *typ { return join(opUnion, unknown, never, parts) }

// intersection returns the type of values that have all of the types.
func intersection(parts ...*typ) *typ { return join(opIntersection, never, unknown, parts) }

// join returns the union or intersection of parts. It is all if one of the parts is, and none does not change it.
func join(o op, all, none *typ, parts []*typ) *typ {
	if len(parts) == 1 {
		return parts[0]
	}
	flat := flatten(o, parts)
	if slices.Contains(flat, all) {
		return all
	}
	return combine(o, distinct(slices.DeleteFunc(flat, func(t *typ) bool { return t == none })), none)
}

// combine returns the union or intersection of parts, without duplicates. It returns empty if there are no parts.
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

// flatten replaces parts that have the operator o by their own parts.
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

// short is the maximum size of types that distinct compares as text, in bytes. Larger types
// count as different: comparing them at every level of a schema would take quadratic time.
const short = 256

// distinct removes duplicate types.
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

// acceptsEmpty reports whether {} has type t. Then the arguments of a call are optional.
func (t *typ) acceptsEmpty() bool {
	switch t.op {
	case opWord:
		return t == unknown || t == noMembers || t == anyObject
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

// mayBeObject reports whether an object may have type t.
func (t *typ) mayBeObject() bool {
	switch t.op {
	case opWord:
		return t == unknown || t == anyObject || t.word == noMembers.word || strings.HasPrefix(t.word, "{") // an object literal
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

// String returns the type on one line, without documentation.
func (t *typ) String() string {
	var b strings.Builder
	p := printer{out: &b, style: bare}
	p.typ(t, lowest)
	return b.String()
}
