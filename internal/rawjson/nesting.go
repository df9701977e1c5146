package rawjson

import "fmt"

// MaxDepth is the maximum depth that encoding/json accepts.
const MaxDepth = 10_000

// ErrTooDeep is the error of a message that exceeds MaxDepth levels.
var ErrTooDeep = fmt.Errorf("the answer nests deeper than %d levels; ask the tool for less at a time", MaxDepth)

// Meter measures the nesting depth of one text. The zero value is ready for use.
type Meter struct {
	depth   int
	quoted  bool
	escaped bool // the last byte was the backslash of an escape
}

// special marks the bytes that change the state of a Meter.
var special = [256]bool{'"': true, '\\': true, '{': true, '}': true, '[': true, ']': true}

// TooDeep processes the next piece of the text and reports whether the text has
// exceeded MaxDepth levels.
func (m *Meter) TooDeep(piece []byte) bool {
	i := 0
	if m.escaped && len(piece) > 0 {
		i, m.escaped = 1, false
	}
	for ; i < len(piece); i++ {
		c := piece[i]
		if !special[c] {
			continue
		}
		switch {
		case c == '"':
			m.quoted = !m.quoted
		case c == '\\' && m.quoted:
			i++
			m.escaped = i == len(piece)
		case m.quoted, c == '\\':
		case c == '{', c == '[':
			if m.depth++; m.depth > MaxDepth {
				return true
			}
		default:
			m.depth--
		}
	}
	return false
}
