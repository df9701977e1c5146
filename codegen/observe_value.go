package codegen

import "encoding/json"

// ObservedValue is the shape of one or several values. The zero ObservedValue is the
// shape of no value.
type ObservedValue struct{ shape *shape }

// ShapeOf returns the shape of a JSON value. It returns the zero ObservedValue if the text
// is not JSON.
func ShapeOf(value json.RawMessage) ObservedValue {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return ObservedValue{}
	}
	return ObservedValue{shapeOf(v, 0)}
}

// Or returns a shape that describes both the values of v and the values of other.
func (v ObservedValue) Or(other ObservedValue) ObservedValue {
	return ObservedValue{merge(v.shape, other.shape)}
}

// Type returns the shape as a TypeScript type on one line; "" for the zero ObservedValue.
func (v ObservedValue) Type() string {
	if v.shape == nil {
		return ""
	}
	return v.shape.String()
}
