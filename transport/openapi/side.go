package openapi

import (
	"bytes"
	"maps"
)

// sides are the sides of a member of an object: a readOnly one is only answered, and a writeOnly one only sent.
type sides struct{ readOnly, writeOnly bool }

// hides reports whether the member is not of a side.
func (s sides) hides(side side) bool {
	return s.readOnly && side != response || s.writeOnly && side == response
}

// sidesOf are the sides of a member of an object.
func (s *schemas) sidesOf(property []byte, at place) (out sides) {
	ref := reference(property)
	if ref == nil {
		return sidesIn(property)
	}
	if s.modern { // members beside a reference count
		out = sidesIn(property)
	}
	target, err := s.library.refer(at.document, unquote(ref))
	if err != nil {
		return out
	}
	known, has := s.sides[target]
	if !has {
		if resolved, _, err := s.library.follow(property, at); err == nil {
			known = sidesIn(resolved)
		}
		s.sides[target] = known
	}
	return sides{out.readOnly || known.readOnly, out.writeOnly || known.writeOnly}
}

func sidesIn(schema []byte) (out sides) {
	for _, word := range sideWords {
		if bytes.Contains(schema, word) { // it seldom does, and then its members need not be read
			return sides{isTrue(member(schema, "readOnly")), isTrue(member(schema, "writeOnly"))}
		}
	}
	return out
}

// reference is the $ref of a schema, nil if it has none.
func reference(schema []byte) []byte {
	if !bytes.Contains(schema, []byte(`"$ref"`)) {
		return nil
	}
	return member(schema, "$ref")
}

var sideWords = [][]byte{[]byte(`"readOnly"`), []byte(`"writeOnly"`)}

// hidden are the members of an object that are not of the side: false, if only an alternative hides
// it. around are those of the object of which it is a part: one part may require what another
// declares.
func (w *writer) hidden(text []byte, around map[string]bool) map[string]bool {
	parts := 0
	found := maps.Clone(around)
	var collect func(text []byte, at place, always bool)
	collect = func(text []byte, at place, always bool) {
		if parts++; parts > maxParts {
			return
		}
		if reference(text) != nil {
			if target, at, err := w.library.follow(text, at); err == nil {
				collect(target, at, always)
			}
			if !w.modern {
				return
			}
		}
		all := index(text)
		for name, property := range members(all["properties"]) {
			of := w.sidesOf(property, at)
			w.sided = w.sided || of != (sides{})
			if of.hides(w.at.side) {
				if found == nil {
					found = map[string]bool{}
				}
				found[name] = found[name] || always
			}
		}
		for _, list := range partLists {
			for part := range items(all[list]) {
				collect(part, at, always && list == "allOf")
			}
		}
	}
	collect(text, w.at.place, true)
	return found
}

// partLists are the members of a schema with parts of the same object.
var partLists = []string{"allOf", "anyOf", "oneOf"}

// ofPart are the hidden members of an object as one of its parts sees them. What one alternative hides,
// another may have.
func ofPart(list string, hidden map[string]bool) map[string]bool {
	if list == "allOf" || len(hidden) == 0 {
		return hidden
	}
	out := maps.Clone(hidden)
	maps.DeleteFunc(out, func(_ string, always bool) bool { return !always })
	return out
}

// inlined writes the schema of a reference in place, if it requires or declares a member that only
// the object around hides, and reports whether it did: the definition is also used elsewhere.
func (w *writer) inlined(part []byte, depth int, hidden map[string]bool) bool {
	if len(hidden) == 0 || reference(part) == nil || w.inlines == maxParts {
		return false
	}
	schema, at, err := w.library.follow(part, w.at.place)
	if err != nil || !isObject(schema) || len(w.subtypes(schema, at)) > 0 {
		return false
	}
	before := w.at
	w.at.place = at
	defer func() { w.at = before }()
	names := maps.Clone(hidden)
	for name, always := range w.hidden(schema, nil) {
		if always {
			delete(names, name)
		}
	}
	if !w.mentions(schema, at, names, 0) {
		return false
	}
	w.inlines++
	beside := index(part)
	delete(beside, "$ref")
	if !w.modern || len(beside) == 0 {
		w.object(index(schema), schema, depth, hidden, true)
		return true
	}
	w.out.WriteString(`{"allOf":[`)
	w.object(index(schema), schema, depth, hidden, true)
	w.out.WriteByte(',')
	w.at = before
	w.object(beside, part, depth, hidden, true)
	w.out.WriteString(`]}`)
	return true
}

// mentions reports whether a schema, or a part of it, requires or declares one of the names.
func (w *writer) mentions(schema []byte, at place, names map[string]bool, depth int) bool {
	if len(names) == 0 || depth > 8 { // deeper ones are not seen in real documents
		return false
	}
	all := index(schema)
	for name := range items(all["required"]) {
		if _, has := names[unquote(name)]; has {
			return true
		}
	}
	for name := range members(all["properties"]) {
		if names[name] {
			return true
		}
	}
	for _, list := range partLists {
		for part := range items(all[list]) {
			if part, at, err := w.library.follow(part, at); err == nil && w.mentions(part, at, names, depth+1) {
				return true
			}
		}
	}
	return false
}

// required writes the names of required members without those that are not of the side.
func (w *writer) required(names []byte, hidden map[string]bool, begin func(string)) {
	var kept [][]byte
	for name := range items(names) {
		if _, has := hidden[unquote(name)]; !has {
			kept = append(kept, name)
		}
	}
	if len(kept) > 0 {
		begin("required")
		w.out.WriteByte('[')
		w.out.Write(bytes.Join(kept, []byte(",")))
		w.out.WriteByte(']')
	}
}
