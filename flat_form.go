package toolscript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxFormDepth is how deep the objects of a form may be nested.
const maxFormDepth = 8

var (
	errNoForm   = errors.New("the form is not an object with properties")
	errDeepForm = fmt.Errorf("the objects of the form are nested more than %d deep", maxFormDepth)
)

// FlatForm is a form without nested objects, for clients and people that fill in one field after
// the other. The field "city" of the object "address" has the name "address.city".
type FlatForm struct {
	Fields []FormField // in the order of the schema
	nested bool
	schema json.RawMessage
}

// FormField is a field of a FlatForm.
type FormField struct {
	Name     string
	Required bool            // every answer must have the field
	Schema   json.RawMessage // JSON Schema of the field
	path     []string
}

// NewFlatForm returns the flat form of the schema of a question. It returns an error if the schema does
// not describe an object, or if its objects are nested too deep.
func NewFlatForm(schema json.RawMessage) (*FlatForm, error) {
	f := &FlatForm{schema: schema}
	if err := f.add(nil, true, schema); err != nil {
		return nil, err
	}
	return f, nil
}

// object has the members of a JSON Schema that describe the properties of an object.
type object struct {
	Type       any             `json:"type"`
	Properties json.RawMessage `json:"properties"`
	Required   []string        `json:"required"`
}

// add appends the properties of the object at path to f.Fields. required reports that every answer must
// have this object.
func (f *FlatForm) add(path []string, required bool, schema json.RawMessage) error {
	var o object
	if json.Unmarshal(schema, &o) != nil {
		return errNoForm
	}
	if len(o.Properties) == 0 {
		return nil
	}
	if len(path) >= maxFormDepth {
		return errDeepForm
	}
	dec := json.NewDecoder(bytes.NewReader(o.Properties))
	if begin, err := dec.Token(); err != nil || begin != json.Delim('{') {
		return errNoForm
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return errNoForm
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return errNoForm
		}
		own := append(slices.Clone(path), name.(string))
		needed := required && slices.Contains(o.Required, name.(string))
		var inner object
		if json.Unmarshal(value, &inner) == nil && inner.Type == "object" && len(inner.Properties) > 0 {
			f.nested = true
			if err := f.add(own, needed, value); err != nil {
				return err
			}
			continue
		}
		f.Fields = append(f.Fields, FormField{f.free(strings.Join(own, ".")), needed, value, own})
	}
	return nil
}

// free returns name, with a number at its end if another field has the same name. Names can be equal
// because the name of a property may contain dots.
func (f *FlatForm) free(name string) string {
	free := name
	for n := 2; slices.ContainsFunc(f.Fields, func(other FormField) bool { return other.Name == free }); n++ {
		free = name + "-" + strconv.Itoa(n)
	}
	return free
}

// Schema returns the JSON Schema of the flat form. A form without nested objects keeps the schema of the
// question.
func (f *FlatForm) Schema() json.RawMessage {
	if !f.nested {
		return f.schema
	}
	properties := []byte{'{'}
	required := []string{}
	for i, field := range f.Fields {
		if i > 0 {
			properties = append(properties, ',')
		}
		name, _ := json.Marshal(field.Name) // a string always has a JSON form
		properties = append(append(append(properties, name...), ':'), field.Schema...)
		if field.Required {
			required = append(required, field.Name)
		}
	}
	text, _ := json.Marshal(map[string]any{"type": "object", "properties": json.RawMessage(append(properties, '}')), "required": required}) // its parts are valid JSON
	return text
}

// Nest converts an answer to the flat form, a JSON object that maps the names of fields to values, to an
// answer to the question.
func (f *FlatForm) Nest(content json.RawMessage) (json.RawMessage, error) {
	if !f.nested {
		return content, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(content, &given); err != nil {
		return nil, err
	}
	whole := map[string]any{}
	for _, field := range f.Fields {
		value, ok := given[field.Name]
		if !ok {
			continue
		}
		delete(given, field.Name)
		at := whole
		for _, name := range field.path[:len(field.path)-1] {
			inner, _ := at[name].(map[string]any)
			if inner == nil {
				inner = map[string]any{}
				at[name] = inner
			}
			at = inner
		}
		at[field.path[len(field.path)-1]] = value
	}
	for name, value := range given { // the schema of the question decides whether unknown members are valid
		whole[name] = value
	}
	return json.Marshal(whole)
}
