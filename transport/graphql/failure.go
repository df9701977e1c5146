package graphql

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript/transport/rawjson"
)

const (
	mostErrors  = 20       // of an answer that are shown
	mostMessage = 2000     // bytes of one message
	mostPath    = 1 << 10  // bytes of the place of an error
	mostShown   = 32 << 10 // bytes of an answer that are searched for secrets before they are shown
)

// messagesOf are the texts of the member errors of an answer, which may be absent. It
// returns false if that is no list of errors. An answer can have millions of them, so the
// first ones are decoded only.
func messagesOf(failures json.RawMessage) (messages []string, ok bool) {
	if failures == nil || string(failures) == "null" {
		return nil, true
	}
	count, list := 0, false
	err := rawjson.Read(failures, func(r *rawjson.Reader) {
		list = r.Array(func() {
			failure := r.Value()
			if count++; count <= mostErrors && failure != nil {
				messages = append(messages, messageOf(failure))
			}
		})
	})
	if count > mostErrors {
		messages = append(messages, fmt.Sprintf("and %d more errors", count-mostErrors))
	}
	return messages, list && err == nil
}

// messageOf is the text of one error.
func messageOf(failure json.RawMessage) string {
	var text string
	var place []any
	rawjson.Object(failure, func(name string, value json.RawMessage) {
		switch {
		case name == "message" && value[0] == '"':
			text = string(rawjson.Unquote(beginning(value)))
		case name == "path" && len(value) <= mostPath:
			_ = json.Unmarshal(value, &place) // the message is enough
		}
	})
	if len(text) > mostMessage {
		text = strings.ToValidUTF8(text[:mostMessage], "") + "…"
	}
	if len(place) > 0 {
		text += fmt.Sprintf(" (at %s)", strings.Trim(strings.Join(strings.Fields(fmt.Sprint(place)), "."), "[]"))
	}
	return text
}

// beginning is a string literal, or the first part of one that is too long to be decoded.
func beginning(literal []byte) []byte {
	const most = 4 * mostMessage
	if len(literal) <= most {
		return literal
	}
	end := 1
	for end < most {
		switch {
		case literal[end] != '\\':
			end++
		case literal[end+1] == 'u':
			end += 6
		default:
			end += 2
		}
	}
	return append(literal[:end:end], '"')
}
