package codegen

import (
	"encoding/json"
	"maps"
	"slices"
)

// Stub returns a placeholder for the result of a call that is not made. It has the observed type
// of the tool's results, with all known members and one item in each array. Strings are empty
// and numbers are 0. Stub returns nil if no result has been observed.
func (s *Shapes) Stub(id string) json.RawMessage {
	if s == nil || s.shapes[id] == nil {
		return nil
	}
	return s.shapes[id].stub(nil)
}

// stub appends a value of the shape to to.
func (s *shape) stub(to []byte) []byte {
	switch {
	case s.kinds&isObject != 0:
		to = append(to, '{')
		for i, name := range slices.Sorted(maps.Keys(s.members)) {
			if i > 0 {
				to = append(to, ',')
			}
			quoted, _ := json.Marshal(name) // a string always has a JSON encoding
			to = s.members[name].stub(append(append(to, quoted...), ':'))
		}
		return append(to, '}')
	case s.kinds&isArray != 0:
		if s.items == nil {
			return append(to, "[]"...)
		}
		return append(s.items.stub(append(to, '[')), ']')
	case s.kinds&isString != 0:
		return append(to, `""`...)
	case s.kinds&isNumber != 0:
		return append(to, '0')
	case s.kinds&isBoolean != 0:
		return append(to, "false"...)
	}
	return append(to, "null"...)
}
