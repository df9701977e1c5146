package observe

import "encoding/json"

// Value is the shape of one or several values. The zero Value is the shape of no value.
type Value struct{ shape *shape }

// Of returns the shape of a JSON value. It returns the zero Value if the text is not JSON.
func Of(value json.RawMessage) Value {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return Value{}
	}
	return Value{shapeOf(v, 0)}
}

// Or returns the shape of values that have the shape v or other.
func (v Value) Or(other Value) Value { return Value{merge(v.shape, other.shape)} }

// Type returns the shape on one line of TypeScript; "" for the zero Value.
func (v Value) Type() string {
	if v.shape == nil {
		return ""
	}
	return v.shape.String()
}
