// Package nesting measures the nesting depth of JSON, in pieces and without
// recursion.
package nesting

import "fmt"

// Most is the maximum depth that encoding/json accepts.
const Most = 10_000

// ErrTooDeep is the error of a message that exceeds Most levels.
var ErrTooDeep = fmt.Errorf("the answer nests deeper than %d levels; ask the tool for less at a time", Most)

// Meter measures one text. The zero value is ready for use.
type Meter struct {
	depth           int
	quoted, escaped bool
}

// TooDeep processes the next piece of the text and reports whether the text has
// exceeded Most levels.
func (m *Meter) TooDeep(piece []byte) bool {
	for _, c := range piece {
		switch {
		case m.escaped:
			m.escaped = false
		case m.quoted:
			m.escaped = c == '\\'
			m.quoted = c != '"'
		case c == '"':
			m.quoted = true
		case c == '{', c == '[':
			if m.depth++; m.depth > Most {
				return true
			}
		case c == '}', c == ']':
			m.depth--
		}
	}
	return false
}
