package quickjs

import (
	"strings"
	"unicode/utf8"
)

// decodeUTF8 decodes according to the Encoding Standard: each longest prefix of a character,
// and each other invalid byte, becomes one U+FFFD. ok is false if there was any.
func decodeUTF8(data []byte) (text string, ok bool) {
	if utf8.Valid(data) {
		return string(data), true
	}
	var b strings.Builder
	b.Grow(len(data))
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size <= 1 {
			size = badLength(data)
		}
		b.WriteRune(r)
		data = data[size:]
	}
	return b.String(), false
}

// badLength returns how many bytes at the start of data become one U+FFFD.
func badLength(data []byte) int {
	n := 1
	for n < len(data) && n < utf8.UTFMax-1 && !utf8.FullRune(data[:n+1]) {
		n++
	}
	return n
}

// cutShort returns the number of bytes at the end of data that begin an incomplete character.
func cutShort(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		tail := data[len(data)-n:]
		if utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
