package validate

import (
	"encoding/json"
	"math"
	"math/big"
)

// form returns a description of the values that a keyword may have; "" if value is valid.
func (r *repairer) form(keyword string, value any) (want string) {
	ok := true
	switch keyword {
	case "$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$comment", "title", "description", "format", "contentEncoding", "contentMediaType":
		_, ok = value.(string)
		want = "a text"
	case "pattern":
		text, isText := value.(string)
		ok, want = isText && r.compiles(text), "a regular expression"
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		_, ok = value.(bool)
		want = "true or false"
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		_, ok = value.(json.Number)
		want = "a number"
	case "multipleOf":
		number := rational(value)
		ok, want = number != nil && number.Sign() > 0, "a number above 0"
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		number := rational(value)
		ok, want = number != nil && number.IsInt() && number.Sign() >= 0 && number.Cmp(most) <= 0, "a whole number"
	case "type":
		ok, want = isType(value), "the name of a type or a list of names"
	case "required", "examples":
		_, ok = value.([]any)
		want = "a list"
	case "enum", "allOf", "anyOf", "oneOf", "prefixItems":
		list, isList := value.([]any)
		ok, want = isList && len(list) > 0, "a list that is not empty"
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "contentSchema":
		ok, want = isSchema(value), "a schema"
	case "items":
		list, isList := value.([]any)
		ok, want = isSchema(value) || isList && len(list) > 0, "a schema or a list of schemas"
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependentRequired", "dependencies":
		_, ok = value.(map[string]any)
		want = "an object"
	}
	if ok {
		return ""
	}
	return want
}

var most = big.NewRat(math.MaxInt32, 1)

func (r *repairer) compiles(pattern string) bool {
	_, err := r.patterns.compile(pattern)
	return err == nil
}

func isType(value any) bool {
	names, isList := value.([]any)
	if !isList {
		names = []any{value}
	}
	for _, name := range names {
		text, _ := name.(string)
		if _, known := types[text]; !known {
			return false
		}
	}
	return len(names) > 0
}

func isSchema(value any) bool {
	switch value.(type) {
	case bool, map[string]any:
		return true
	}
	return false
}

// typed are the keywords that apply only to values of one type, such as strings.
var typed = []string{
	"properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "required", "propertyNames", "minProperties", "maxProperties",
	"dependentRequired", "dependentSchemas", "dependencies", "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
	"minItems", "maxItems", "uniqueItems", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
}

// forget removes the keywords in typed from a schema whose type is unknown.
func forget(s map[string]any) {
	for _, keyword := range typed {
		delete(s, keyword)
	}
}
