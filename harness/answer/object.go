package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// object is a JSON object with case-sensitive keys. For a struct, encoding/json would accept "Role" as "role".
type object map[string]json.RawMessage

// text returns a string member; "" for other values.
func (o object) text(key string) string {
	var text string
	if json.Unmarshal(o[key], &text) != nil {
		return ""
	}
	return text
}

// object returns an object member; nil for other values.
func (o object) object(key string) object {
	var inner object
	if json.Unmarshal(o[key], &inner) != nil {
		return nil
	}
	return inner
}

// list returns the objects of a list member.
func (o object) list(key string) []object { return objects(o[key]) }

// objects returns the objects in a JSON list, without other elements.
func objects(raw json.RawMessage) []object {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil
	}
	var all []object
	for _, element := range elements {
		var o object
		if json.Unmarshal(element, &o) == nil && o != nil {
			all = append(all, o)
		}
	}
	return all
}

func isObject(raw json.RawMessage) bool {
	var o object
	return json.Unmarshal(raw, &o) == nil && o != nil
}

// maxValues is the maximum number of JSON values in the data.
const maxValues = 100_000

// split returns the items or messages in the data. The data is a sequence of single values,
// lists and whole responses.
func split(data []byte) ([]object, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	var all []object
	for range maxValues {
		var raw json.RawMessage
		switch err := decoder.Decode(&raw); {
		case errors.Is(err, io.EOF) && len(all) == 0:
			return nil, errors.New("the answer is empty")
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("the answer is not JSON: %w", err)
		}
		more, err := unpacked(raw)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return nil, fmt.Errorf("the answer has more than %d JSON values", maxValues)
}

// unpacked returns the items or messages of one JSON value.
func unpacked(raw json.RawMessage) ([]object, error) {
	if raw[0] == '[' {
		return objects(raw), nil
	}
	var o object
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return nil, errors.New("the answer is no JSON object and no list of them")
	}
	if _, isMessage := o["role"]; isMessage {
		return []object{o}, nil
	}
	if o.text("object") == "response" || o["output"] != nil && o["type"] == nil {
		return o.list("output"), nil
	}
	if choices := o.list("choices"); len(choices) > 0 {
		return []object{choices[0].object("message")}, nil
	}
	return []object{o}, nil
}
