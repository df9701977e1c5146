package index

import (
	"bytes"
	"encoding/json"

	"github.com/toolscript/toolscript/actors/search/lexical"
)

const (
	maxParameters           = 128
	maxParameterDescription = 1 << 10
)

// parameters are the members of a schema's properties, in its order. What is
// no such schema has none.
func parameters(schema json.RawMessage) []lexical.Parameter {
	var parsed struct {
		Properties members `json:"properties"`
	}
	if json.Unmarshal(schema, &parsed) != nil {
		return nil // the tool is found by its name and description
	}
	var found []lexical.Parameter
	for _, m := range parsed.Properties[:min(len(parsed.Properties), maxParameters)] {
		var property struct {
			Description any `json:"description"`
		}
		_ = json.Unmarshal(m.value, &property) // true is a schema too; it has no description
		description, _ := property.Description.(string)
		found = append(found, lexical.Parameter{Name: m.name, Description: cut(description, maxParameterDescription)})
	}
	return found
}

// members is a JSON object in the order of its text, which encoding/json loses.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

// UnmarshalJSON reads an object; anything else has no members.
func (m *members) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	open, err := d.Token()
	if err != nil || open != json.Delim('{') {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		*m = append(*m, member{name.(string), value})
	}
	return nil
}
