package openapi

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"iter"
	"maps"

	"github.com/toolscript/toolscript"
)

// The documents of large APIs have tens of megabytes, of which one server needs each part once.
// The functions below find the parts of a JSON text without decoding the rest. The text is
// known to be valid.

// members are the members of an object in their order; none of any other value.
func members(text []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		at := blank(text, 0)
		if at == len(text) || text[at] != '{' {
			return
		}
		for at = blank(text, at+1); at < len(text) && text[at] != '}'; {
			end := skip(text, at)
			key := unquote(text[at:end])
			at = blank(text, blank(text, end)+1) // after the colon
			end = skip(text, at)
			if !yield(key, text[at:end]) {
				return
			}
			if at = blank(text, end); at < len(text) && text[at] == ',' {
				at = blank(text, at+1)
			}
		}
	}
}

// items are the items of an array; none of any other value.
func items(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		at := blank(text, 0)
		if at == len(text) || text[at] != '[' {
			return
		}
		for at = blank(text, at+1); at < len(text) && text[at] != ']'; {
			end := skip(text, at)
			if !yield(text[at:end]) {
				return
			}
			if at = blank(text, end); at < len(text) && text[at] == ',' {
				at = blank(text, at+1)
			}
		}
	}
}

// member is one member of an object; nil if there is none.
func member(text []byte, name string) []byte {
	for key, value := range members(text) {
		if key == name {
			return value
		}
	}
	return nil
}

// index has the members of an object by their names.
func index(text []byte) map[string][]byte {
	return maps.Collect(members(text))
}

// blanks are eight spaces, which indented documents have many of.
const blanks = 0x2020202020202020

// blank is the offset of the first byte at or after at that is not a blank.
func blank(text []byte, at int) int {
	for at+8 <= len(text) && binary.LittleEndian.Uint64(text[at:]) == blanks {
		at += 8
	}
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
		at++
	}
	return at
}

// The bytes of JSON at which skip does something.
const (
	opens byte = iota + 1
	closes
	quotes
	lines
)

var structure = [256]byte{'{': opens, '[': opens, '}': closes, ']': closes, '"': quotes, '\n': lines}

// skip is the offset after the value at an offset.
func skip(text []byte, at int) int {
	if at = blank(text, at); at == len(text) {
		return at
	}
	if structure[text[at]] == 0 { // a number, true, false or null
		for at < len(text) && !delimits(text[at]) {
			at++
		}
		return at
	}
	for depth := 0; at < len(text); {
		switch structure[text[at]] {
		case opens:
			depth++
			at++
		case closes:
			depth--
			at++
		case quotes:
			at = quoted(text, at)
		case lines:
			at = blank(text, at+1)
			continue
		default:
			at++
			continue
		}
		if depth <= 0 {
			return at
		}
	}
	return at
}

func delimits(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', ',', ':', '}', ']':
		return true
	}
	return false
}

// quoted is the offset after the string at an offset.
func quoted(text []byte, at int) int {
	for end := at; ; {
		next := bytes.IndexByte(text[min(end+1, len(text)):], '"')
		if next < 0 {
			return len(text)
		}
		end += 1 + next
		escapes := 0
		for text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1
		}
	}
}

// unquote is the value of a string; "" for any other value.
func unquote(text []byte) string {
	if len(text) < 2 || text[0] != '"' {
		return ""
	}
	for _, c := range text {
		if c == '\\' || c >= 0x80 {
			var out string
			_ = json.Unmarshal(text, &out) // the text is valid
			return out
		}
	}
	return string(text[1 : len(text)-1])
}

// written is the value of a string, and a number, true or false as it is written: YAML reads such texts
// as values. "" for any other value.
func written(text []byte) string {
	if len(text) == 0 || text[0] == '{' || text[0] == '[' || text[0] == 'n' {
		return ""
	}
	return scalar(text)
}

// quote is a string as JSON.
func quote(text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c >= 0x80 || c == '"' || c == '\\' {
			out, _ := toolscript.PlainJSON(text) // a string always encodes
			return out
		}
	}
	return []byte(`"` + text + `"`)
}

func isTrue(text []byte) bool { return string(text) == "true" }

func isObject(text []byte) bool { return len(text) > 0 && text[0] == '{' }

func isArray(text []byte) bool { return len(text) > 0 && text[0] == '[' }

// texts are the strings of an array.
func texts(text []byte) (out []string) {
	for item := range items(text) {
		out = append(out, written(item))
	}
	return out
}
