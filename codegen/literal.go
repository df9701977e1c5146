package codegen

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Limits of literals. Without them, a deep default would overflow the stack, and a long
// one would take minutes.
const (
	maxLiteralBytes = 1024
	maxLiteralDepth = 8
	maxLiterals     = 1000 // values of one enum
)

// fixed returns the type of a schema with const or enum; nil for other schemas.
func (c *converter) fixed(v *value, at *path) *typ {
	if only := v.get("const"); only != nil {
		return literal(only)
	}
	enum := v.get("enum")
	switch {
	case enum == nil:
		return nil
	case !enum.is(array) || len(enum.items) == 0:
		c.warn(at.to("enum"), "not a list of values")
		return nil
	}
	types := make([]*typ, 0, len(enum.items))
	for _, item := range enum.items {
		if len(enum.items) > maxLiterals {
			types = append(types, wide(item))
		} else {
			types = append(types, literal(item))
		}
	}
	return union(types...)
}

// literal returns the type whose only value is v, or a wider type if v is too large.
func literal(v *value) *typ {
	var b strings.Builder
	if !writeLiteral(&b, v, 0, asType) {
		return wide(v)
	}
	return word(b.String())
}

// wide returns the type of all values of v's kind.
func wide(v *value) *typ {
	switch v.kind {
	case null:
		return simple["null"]
	case boolean:
		return simple["boolean"]
	case number:
		return simple["number"]
	case text:
		return simple["string"]
	case array:
		return arrayOf(unknown)
	case object:
		return openObject()
	default:
		return unknown
	}
}

// notation is the syntax of objects and numbers: { k: v; } for types, {"k": v} for JSON.
type notation struct {
	key       func(string) string
	number    func(text string, f float64) string
	open      string
	separator string
	close     string
}

var (
	asType = notation{key: key, number: shortest, open: "{ ", separator: "; ", close: " }"}
	asJSON = notation{key: quote, number: asWritten, open: "{", separator: ", ", close: "}"}
)

// shortest returns a number with a fraction or an exponent as JavaScript prints it: 1.0
// becomes 1, so that equal values have equal types. Whole numbers of any length stay
// unchanged.
func shortest(text string, f float64) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	printed, err := json.Marshal(f) // json prints numbers as JavaScript does
	if err != nil {
		return text // impossible: f is finite
	}
	return string(printed)
}

func asWritten(text string, _ float64) string { return text }

// writeLiteral writes v. It stops and returns false when the text becomes too large.
func writeLiteral(b *strings.Builder, v *value, depth int, n notation) bool {
	if depth > maxLiteralDepth || b.Len() > maxLiteralBytes {
		return false
	}
	switch v.kind {
	case null:
		b.WriteString("null")
	case boolean:
		b.WriteString(v.text)
	case number:
		f, err := strconv.ParseFloat(v.text, 64)
		if err != nil || math.IsInf(f, 0) {
			return false
		}
		b.WriteString(n.number(v.text, f))
	case text:
		b.WriteString(quote(v.text))
	case array:
		return writeItems(b, v, depth, n)
	case object:
		return writeMembers(b, v, depth, n)
	default:
		return false
	}
	return b.Len() <= maxLiteralBytes
}

func writeItems(b *strings.Builder, v *value, depth int, n notation) bool {
	b.WriteByte('[')
	for i, item := range v.items {
		if i > 0 {
			b.WriteString(", ")
		}
		if !writeLiteral(b, item, depth+1, n) {
			return false
		}
	}
	b.WriteByte(']')
	return true
}

func writeMembers(b *strings.Builder, v *value, depth int, n notation) bool {
	if len(v.members) == 0 && n.open == asType.open {
		b.WriteString(noMembers.word)
		return true
	}
	b.WriteString(n.open)
	for i, m := range v.members {
		if i > 0 {
			b.WriteString(n.separator)
		}
		b.WriteString(n.key(m.key))
		b.WriteString(": ")
		if !writeLiteral(b, m.value, depth+1, n) {
			return false
		}
	}
	b.WriteString(n.close)
	return true
}

// count returns the value of a keyword such as minItems; ok is false if it is not a whole number.
func count(v *value) (int, bool) {
	if !v.is(number) {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	if err != nil || f < 0 || f != math.Trunc(f) {
		return 0, false
	}
	return int(min(f, math.MaxInt32)), true
}
