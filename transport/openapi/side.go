package openapi

import (
	"bytes"
	"maps"
)

// sides are the sides of a member of an object: a readOnly one is only answered, and a writeOnly one only sent.
type sides struct{ readOnly, writeOnly bool }

// hides reports whether the member is not of a side.
func (s sides) hides(side side) bool {
	return s.readOnly && side == request || s.writeOnly && side == response
}

// sidesOf are the sides of a member of an object.
func (s *schemas) sidesOf(property []byte, at place) (out sides) {
	if ref := reference(property); ref != nil {
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
		return known
	}
	return sidesIn(property)
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

// hidden are the members of an object that are not of the side, with those that the object around has, of which it is
// a part. The parts of allOf belong to the object: one may require what another declares.
func (w *writer) hidden(all map[string][]byte, around map[string]bool) map[string]bool {
	parts := 0
	found := maps.Clone(around)
	var collect func(all map[string][]byte, at place)
	collect = func(all map[string][]byte, at place) {
		for name, property := range members(all["properties"]) {
			of := w.sidesOf(property, at)
			w.sided = w.sided || of != (sides{})
			if of.hides(w.at.side) {
				if found == nil {
					found = map[string]bool{}
				}
				found[name] = true
			}
		}
		for part := range items(all["allOf"]) {
			if parts++; parts > maxParts {
				return
			}
			if part, at, err := w.library.follow(part, at); err == nil {
				collect(index(part), at)
			}
		}
	}
	collect(all, w.at.place)
	return found
}

// required writes the names of required members without those that are not of the side.
func (w *writer) required(names []byte, hidden map[string]bool, begin func(string)) {
	var kept [][]byte
	for name := range items(names) {
		if !hidden[unquote(name)] {
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
