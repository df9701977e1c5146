package codegen

import "strconv"

// anyInteger is the type of integers in arguments: a number is exact only up to 2^53.
var anyInteger = union(word("number"), word("bigint"))

// mayBeLarge reports whether a schema of integers allows some that a number cannot tell
// from their neighbours. Integers without an upper bound do.
func mayBeLarge(v *value) bool {
	for _, key := range []string{"maximum", "exclusiveMaximum"} {
		if bound := v.get(key); bound.is(number) {
			most, err := strconv.ParseFloat(bound.text, 64)
			return err != nil || most > 1<<53
		}
	}
	return v.get("format").str() != "int32"
}
