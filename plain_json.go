package toolscript

import (
	"bytes"
	"encoding/json"
)

// PlainJSON returns a value as JSON on one line. Unlike json.Marshal, it does not escape
// <, > and &, because people and models read the text.
func PlainJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
