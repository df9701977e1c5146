// Package jsonc reads JSON as people write it in configuration files: with comments, with a
// comma after the last item, and with a byte order mark. It replaces these by blanks, so
// that encoding/json reads the rest, and every offset stays.
package jsonc

import "bytes"

// Text is a text without the parts that JSON does not have.
type Text struct {
	Plain    []byte   // as long as the text
	Comments [][2]int // their first bytes, and the first bytes behind them
	Commas   []int    // after the last items
}

// mark is the byte order mark, with which editors on Windows begin a file.
var mark = []byte("\ufeff")

// Blank writes blanks over comments, over commas after the last item, and over a byte order
// mark. Line breaks stay. A comment without an end stays as it is, which is not JSON.
func Blank(text []byte) Text {
	t := Text{Plain: bytes.Clone(text)}
	if bytes.HasPrefix(text, mark) {
		t.erase(0, len(mark))
	}
	comma, before := -1, byte(0) // a comma that nothing follows yet, and the character before it
	last := byte(0)
	for at := 0; at < len(text); {
		c := t.Plain[at]
		switch {
		case c == '"':
			at = EndOfString(text, at)
			last, comma = c, -1
			continue
		case c == '/' && EndOfComment(text, at) > 0:
			end := EndOfComment(text, at)
			t.Comments = append(t.Comments, [2]int{at, end})
			t.erase(at, end)
			at = end
			continue
		case c == ',':
			comma, before = at, last
			last = c
		case c == '}' || c == ']':
			if comma >= 0 && before != 0 && !bytes.ContainsRune([]byte("{[,:"), rune(before)) {
				t.erase(comma, comma+1)
				t.Commas = append(t.Commas, comma)
			}
			last, comma = c, -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			last, comma = c, -1
		}
		at++
	}
	return t
}

func (t Text) erase(from, to int) {
	for i := from; i < to; i++ {
		if t.Plain[i] != '\n' && t.Plain[i] != '\r' {
			t.Plain[i] = ' '
		}
	}
}

// EndOfString is the offset behind a string.
func EndOfString(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// EndOfComment is the offset behind a comment, 0 if there is none.
func EndOfComment(text []byte, at int) int {
	switch rest := text[at:]; {
	case bytes.HasPrefix(rest, []byte("//")):
		if end := bytes.IndexByte(rest, '\n'); end >= 0 {
			return at + end
		}
		return len(text)
	case bytes.HasPrefix(rest, []byte("/*")):
		if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			return at + 2 + end + 2
		}
	}
	return 0
}
