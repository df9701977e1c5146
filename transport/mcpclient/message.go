package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/internal/rawjson"
	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
)

// message is a message of the server.
type message struct {
	method             string
	id, result, params json.RawMessage // slices of the message's bytes
	failure            *mcp.JSONRPCErrorDetails
	unversioned        bool // it has no version of JSON-RPC
}

// read reads a message in UTF-8 or ISO-8859-1; see parse.
func (c *calls) read(text []byte) (m message, ok bool) {
	text, latin := httptransport.UTF8(text)
	if latin {
		c.odd.note(httptransport.LatinText)
	}
	return parse(text)
}

// parse reads a message in one pass. It returns false if text is not a JSON object or if a
// member has the wrong type.
func parse(text []byte) (m message, ok bool) {
	var parseErr error
	m.unversioned = true
	ok = rawjson.Object(text, func(name string, value json.RawMessage) {
		switch name {
		case "jsonrpc":
			m.unversioned = false
		case "id":
			m.id = value
		case "method":
			m.method, parseErr = parseText(value, parseErr)
		case "result":
			m.result = value
		case "params":
			m.params = value
		case "error":
			var failure *mcp.JSONRPCErrorDetails
			parseErr = errors.Join(parseErr, json.Unmarshal(value, &failure))
			m.failure = failure
		}
	})
	return m, ok && parseErr == nil
}

// parseText reads a JSON string, with a short path for strings without escapes.
func parseText(literal json.RawMessage, before error) (text string, err error) {
	if len(literal) > 1 && literal[0] == '"' && bytes.IndexByte(literal, '\\') < 0 {
		return string(literal[1 : len(literal)-1]), before
	}
	err = json.Unmarshal(literal, &text)
	return text, errors.Join(before, err)
}

// startsMessage reports whether a line begins like a JSON object. Servers, and npx or uvx that start
// them, print other text to standard output by mistake. Objects that Node prints have no quote after
// the brace.
func startsMessage(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	line = bytes.TrimLeft(line[1:], " \t")
	return len(line) > 0 && (line[0] == '"' || line[0] == '}')
}
