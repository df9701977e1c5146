package quickjs

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoders are the decoders of TextDecoder, in the order of encoding.js. If bytes are
// invalid, ok is false and the text has U+FFFD in their place.
var decoders = []func(data []byte) (text string, ok bool){
	decodeUTF8,
	decodeWindows1252,
	func(data []byte) (string, bool) { return decodeUTF16(data, binary.LittleEndian) },
	func(data []byte) (string, bool) { return decodeUTF16(data, binary.BigEndian) },
}

// decode(bytes, fatal, encoding) → text, or undefined if fatal is not 0 and the bytes are invalid
func (r *run) decode(a arguments) handle {
	text, ok := decoders[a.integer(2)](r.instance.bytesOf(a.at(0)))
	if !ok && a.integer(1) != 0 {
		return r.instance.undefined()
	}
	return r.instance.newString(text)
}

// upper1252 has the characters of the bytes from 0x80 to 0x9f. Other bytes equal the code
// points of their characters.
var upper1252 = [32]rune{
	0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,
	0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
}

// decodeWindows1252 decodes the encoding that the web calls latin1. All bytes are valid in it.
func decodeWindows1252(data []byte) (string, bool) {
	var b strings.Builder
	b.Grow(len(data))
	for _, c := range data {
		r := rune(c)
		if c >= 0x80 && c < 0xa0 {
			r = upper1252[c-0x80]
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// decodeUTF16 decodes according to the Encoding Standard: each lone surrogate, and an
// incomplete character at the end, becomes one U+FFFD.
func decodeUTF16(data []byte, order binary.ByteOrder) (text string, ok bool) {
	var b strings.Builder
	b.Grow(len(data))
	ok = true
	for len(data) >= 2 {
		r := rune(order.Uint16(data))
		data = data[2:]
		if utf16.IsSurrogate(r) {
			r = pair(r, &data, order)
			ok = ok && r != utf8.RuneError
		}
		b.WriteRune(r)
	}
	if len(data) > 0 {
		b.WriteRune(utf8.RuneError)
		ok = false
	}
	return b.String(), ok
}

// pair returns the character of a surrogate and the next surrogate in data, which it
// consumes, or U+FFFD.
func pair(first rune, data *[]byte, order binary.ByteOrder) rune {
	const secondHalves = 0xdc00
	switch {
	case first >= secondHalves || len(*data) == 0:
		return utf8.RuneError
	case len(*data) == 1: // one U+FFFD for both
		*data = nil
		return utf8.RuneError
	}
	r := utf16.DecodeRune(first, rune(order.Uint16(*data)))
	if r != utf8.RuneError {
		*data = (*data)[2:]
	}
	return r
}
