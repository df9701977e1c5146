package rawjson

import "bytes"

// Commented is a text without the parts that are not valid JSON.
type Commented struct {
	Plain    []byte   // as long as the original text
	Comments [][2]int // offsets of the first byte of each comment, and of the byte behind it
	Commas   []int    // offsets of trailing commas
}

// commentMark is the byte order mark with which editors on Windows begin a file.
var commentMark = []byte("\ufeff")

// WithoutComments replaces comments, trailing commas and a byte order mark by blanks. Line breaks
// stay, and so do all offsets. An unterminated comment also stays, which makes the text invalid JSON.
func WithoutComments(text []byte) Commented {
	t := Commented{Plain: bytes.Clone(text)}
	if bytes.HasPrefix(text, commentMark) {
		t.erase(0, len(commentMark))
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

func (t Commented) erase(from, to int) {
	for i := from; i < to; i++ {
		if t.Plain[i] != '\n' && t.Plain[i] != '\r' {
			t.Plain[i] = ' '
		}
	}
}

// EndOfString returns the offset behind the string that begins at an offset.
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

// EndOfComment returns the offset behind a comment, or 0 if there is no comment.
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
