package rawjson

import "github.com/go-json-experiment/json/jsontext"

// AppendQuoted appends a text as a JSON string. Bytes that are not UTF-8 become U+FFFD.
func AppendQuoted[Text ~string | ~[]byte](to []byte, text Text) []byte {
	to, _ = jsontext.AppendQuote(to, text) // the only error is about bytes that are not UTF-8
	return to
}

// QuotedLen returns the number of bytes that AppendQuoted appends for a text in UTF-8.
func QuotedLen(text []byte) int {
	size := len(`""`) + len(text)
	for _, b := range text {
		switch {
		case b == '"' || b == '\\' || b >= '\b' && b <= '\r' && b != '\v':
			size++
		case b < ' ':
			size += len(`\u0000`) - 1
		}
	}
	return size
}

// AppendCompact appends a valid JSON value without the spaces between its parts.
func AppendCompact(to, value []byte) []byte {
	from, inside := 0, false
	for i := 0; i < len(value); i++ {
		switch b := value[i]; {
		case b == '"':
			inside = !inside
		case inside && b == '\\':
			i++
		case !inside && b <= ' ':
			to = append(to, value[from:i]...)
			from = i + 1
		}
	}
	return append(to, value[from:]...)
}
