package redact

import (
	"html"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// maxEscape is the maximum length of an escape in bytes.
const maxEscape = 34

// atom is one possible meaning of a character or an escape of a text.
type atom struct {
	bytes string // "" for something invisible, such as a colour of a terminal
	size  int    // length in the text, in bytes
}

// maxAtoms is the maximum number of meanings of one position in a text.
const maxAtoms = 6

// special marks the bytes that may begin an escape.
var special = func() (t [256]bool) {
	for b := range t {
		t[b] = b >= utf8.RuneSelf
	}
	t['%'], t['\\'], t['&'], t['+'], t[0x1b] = true, true, true, true, true
	return t
}()

// atoms appends the possible meanings of text at a position: the byte itself, and the escapes that begin
// there.
func atoms(all []atom, text string, at int) []atom {
	if at >= len(text) {
		return all
	}
	all = append(all, atom{text[at : at+1], 1})
	rest := text[at:]
	switch b := rest[0]; {
	case b == '%':
		return percent(all, rest)
	case b == '\\':
		return backslash(all, rest)
	case b == '&':
		return entity(all, rest)
	case b == '+':
		return append(all, atom{" ", 1})
	case b == 0x1b:
		return append(all, atom{"", sequence(rest)})
	case b >= utf8.RuneSelf:
		if r, size := utf8.DecodeRuneInString(rest); r != utf8.RuneError && unseen(r) {
			return append(all, atom{"", size})
		}
	}
	return all
}

// unseen reports whether a character is invisible when a text is shown.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
}

// percent reads %XX, and %uXXXX of old JavaScript.
func percent(all []atom, rest string) []atom {
	if n, ok := number(rest, 1, 2, 16); ok {
		return append(all, atom{string([]byte{byte(n)}), 3})
	}
	if len(rest) > 1 && (rest[1] == 'u' || rest[1] == 'U') {
		if n, ok := number(rest, 2, 4, 16); ok {
			return append(all, atom{string(rune(n)), 6})
		}
	}
	return all
}

// number reads a number with a fixed count of digits.
func number(text string, from, digits int, base uint32) (n uint32, ok bool) {
	if len(text) < from+digits {
		return 0, false
	}
	for _, c := range []byte(text[from : from+digits]) {
		digit := uint32(0xff)
		switch {
		case c >= '0' && c <= '9':
			digit = uint32(c - '0')
		case c >= 'a' && c <= 'f':
			digit = uint32(c-'a') + 10
		case c >= 'A' && c <= 'F':
			digit = uint32(c-'A') + 10
		}
		if digit >= base {
			return 0, false
		}
		n = n*base + digit
	}
	return n, true
}

// short are the letters of escapes such as \n, and shortFor are the characters that they mean, in the same
// order.
const short, shortFor = `abfnrtv0`, "\a\b\f\n\r\t\v\x00"

// backslash reads the escapes of JSON, JavaScript, Python, Go, C and shells.
func backslash(all []atom, rest string) []atom {
	if len(rest) < 2 {
		return all
	}
	c := rest[1]
	if at := strings.IndexByte(short, c); at >= 0 {
		all = append(all, atom{shortFor[at : at+1], 2})
	}
	if !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c)) && c < utf8.RuneSelf {
		all = append(all, atom{rest[1:2], 2})
	}
	switch c {
	case 'x':
		if n, ok := number(rest, 2, 2, 16); ok {
			all = append(all, atom{string([]byte{byte(n)}), 4})
			if n >= utf8.RuneSelf { // Python
				all = append(all, atom{string(rune(n)), 4})
			}
		}
	case 'u':
		if text, size := unicodeEscape(rest); size > 0 {
			all = append(all, atom{text, size})
		}
	case 'U':
		if n, ok := number(rest, 2, 8, 16); ok && n <= unicode.MaxRune {
			all = append(all, atom{string(rune(n)), 10})
		}
	}
	if n, ok := number(rest, 1, 3, 8); ok && n <= 0xff {
		all = append(all, atom{string([]byte{byte(n)}), 4})
	}
	return all
}

// unicodeEscape reads \uXXXX, a surrogate pair of two such escapes, or \u{X}.
func unicodeEscape(rest string) (text string, size int) {
	if strings.HasPrefix(rest, `\u{`) {
		digits, _, closed := strings.Cut(rest[3:min(len(rest), 12)], "}")
		if n, err := strconv.ParseUint(digits, 16, 32); closed && err == nil && n <= unicode.MaxRune {
			return string(rune(n)), len(`\u{}`) + len(digits)
		}
		return "", 0
	}
	n, ok := number(rest, 2, 4, 16)
	if !ok {
		return "", 0
	}
	if r := rune(n); !utf16.IsSurrogate(r) {
		return string(r), 6
	}
	if strings.HasPrefix(rest[6:], `\u`) {
		if low, ok := number(rest[6:], 2, 4, 16); ok {
			if r := utf16.DecodeRune(rune(n), rune(low)); r != unicode.ReplacementChar {
				return string(r), 12
			}
		}
	}
	return "", 0
}

// entity reads &name; and the numbers of HTML.
func entity(all []atom, rest string) []atom {
	end := strings.IndexByte(rest[:min(len(rest), maxEscape)], ';')
	if end > 1 {
		if text := html.UnescapeString(rest[:end+1]); !strings.HasPrefix(text, "&") || rest[:end+1] == "&amp;" || text == "&" {
			return append(all, atom{text, end + 1})
		}
	}
	return all
}

// sequence returns the length of a terminal escape sequence of ECMA-48: CSI, OSC, or a short
// one.
func sequence(rest string) int {
	if len(rest) < 2 {
		return 1
	}
	switch rest[1] {
	case '[':
		for i := 2; i < len(rest); i++ {
			if rest[i] >= '@' && rest[i] <= '~' {
				return i + 1
			}
			if rest[i] < ' ' || rest[i] > '?' {
				return i
			}
		}
		return len(rest)
	case ']':
		for i := 2; i < len(rest); i++ {
			if rest[i] == 0x07 {
				return i + 1
			}
			if rest[i] == 0x1b {
				if i+1 < len(rest) && rest[i+1] == '\\' {
					return i + 2
				}
				return i
			}
		}
		return len(rest)
	}
	return 2
}

// decoded is a text after its outer layers of escapes were decoded.
type decoded struct {
	text string
	from []int // position in the outermost text, for each byte and for the end; nil: all positions are equal
}

// origin returns the position in the outermost text for a position in d.text.
func (d decoded) origin(at int) int {
	if d.from == nil {
		return at
	}
	return d.from[at]
}

// decode decodes one layer of escapes. changed is false if the text has no escapes.
func (d decoded) decode() (inner decoded, changed bool) {
	if !strings.ContainsAny(d.text, `%\&`) {
		return d, false
	}
	var out strings.Builder
	from := make([]int, 0, len(d.text)+1)
	for at := 0; at < len(d.text); {
		a := atom{d.text[at : at+1], 1}
		if strings.IndexByte(`%\&`, d.text[at]) >= 0 {
			var some [maxAtoms]atom
			all := atoms(some[:0], d.text, at)
			a = all[len(all)-1]
			changed = changed || len(all) > 1
		}
		for range len(a.bytes) {
			from = append(from, d.origin(at))
		}
		out.WriteString(a.bytes)
		at += a.size
	}
	return decoded{out.String(), append(from, d.origin(len(d.text)))}, changed
}
