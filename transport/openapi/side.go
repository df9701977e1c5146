package openapi

import (
	"bytes"
	"maps"
)

// sides holds readOnly, for a member that exists only in responses, and writeOnly, for a member that exists only in
// requests.
type sides struct{ readOnly, writeOnly bool }

// sidesOf returns the sides of a member of an object.
func (s *schemas) sidesOf(property []byte, at place) (out sides) {
	ref := reference(property)
	if ref == nil {
		return sidesIn(property)
	}
	if s.modern { // members beside a reference are valid in 3.1
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
		if bytes.Contains(schema, word) { // a fast check, because few schemas contain these words
			return sides{isTrue(member(schema, "readOnly")), isTrue(member(schema, "writeOnly"))}
		}
	}
	return out
}

// reference returns the $ref of a schema, or nil if it has none.
func reference(schema []byte) []byte {
	if !bytes.Contains(schema, []byte(`"$ref"`)) {
		return nil
	}
	return member(schema, "$ref")
}

var sideWords = [][]byte{[]byte(`"readOnly"`), []byte(`"writeOnly"`)}

// sidedMember says in which part of the alternatives of an object a member is readOnly or writeOnly.
type sidedMember struct{ readOnly, writeOnly extent }

// extent says for how many alternatives of an object something is true.
type extent uint8

const (
	never     extent = iota
	sometimes        // in some alternatives
	always
)

func extentOf(is bool) extent {
	if is {
		return always
	}
	return never
}

// sidedMembers returns the members of an object, and of its parts, that exist on one side only.
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

// sidedAt returns the sidedMembers of the schema at a place.
func (s *schemas) sidedAt(at place, depth int) map[string]sidedMember {
	known, has := s.sidedOf[at]
	if !has {
		s.sidedOf[at] = nil // the schema may refer to itself
		if schema, err := s.library.find(at); err == nil {
			known = s.sidedMembers(schema, at, depth)
			s.sidedOf[at] = known
		}
	}
	return known
}

// hidden returns the members of an object that do not exist on the current side. The value is false
// if only an alternative hides the member. around are the hidden members of the enclosing object:
// one part of the object may require a member that another part declares.
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

// on returns for how many alternatives a member is hidden on a side.
func (m sidedMember) on(side side) extent {
	if side == response {
		return m.writeOnly
	}
	return m.readOnly
}

// partLists are the keywords that list parts of the same object.
var partLists = []string{"allOf", "anyOf", "oneOf"}

// ofPart returns the hidden members that apply to a part of an object. A member that only
// one alternative hides may be valid in another one.
func ofPart(list string, hidden map[string]bool) map[string]bool {
	if list == "allOf" || len(hidden) == 0 {
		return hidden
	}
	out := maps.Clone(hidden)
	maps.DeleteFunc(out, func(_ string, always bool) bool { return !always })
	return out
}

// inlined writes the target of a reference in place of the reference, and reports whether it did. It does so if the
// target requires or declares a member that only the enclosing object hides, because the shared definition must
// keep that member.
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

// maxLooked is the maximum number of schemas of a document that mentions reads. This also limits
// the schemas that inlined writes.
const maxLooked = 10_000

// mentions reports whether a schema, or a part of it, requires or declares one of the names.
func (w *writer) mentions(schema []byte, at place, names map[string]bool, depth int) bool {
	if w.looked++; w.looked > maxLooked || depth > 8 { // real documents are not nested more deeply
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

// required writes the names of required members, except hidden ones.
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
