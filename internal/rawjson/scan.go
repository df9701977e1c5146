package rawjson

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Scanner reads one JSON text. Unlike json.Unmarshal, it keeps the order of members; json.Decoder.Token
// takes three times as long. Only the method Value recurses. Callers that recurse must limit their own
// depth.
type Scanner struct {
	text string // valid JSON
	pos  int
	utf8 bool // text is valid UTF-8
}

// NewScanner returns a Scanner for one JSON value. It returns the error of encoding/json if data is not
// one JSON value or has more than 10,000 levels. So the methods of Scanner need no further checks.
func NewScanner(data []byte) (Scanner, error) {
	// IsValid takes a third of the time of json.Valid. If it rejects data, encoding/json decides.
	if !jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		if err := json.Unmarshal(data, new(json.RawMessage)); err != nil {
			return Scanner{}, err
		}
	}
	text := string(data)
	return Scanner{text: text, utf8: utf8.ValidString(text)}, nil
}

// Next skips commas and colons and returns the first byte of the next token: one of
// {}[]", t, f or n, or the first byte of a number.
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

// Bracket consumes one of {}[]. Call Next first.
func (s *Scanner) Bracket() { s.pos++ }

// Word consumes a number, true, false or null. Call Next first.
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

// String consumes a string and returns its value. Like encoding/json, it replaces each
// byte that is not UTF-8 by U+FFFD. Call Next first.
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

// quoted consumes a string and returns its text with the quotes. escaped reports whether it has escapes.
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

// Skip consumes an object or array of any depth.
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

// Raw consumes a value of any kind, or the name of a member, and returns its JSON text.
func (s *Scanner) Raw() string {
	switch start := s.next(); s.text[start] {
	case '{', '[':
		s.Skip()
		return s.text[start:s.pos]
	case '"':
		text, _ := s.quoted()
		return text
	}
	return s.Word()
}

// next calls Next and returns the position of the token.
func (s *Scanner) next() int {
	s.Next()
	return s.pos
}

// Value consumes a value. Numbers become json.Number. If members have equal names, the
// last one counts. The recursion of Value is as deep as the nesting of the text.
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
