package session

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Compact returns the JSON value of a script without white space between its parts. It
// may use the memory of text. It fails if text is not JSON: a script may have taken the
// sandbox over.
func Compact(text []byte) (json.RawMessage, error) {
	value := jsontext.Value(text)
	err := value.Compact(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return json.RawMessage(value), err
}
