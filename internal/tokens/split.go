package tokens

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// class is the class of a character, as far as splitting depends on it.
type class uint8

const (
	other   class = iota // punctuation and symbols
	upper                // letters in upper or title case
	lower                // letters in lower case
	both                 // letters without case, and marks
	digit                // numbers
	newline              // line feed and carriage return
	space                // other white space
)

// ascii holds the classes of ASCII characters. Computing them with package unicode
// would take time at each start.
var ascii = func() (classes [utf8.RuneSelf]class) {
	for c := 'a'; c <= 'z'; c++ {
		classes[c], classes[c-'a'+'A'] = lower, upper
	}
	for c := '0'; c <= '9'; c++ {
		classes[c] = digit
	}
	classes['\n'], classes['\r'] = newline, newline
	classes['\t'], classes['\v'], classes['\f'], classes[' '] = space, space, space, space
	return classes
}()

func classOf(r rune) class {
	switch {
	case unicode.Is(unicode.Lo, r), unicode.Is(unicode.Lm, r), unicode.IsMark(r):
		return both
	case unicode.IsLower(r):
		return lower
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upper
	case unicode.IsNumber(r):
		return digit
	case r == '\n' || r == '\r':
		return newline
	case unicode.IsSpace(r):
		return space
	}
	return other
}

// first returns the class and size of the first character; size is 0 at the end of the text.
func first(text []byte) (c class, size int) {
	if len(text) == 0 {
		return other, 0
	}
	if text[0] < utf8.RuneSelf {
		return ascii[text[0]], 1
	}
	r, size := utf8.DecodeRune(text)
	return classOf(r), size
}

// expression matches the pieces of o200k_base. Its alternatives are tried in order.
const expression = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|` +
	`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// piece returns the size of the first piece of a text that is not empty: the length of
// the match of expression, found in linear time.
func piece(text []byte) int {
	if n := word(text); n > 0 {
		return n
	}
	switch c, n := first(text); c {
	case digit:
		return digits(text)
	case newline, space:
		if next, size := first(text[n:]); text[0] == ' ' && size > 0 && next == other {
			return n + symbols(text[n:])
		}
		return blank(text)
	default:
		return symbols(text)
	}
}

// word returns the size of a word, including one character before it; 0 if the text
// does not begin with a word. A word has letters in upper case, then letters in lower
// case. Letters without case can be in both parts.
func word(text []byte) int {
	c, prefix := first(text)
	switch c { //nolint:exhaustive // characters of the other classes may precede a word
	case digit, newline:
		return 0
	case upper, lower:
		prefix = 0
	case both:
		if r, _ := utf8.DecodeRune(text); !unicode.IsMark(r) {
			prefix = 0
		}
	}
	n := cased(text[prefix:])
	if n == 0 && c == both {
		n, prefix = cased(text), 0
	}
	if n == 0 {
		if n = letters(text[prefix:]); n == 0 {
			return 0
		}
	}
	n += prefix
	return n + contraction(text[n:])
}

// cased returns the size of a word with at least one letter that is in lower case or has no case.
func cased(text []byte) int {
	at, low := 0, 0 // low is the end of the last letter without case
	for {
		c, n := first(text[at:])
		if c != upper && c != both {
			break
		}
		at += n
		if c == both {
			low = at
		}
	}
	if c, n := first(text[at:]); n == 0 || c != lower {
		return low
	}
	for {
		c, n := first(text[at:])
		if c != lower && c != both {
			return at
		}
		at += n
	}
}

// letters returns the size of the leading letters, none of which is in lower case.
func letters(text []byte) int {
	at := 0
	for {
		c, n := first(text[at:])
		if c != upper && c != both {
			return at
		}
		at += n
	}
}

// contraction returns the size of the ending of an English contraction, such as 's.
func contraction(text []byte) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	switch text[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	}
	if len(text) > 2 {
		for _, end := range [...]string{"re", "ve", "ll"} {
			if bytes.EqualFold(text[1:3], []byte(end)) {
				return 3
			}
		}
	}
	return 0
}

// digits returns the size of up to three leading numbers.
func digits(text []byte) int {
	at := 0
	for range 3 {
		c, n := first(text[at:])
		if c != digit {
			break
		}
		at += n
	}
	return at
}

// symbols returns the size of the leading symbols with their marks, and of the line
// ends and slashes after them.
func symbols(text []byte) int {
	at := 0
	for {
		c, n := first(text[at:])
		if n == 0 || c != other {
			if r, _ := utf8.DecodeRune(text[at:]); c != both || !unicode.IsMark(r) {
				break
			}
		}
		at += n
	}
	for at < len(text) && (text[at] == '\n' || text[at] == '\r' || text[at] == '/') {
		at++
	}
	return at
}

// blank returns the size of the leading white space: up to its last line end or,
// without a line end, without its last character, which belongs to the next word.
func blank(text []byte) int {
	at, last, lines := 0, 0, 0
	for {
		c, n := first(text[at:])
		if n == 0 {
			last = at
			break
		}
		if c != space && c != newline {
			break
		}
		last = at
		at += n
		if c == newline {
			lines = at
		}
	}
	switch {
	case lines > 0:
		return lines
	case last > 0:
		return last
	}
	return at
}
