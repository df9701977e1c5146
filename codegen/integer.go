package codegen

import "strconv"

// anyInteger is the type of integer arguments that a number may not represent exactly, above 2^53.
var anyInteger = union(word("number"), word("bigint"))

// mayBeLarge reports whether an integer schema allows values that a number cannot
// represent exactly. It does if there is no upper bound.
func mayBeLarge(v *value) bool {
	for _, key := range []string{"maximum", "exclusiveMaximum"} {
		if bound := v.get(key); bound.is(number) {
			most, err := strconv.ParseFloat(bound.text, 64)
			return err != nil || most > 1<<53
		}
	}
	return v.get("format").str() != "int32"
}
