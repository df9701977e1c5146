package openapi

import (
	"bytes"
	"maps"
)

// hides reports whether a member of an object is not of a side: what is readOnly is not sent, and what is
// writeOnly is not answered.
func (s *schemas) hides(property []byte, at place, side side) bool {
	if member(property, "$ref") != nil {
		resolved, _, err := s.library.follow(property, at)
		if err != nil {
			return false
		}
		property = resolved
	}
	flag := "readOnly"
	if side == response {
		flag = "writeOnly"
	}
	return isTrue(member(property, flag))
}

// maxHiding bounds the levels of allOf in which members that are not of a side are looked for.
const maxHiding = 8

// hide finds the members of an object that are not of the side. They count until the function is called that it
// returns, also in the parts of allOf, which may require them.
func (w *writer) hide(all map[string][]byte) (restore func()) {
	around := w.hidden
	found := maps.Clone(around)
	if found == nil {
		found = map[string]bool{}
	}
	w.collect(all, w.at.place, found, 0)
	w.hidden = found
	return func() { w.hidden = around }
}

func (w *writer) collect(all map[string][]byte, at place, found map[string]bool, depth int) {
	for name, property := range members(all["properties"]) {
		if w.hides(property, at, w.at.side) {
			found[name] = true
		}
	}
	if depth == maxHiding {
		return
	}
	for part := range items(all["allOf"]) {
		if part, at, err := w.library.follow(part, at); err == nil {
			w.collect(index(part), at, found, depth+1)
		}
	}
}

// required writes the names of required members without those that are not of the side.
func (w *writer) required(names []byte, begin func(string)) {
	var kept [][]byte
	for name := range items(names) {
		if !w.hidden[unquote(name)] {
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
