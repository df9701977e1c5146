package rawjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Whole replaces unpaired surrogates, such as the escape \ud83d, and bytes that are not UTF-8
// by U+FFFD. Other programs refuse texts with them, or never answer. If there are none, Whole
// returns value itself. value must be valid JSON.
func Whole(value []byte) []byte {
	if !utf8.Valid(value) {
		value = bytes.ToValidUTF8(value, []byte("\uFFFD"))
	}
	if !bytes.Contains(value, []byte(`\ud`)) && !bytes.Contains(value, []byte(`\uD`)) {
		return value
	}
	var out []byte
	kept := 0
	for at := 0; ; {
		next := bytes.IndexByte(value[at:], '\\')
		if next < 0 {
			break
		}
		at += next
		switch first := escaped(value[at:]); {
		case first < 0:
			at += 2
		case !utf16.IsSurrogate(first):
			at += escapeSize
		case utf16.DecodeRune(first, escaped(value[at+escapeSize:])) != utf8.RuneError:
			at += 2 * escapeSize
		default:
			out = append(append(out, value[kept:at]...), "\uFFFD"...)
			at += escapeSize
			kept = at
		}
		if at >= len(value) { // not valid JSON
			break
		}
	}
	return append(out, value[kept:]...)
}

// escapeSize is the length of an escape such as \ud83d.
const escapeSize = 6

// escaped returns the character of the escape \uXXXX that text begins with, or -1.
func escaped(text []byte) rune {
	if len(text) < escapeSize || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range text[2:escapeSize] {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if digit < 0 {
			return -1
		}
		r = r<<4 | rune(digit)
	}
	return r
}
