package openapi

import (
	"bytes"
	"maps"
)

// sides are the sides of a member of an object: a readOnly one is only answered, and a writeOnly one only sent.
type sides struct{ readOnly, writeOnly bool }

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

// sidedMember says how far a member of an object is readOnly and writeOnly.
type sidedMember struct{ readOnly, writeOnly extent }

// extent is how many of the alternatives of an object have something.
type extent uint8

const (
	never     extent = iota
	sometimes        // an alternative
	always
)

func extentOf(is bool) extent {
	if is {
		return always
	}
	return never
}

// sidedMembers are the members of an object, and of its parts, that are not of both sides.
func (s *schemas) sidedMembers(text []byte, at place, depth int) (found map[string]sidedMember) {
	if depth > maxDepth {
		return nil
	}
	add := func(name string, m sidedMember) {
		if found == nil {
			found = map[string]sidedMember{}
		}
		if before, has := found[name]; has || len(found) < maxParts {
			found[name] = sidedMember{max(m.readOnly, before.readOnly), max(m.writeOnly, before.writeOnly)}
		}
	}
	if ref := reference(text); ref != nil {
		if target, err := s.library.refer(at.document, unquote(ref)); err == nil {
			for name, m := range s.sidedAt(target, depth+1) {
				add(name, m)
			}
		}
		if !s.modern {
			return found
		}
	}
	all := index(text)
	for name, property := range members(all["properties"]) {
		if of := s.sidesOf(property, at); of != (sides{}) {
			add(name, sidedMember{extentOf(of.readOnly), extentOf(of.writeOnly)})
		}
	}
	for _, list := range partLists {
		for part := range items(all[list]) {
			for name, m := range s.sidedMembers(part, at, depth+1) {
				if list != "allOf" {
					m = sidedMember{min(m.readOnly, sometimes), min(m.writeOnly, sometimes)}
				}
				add(name, m)
			}
		}
	}
	return found
}

// sidedAt are the sidedMembers of the schema at a place.
func (s *schemas) sidedAt(at place, depth int) map[string]sidedMember {
	known, has := s.sidedOf[at]
	if !has {
		s.sidedOf[at] = nil // it may lead to itself
		if schema, err := s.library.find(at); err == nil {
			known = s.sidedMembers(schema, at, depth)
			s.sidedOf[at] = known
		}
	}
	return known
}

// hidden are the members of an object that are not of the side: false, if only an alternative hides
// it. around are those of the object of which it is a part: one part may require what another
// declares.
func (w *writer) hidden(text []byte, around map[string]bool) map[string]bool {
	found := maps.Clone(around)
	for name, m := range w.sidedMembers(text, w.at.place, 0) {
		w.sided = true
		if extent := m.on(w.at.side); extent != never {
			if found == nil {
				found = map[string]bool{}
			}
			found[name] = found[name] || extent == always
		}
	}
	return found
}

// on is how far a member is hidden on a side.
func (m sidedMember) on(side side) extent {
	if side == response {
		return m.writeOnly
	}
	return m.readOnly
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
	ref := reference(part)
	if len(hidden) == 0 || ref == nil {
		return false
	}
	at, err := w.library.refer(w.at.document, unquote(ref))
	if err != nil {
		return false
	}
	names := maps.Clone(hidden)
	for name, m := range w.sidedAt(at, 0) {
		if m.on(w.at.side) == always {
			delete(names, name)
		}
	}
	if len(names) == 0 || !w.mentions(part, w.at.place, names, 0) {
		return false
	}
	schema, at, err := w.library.follow(part, w.at.place)
	if err != nil || !isObject(schema) || len(w.subtypes(schema, at)) > 0 {
		return false
	}
	before := w.at
	w.at.place = at
	defer func() { w.at = before }()
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

// maxLooked bounds the schemas of a document that mentions looks into, and so those that are written
// in place.
const maxLooked = 10_000

// mentions reports whether a schema, or a part of it, requires or declares one of the names.
func (w *writer) mentions(schema []byte, at place, names map[string]bool, depth int) bool {
	if w.looked++; w.looked > maxLooked || depth > 8 { // deeper ones are not seen in real documents
		return false
	}
	schema, at, err := w.library.follow(schema, at)
	if err != nil {
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
			if w.looked > maxLooked {
				return false
			}
			if w.mentions(part, at, names, depth+1) {
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
