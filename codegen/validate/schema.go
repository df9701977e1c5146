package validate

import (
	"cmp"
	"encoding/json"
)

// Schema returns the reason why a schema, or a part of it, cannot be applied; nil if there is none.
func Schema(schema json.RawMessage) error {
	_, problem, err := compile(schema)
	return cmp.Or(err, problem)
}
