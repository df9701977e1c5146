// Package scan reads the tokens of a JSON text one after the other, in the order
// in which they are written and without a copy of each. encoding/json keeps no
// order, and a loop over its Token takes three times as long.
package scan

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Scanner reads one JSON text. But for Value it recurses nowhere; how deep a
// caller does is the caller's to bound.
type Scanner struct {
	text string // known to be valid JSON
	pos  int
	utf8 bool // all of text is
}

// New makes the scanner of a text that is one JSON value, else an error of
// encoding/json, which refuses more than 10,000 levels. What it accepts needs no
// checks here.
func New(data []byte) (Scanner, error) {
	if !json.Valid(data) {
		var raw json.RawMessage
		return Scanner{}, json.Unmarshal(data, &raw)
	}
	text := string(data)
	return Scanner{text: text, utf8: utf8.ValidString(text)}, nil
}

// Next is the first byte of the next token, which tells its kind: one of {}[]",
// of t, f and n, or the first of a number. Commas and colons are passed over.
func (s *Scanner) Next() byte {
	for {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			s.pos++
		default:
			return c
		}
	}
}

// Bracket passes one of {}[], which Next has found.
func (s *Scanner) Bracket() { s.pos++ }

// Word passes a number, true, false or null, which Next has found.
func (s *Scanner) Word() string {
	start := s.pos
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\t', '\r', '\n', ',', ':', ']', '}':
			return s.text[start:s.pos]
		}
		s.pos++
	}
	return s.text[start:]
}

// String passes a string, which Next has found, and is what it means: as
// encoding/json has it, each byte that is no UTF-8 becomes U+FFFD.
func (s *Scanner) String() string {
	quoted, escaped := s.quoted()
	if escaped || !s.utf8 {
		var meant string
		if json.Unmarshal([]byte(quoted), &meant) == nil {
			return meant
		}
	}
	return quoted[1 : len(quoted)-1]
}

// quoted passes a string and is its text with the quotes.
func (s *Scanner) quoted() (quoted string, escaped bool) {
	start := s.pos
	s.pos++
	if end := strings.IndexByte(s.text[s.pos:], '"'); strings.IndexByte(s.text[s.pos:s.pos+end], '\\') < 0 {
		s.pos += end + 1
		return s.text[start:s.pos], false
	}
	for ; s.text[s.pos] != '"'; s.pos++ {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
	return s.text[start:s.pos], true
}

// Skip passes an object or array, however deep.
func (s *Scanner) Skip() {
	for open := 0; ; {
		switch s.text[s.pos] {
		case '"':
			s.quoted()
			continue
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
		s.pos++
		if open == 0 {
			return
		}
	}
}

// Value passes a value and is what it means, with a json.Number for each number and
// the last of the members of one name. It recurses as deep as the text nests.
func (s *Scanner) Value() any {
	switch s.Next() {
	case '{':
		members := map[string]any{}
		for s.Bracket(); s.Next() != '}'; {
			key := s.String()
			members[key] = s.Value()
		}
		s.Bracket()
		return members
	case '[':
		items := []any{}
		for s.Bracket(); s.Next() != ']'; {
			items = append(items, s.Value())
		}
		s.Bracket()
		return items
	case '"':
		return s.String()
	case 'n':
		s.Word()
		return nil
	case 't', 'f':
		return s.Word() == "true"
	}
	return json.Number(s.Word())
}
