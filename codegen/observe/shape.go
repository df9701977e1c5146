// Package observe remembers what the results of tools looked like that promise
// nothing about them: which members there were and of which types, never their
// values. What was seen is documentation. It refuses nothing, so all that is
// printed is optional and open.
package observe

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Limits of one shape. Results are data of others and may have any size.
const (
	maxDepth   = 6
	maxMembers = 40  // more names than that are data, not names
	maxItems   = 20  // of an array that are looked at
	maxText    = 600 // bytes that a shape prints; deeper levels are left out before
)

// kinds are the JSON types that a value had, as a set.
type kinds uint8

const (
	isNull kinds = 1 << iota
	isBoolean
	isNumber
	isString
	isArray
	isObject
)

// shape is what is known of a value. It is immutable.
type shape struct {
	kinds   kinds
	members map[string]*shape // of an object, by name
	other   *shape            // of an object whose names are data: all its members
	items   *shape            // of an array, nil when all were empty
}

// shapeOf is the shape of a decoded JSON value.
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
			if depth < maxDepth {
				s.items = merge(s.items, shapeOf(item, depth+1))
			}
		}
		return s
	case map[string]any:
		s := &shape{kinds: isObject}
		if depth < maxDepth {
			s.members = make(map[string]*shape, min(len(v), maxMembers+1))
			for _, name := range slices.Sorted(maps.Keys(v))[:min(len(v), maxMembers+1)] {
				s.members[name] = shapeOf(v[name], depth+1)
			}
		}
		return s.bounded()
	}
	return &shape{kinds: isNumber}
}

// aName is what names of members look like. What does not, or has many digits,
// is more likely somebody's address or number.
var (
	aName      = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]{0,39}$`)
	manyDigits = regexp.MustCompile(`[0-9]{4}`)
)

// bounded forgets the names of an object when they are data.
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

func isData(name string) bool { return !aName.MatchString(name) || manyDigits.MatchString(name) }

// merge is what is known of a value that may be like either. A nil shape says
// nothing. It is a itself when b adds nothing.
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

// String is the shape as a TypeScript type on one line, of no more levels than
// fit into maxText.
func (s *shape) String() string {
	for depth := maxDepth; depth > 0; depth-- {
		if text := s.text(depth); len(text) <= maxText {
			return text
		}
	}
	return s.text(0)
}

// words are the types without parts.
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
