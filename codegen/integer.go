package codegen

import "strconv"

// anyInteger is the type of integer arguments that may exceed 2^53, above which a JavaScript number is not exact.
var anyInteger = union(word("number"), word("bigint"))

// mayBeLarge reports whether an integer schema allows values that a JavaScript number cannot
// represent exactly. A schema without an upper bound does.
func mayBeLarge(v *value) bool {
	for _, key := range []string{"maximum", "exclusiveMaximum"} {
		if bound := v.get(key); bound.is(number) {
			most, err := strconv.ParseFloat(bound.text, 64)
			return err != nil || most > 1<<53
		}
	}
	return v.get("format").str() != "int32"
}
