package mcpclient

import (
	"encoding/json"
	"strconv"

	"github.com/toolscript/toolscript/transport/upstream"
)

// callRequest encodes the request of a call.
func callRequest(call *sentCall, t upstream.ToolCall) []byte {
	message := make([]byte, 0, 192+len(t.Tool)+len(t.Args))
	message = append(message, `{"jsonrpc":"2.0","id":`...)
	message = strconv.AppendInt(message, call.id, 10)
	message = append(message, `,"method":"tools/call","params":{"name":`...)
	message = appendText(message, t.Tool)
	message = appendMeta(message, call, t)
	message = append(message, `,"arguments":`...)
	message = appendLine(message, t.Args)
	return append(message, "}}\n"...)
}

// appendMeta appends the member _meta, if it is needed.
func appendMeta(to []byte, call *sentCall, t upstream.ToolCall) []byte {
	separator := `,"_meta":{`
	if t.Progress != nil {
		to = strconv.AppendInt(append(append(to, separator...), `"progressToken":`...), call.id, 10)
		separator = ","
	}
	if t.Trace != "" {
		to = appendText(append(append(to, separator...), `"traceparent":`...), t.Trace)
		separator = ","
	}
	if separator == "," {
		to = append(to, '}')
	}
	return to
}

// cancelled encodes the notification that a request was cancelled.
func cancelled(id int64, reason string) []byte {
	message := strconv.AppendInt([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`), id, 10)
	message = appendText(append(message, `,"reason":`...), reason)
	return append(message, "}}\n"...)
}

// appendText appends a string in JSON.
func appendText(to []byte, text string) []byte {
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' || b >= 0x7f {
			quoted, _ := json.Marshal(text) // a string always has a JSON form
			return append(to, quoted...)
		}
	}
	to = append(to, '"')
	to = append(to, text...)
	return append(to, '"')
}

// appendLine appends a JSON value without line breaks, because a line break ends a
// message. JSON strings contain none.
func appendLine(to []byte, value json.RawMessage) []byte {
	for _, b := range value {
		if b != '\n' && b != '\r' {
			to = append(to, b)
		}
	}
	return to
}
