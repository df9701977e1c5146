package codegen

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Limits of one shape. Results come from servers and may have any size.
const (
	maxShapeDepth = 6
	maxMembers    = 40  // objects with more names are maps: the names are data
	maxItems      = 20  // items of an array that are examined
	maxText       = 600 // bytes of a printed shape; deeper levels are left out first
)

// kinds is the set of JSON types that a value had.
type kinds uint8

const (
	isNull kinds = 1 << iota
	isBoolean
	isNumber
	isString
	isArray
	isObject
)

// shape describes observed values by the names and types of their members. It contains no values
// and is immutable. Shapes serve as documentation and reject nothing, so all printed members are
// optional and all objects are open.
type shape struct {
	kinds   kinds
	members map[string]*shape // for objects, by name
	other   *shape            // for objects whose names are data: one shape for all members
	items   *shape            // for arrays; nil if all arrays were empty
}

// shapeOf returns the shape of a decoded JSON value.
func shapeOf(v any, depth int) *shape {
	switch v := v.(type) {
	case nil:
		return &shape{kinds: isNull}
	case bool:
		return &shape{kinds: isBoolean}
	case string:
		return &shape{kinds: isString}
	case []any:
		s := &shape{kinds: isArray}
		for _, item := range v[:min(len(v), maxItems)] {
			if depth < maxShapeDepth {
				s.items = merge(s.items, shapeOf(item, depth+1))
			}
		}
		return s
	case map[string]any:
		s := &shape{kinds: isObject}
		if depth < maxShapeDepth {
			s.members = make(map[string]*shape, min(len(v), maxMembers+1))
			for _, name := range slices.Sorted(maps.Keys(v))[:min(len(v), maxMembers+1)] {
				s.members[name] = shapeOf(v[name], depth+1)
			}
		}
		return s.bounded()
	}
	return &shape{kinds: isNumber}
}

// aName matches common member names. Other names, and names with many digits, are likely
// private data, such as addresses and numbers, used as keys.
var (
	aName      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]{0,39}$`) })
	manyDigits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]{4}`) })
)

// bounded replaces the members of an object by a single shape if their names are data.
func (s *shape) bounded() *shape {
	if s.other == nil && len(s.members) <= maxMembers && !slices.ContainsFunc(slices.Collect(maps.Keys(s.members)), isData) {
		return s
	}
	b := *s
	b.members = nil
	for _, member := range s.members {
		b.other = merge(b.other, member)
	}
	return &b
}

func isData(name string) bool { return !aName().MatchString(name) || manyDigits().MatchString(name) }

// merge returns a shape that describes the values of both shapes. A nil shape describes no
// value. If b adds no information, the result is a itself.
func merge(a, b *shape) *shape {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	m := &shape{kinds: a.kinds | b.kinds, other: merge(a.other, b.other), items: merge(a.items, b.items)}
	m.members = mergeMembers(a.members, b.members)
	if m.kinds == a.kinds && m.other == a.other && m.items == a.items && maps.Equal(m.members, a.members) {
		return a
	}
	return m.bounded()
}

func mergeMembers(a, b map[string]*shape) map[string]*shape {
	all := make(map[string]*shape, max(len(a), len(b)))
	maps.Copy(all, a)
	for name, member := range b {
		all[name] = merge(all[name], member)
	}
	return all
}

// String returns the shape as a TypeScript type on one line, with as many levels as
// fit into maxText.
func (s *shape) String() string {
	for depth := maxShapeDepth; depth > 0; depth-- {
		if text := s.text(depth); len(text) <= maxText {
			return text
		}
	}
	return s.text(0)
}

// words maps the kinds of simple values to TypeScript types.
var words = []struct {
	kind kinds
	word string
}{{isBoolean, "boolean"}, {isNumber, "number"}, {isString, "string"}, {isNull, "null"}}

func (s *shape) text(depth int) string {
	var parts []string
	if s.kinds&isObject != 0 {
		parts = append(parts, s.object(depth))
	}
	if s.kinds&isArray != 0 {
		parts = append(parts, s.array(depth))
	}
	for _, w := range words {
		if s.kinds&w.kind != 0 {
			parts = append(parts, w.word)
		}
	}
	return strings.Join(parts, " | ")
}

func (s *shape) object(depth int) string {
	switch {
	case depth == 0:
		return "{ [key: string]: any }"
	case s.other != nil:
		return "{ [key: string]: " + s.other.text(depth-1) + " | undefined }"
	}
	var b strings.Builder
	b.WriteString("{ ")
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		written := name
		if strings.Contains(name, "-") {
			written = `"` + name + `"`
		}
		b.WriteString(written + "?: " + s.members[name].text(depth-1) + "; ")
	}
	b.WriteString("[key: string]: any }")
	return b.String()
}

func (s *shape) array(depth int) string {
	if depth == 0 || s.items == nil {
		return "any[]"
	}
	item := s.items.text(depth - 1)
	if strings.Contains(item, " | ") && !strings.HasPrefix(item, "{") || s.items.kinds&(s.items.kinds-1) != 0 {
		item = "(" + item + ")"
	}
	return item + "[]"
}
