package openapi

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"iter"
	"maps"

	"github.com/toolscript/toolscript"
)

// The documents of large APIs have tens of megabytes, and a server needs each part only
// once. The functions below find the parts of a JSON text without decoding the rest. The
// text must be valid JSON.

// members iterates over the members of an object, in their order. Any other value has no members.
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

// items iterates over the items of an array. Any other value has no items.
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

// member returns one member of an object, or nil if there is no such member.
func member(text []byte, name string) []byte {
	for key, value := range members(text) {
		if key == name {
			return value
		}
	}
	return nil
}

// index returns the members of an object by name.
func index(text []byte) map[string][]byte {
	return maps.Collect(members(text))
}

// blanks is eight spaces: indented documents have many of them.
const blanks = 0x2020202020202020

// blank returns the offset of the first byte at or after at that is not white space.
func blank(text []byte, at int) int {
	for at+8 <= len(text) && binary.LittleEndian.Uint64(text[at:]) == blanks {
		at += 8
	}
	for at < len(text) && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t') {
		at++
	}
	return at
}

// Classes of bytes at which skip stops.
const (
	opens byte = iota + 1
	closes
	quotes
	lines
)

var structure = [256]byte{'{': opens, '[': opens, '}': closes, ']': closes, '"': quotes, '\n': lines}

// skip returns the offset after the value at an offset.
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

// quoted returns the offset after the string at an offset.
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

// unquote returns the value of a string, or "" for any other value.
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

// written returns the value of a string, or the text of a number, true or false. In YAML, strings
// without quotes that look like these become such values. For any other value it returns "".
func written(text []byte) string {
	if len(text) == 0 || text[0] == '{' || text[0] == '[' || text[0] == 'n' {
		return ""
	}
	return scalar(text)
}

// quote returns a string as JSON.
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

// writtenAll returns the result of written for each item of an array.
func writtenAll(text []byte) (out []string) {
	for item := range items(text) {
		out = append(out, written(item))
	}
	return out
}
