package mcp

import "github.com/go-json-experiment/json/jsontext"

// plain returns a JSON value without unnecessary escapes in strings, such as \u003c. It
// returns value itself if it is not one JSON value.
func plain(value []byte) []byte {
	text, err := jsontext.AppendFormat(nil, value, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return value
	}
	return text
}
