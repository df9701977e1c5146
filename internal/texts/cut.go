// Package texts cuts texts between characters, estimates their tokens, and escapes them for pages.
package texts

import "unicode/utf8"

// Cut returns the longest beginning of a text that has at most n bytes and ends between two characters.
func Cut[T ~string | ~[]byte](text T, n int) T {
	if n = max(n, 0); n >= len(text) {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// End returns the longest end of a text that has at most n bytes and begins between two characters.
func End[T ~string | ~[]byte](text T, n int) T {
	from := max(len(text)-max(n, 0), 0)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// Short returns a text of at most n bytes unchanged. It cuts a longer text as Cut does and appends "…".
func Short(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return Cut(text, n) + "…"
}
