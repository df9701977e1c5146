package index

import (
	"bytes"
	"encoding/json"

	"github.com/toolscript/toolscript/actors/search/lexical"
	"github.com/toolscript/toolscript/internal/texts"
)

const (
	maxParameters           = 128
	maxParameterDescription = 1 << 10
	maxValues               = 32 // per parameter
	maxValue                = 64 // in bytes
)

// parameters returns the properties of a schema, in their order; nil for a schema that does
// not describe an object.
func parameters(schema json.RawMessage) []lexical.Parameter {
	var parsed struct {
		Properties members `json:"properties"`
	}
	if json.Unmarshal(schema, &parsed) != nil {
		return nil // search still finds the tool by name and description
	}
	var found []lexical.Parameter
	for _, m := range parsed.Properties[:min(len(parsed.Properties), maxParameters)] {
		var property struct {
			Description any `json:"description"`
			Enum        any `json:"enum"`
		}
		_ = json.Unmarshal(m.value, &property) // the schema true is valid and has no description
		description, _ := property.Description.(string)
		found = append(found, lexical.Parameter{
			Name: m.name, Description: texts.Cut(description, maxParameterDescription), Values: values(property.Enum),
		})
	}
	return found
}

// values returns the strings of an enumeration.
func values(enum any) []string {
	list, _ := enum.([]any)
	var found []string
	for _, v := range list[:min(len(list), maxValues)] {
		if text, ok := v.(string); ok {
			found = append(found, texts.Cut(text, maxValue))
		}
	}
	return found
}

// members is a JSON object in the order of its text, which encoding/json does not
// keep.
type members []member

type member struct {
	name  string
	value json.RawMessage
}

// UnmarshalJSON decodes an object. Other values have no members.
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
