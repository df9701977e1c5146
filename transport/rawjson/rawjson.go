// Package rawjson finds the parts of JSON values without copying them. encoding/json
// copies each RawMessage.
package rawjson

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const space = " \t\r\n"

// Valid reports whether text is one JSON value, as json.Valid does, in a third of its
// time.
func Valid(text []byte) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// Unquote returns the text of a string literal, with U+FFFD for bytes that are not
// UTF-8. literal must be a valid JSON string.
func Unquote(literal []byte) []byte {
	text, _ := jsontext.AppendUnquote(make([]byte, 0, len(literal)-2), literal) // the error is that of bytes that are not UTF-8
	return text
}

// Object calls member for each member of a JSON object. The values are slices of
// text. It returns false if text is not an object. text must be valid JSON; see
// Valid.
func Object(text []byte, member func(name string, value json.RawMessage)) bool {
	rest := bytes.TrimLeft(text, space)
	if len(rest) == 0 || rest[0] != '{' {
		return false
	}
	rest = bytes.TrimLeft(rest[1:], space)
	for len(rest) > 0 && rest[0] != '}' {
		var name, value []byte
		name, rest = cut(rest)
		rest = bytes.TrimLeft(bytes.TrimLeft(rest, space)[1:], space) // skip the colon
		value, rest = cut(rest)
		member(nameOf(unquoted(name)), value)
		rest = next(rest)
	}
	return true
}

// Array calls item for each item of a JSON array. It returns false if text is not an
// array. text must be valid JSON.
func Array(text []byte, item func(value json.RawMessage)) bool {
	rest := bytes.TrimLeft(text, space)
	if len(rest) == 0 || rest[0] != '[' {
		return false
	}
	rest = bytes.TrimLeft(rest[1:], space)
	for len(rest) > 0 && rest[0] != ']' {
		var value []byte
		value, rest = cut(rest)
		item(value)
		rest = next(rest)
	}
	return true
}

// next skips white space and a comma.
func next(rest []byte) []byte {
	rest = bytes.TrimLeft(rest, space)
	if len(rest) > 0 && rest[0] == ',' {
		rest = bytes.TrimLeft(rest[1:], space)
	}
	return rest
}

// nameOf is string(name), without an allocation for the names in most messages.
func nameOf(name []byte) string {
	switch string(name) {
	case "jsonrpc":
		return "jsonrpc"
	case "id":
		return "id"
	case "result":
		return "result"
	case "content":
		return "content"
	case "structuredContent":
		return "structuredContent"
	case "isError":
		return "isError"
	case "_meta":
		return "_meta"
	case "type":
		return "type"
	case "text":
		return "text"
	}
	return string(name)
}

// unquoted returns the text of a string literal, without a copy if possible.
func unquoted(literal []byte) []byte {
	if inner := literal[1 : len(literal)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	return Unquote(literal)
}

// cut splits a text after its first value.
func cut(text []byte) (value, rest []byte) {
	switch text[0] {
	case '"':
		return split(text, literalEnd(text))
	case '{', '[':
		return split(text, containerEnd(text))
	}
	end := bytes.IndexAny(text, ",]} \t\r\n")
	if end < 0 {
		end = len(text)
	}
	return split(text, end)
}

func split(text []byte, at int) (value, rest []byte) { return text[:at:at], text[at:] }

// literalEnd returns the length of the string literal at the beginning of text.
func literalEnd(text []byte) int {
	for at := 1; ; {
		quote := at + bytes.IndexByte(text[at:], '"')
		slashes := 0
		for text[quote-1-slashes] == '\\' {
			slashes++
		}
		if at = quote + 1; slashes%2 == 0 {
			return at
		}
	}
}

// containerEnd returns the length of the object or array at the beginning of text.
func containerEnd(text []byte) int {
	depth := 0
	for at := 0; ; at++ {
		switch text[at] {
		case '"':
			at += literalEnd(text[at:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
}
