package validate

import (
	"cmp"
	"encoding/json"
)

// Schema returns why a schema cannot be applied, and nil if it can be.
func Schema(schema json.RawMessage) error {
	_, problem, err := compile(schema)
	return cmp.Or(err, problem)
}
