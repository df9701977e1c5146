package mcpclient

import (
	"bytes"
	"encoding/json"
)

// isObject reports whether a valid JSON value is an object. It checks the first byte
// only.
func isObject(value json.RawMessage) bool {
	value = bytes.TrimLeft(value, " \t\r\n")
	return len(value) > 0 && value[0] == '{'
}
