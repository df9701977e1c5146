package validate

import "encoding/json"

// Schema returns why a schema cannot be applied, and nil if it can be.
func Schema(schema json.RawMessage) error {
	_, err := compile(schema)
	return err
}
