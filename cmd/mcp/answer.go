package mcp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// readable returns a message unchanged, unless it is an answer of the client that mcp-go
// cannot read: the question would wait until its limit. The id of such an answer becomes a
// whole number, and an answer that cannot be read at all becomes an error.
func readable(text []byte) []byte {
	var m message
	if json.Unmarshal(text, &m) != nil {
		id := wholeID([]byte(idIn(text, text)))
		if id == "" || bytes.Contains(text, []byte(`"method"`)) || !bytes.Contains(text, []byte(`"result"`)) && !bytes.Contains(text, []byte(`"error"`)) {
			return text
		}
		return unreadable(id)
	}
	id := wholeID(m.ID)
	if m.Method != "" || id == "" || m.Result == nil && m.Error == nil {
		return text
	}
	var failure struct {
		Code    int
		Message string
	}
	var result map[string]json.RawMessage
	switch {
	case m.Error != nil && json.Unmarshal(m.Error, &failure) != nil, m.Error == nil && json.Unmarshal(m.Result, &result) != nil:
		return unreadable(id)
	case id == string(m.ID):
		return text
	case m.Error != nil:
		return []byte(`{"jsonrpc":"2.0","id":` + id + `,"error":` + string(m.Error) + `}`)
	default:
		return []byte(`{"jsonrpc":"2.0","id":` + id + `,"result":` + string(m.Result) + `}`)
	}
}

func unreadable(id string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"the answer of the client cannot be read"}}`)
}

// wholeID returns a request id, a whole number that may be written as 7.0 or "7"; "" if it is not one.
func wholeID(id []byte) string {
	text := strings.TrimSuffix(strings.Trim(string(id), `"`), ".0")
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return ""
	}
	return text
}
