package session

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Compact removes the white space between the tokens of a script's JSON value. It may reuse
// the memory of text. It returns an error if text is not JSON, which a script that controls
// its sandbox can send.
func Compact(text []byte) (json.RawMessage, error) {
	value := jsontext.Value(text)
	err := value.Compact(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return json.RawMessage(value), err
}
