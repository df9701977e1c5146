package codegen

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolscript/toolscript"
)

// Example returns a script that calls a tool. call is the expression of the tool, such
// as tools.files.readFile. The script has no type errors: a required argument has a
// value if the schema makes one obvious, and is otherwise a declared variable.
func Example(t toolscript.Tool, call string) string {
	const head = "import { tools } from \"toolscript\";\n"
	if args, ok := sampleArguments(t.InputSchema); ok {
		return head + "const result = await " + call + "(" + args + ");\n"
	}
	return head + "declare const params: Parameters<typeof " + call + ">[0];\n" +
		"const result = await " + call + "(params);\n"
}

// Limits of a sample: deepSample is the maximum depth of the schema, longSample the maximum
// length of a value that the schema contains, and manySamples the maximum number of members
// of an object.
const (
	deepSample  = 4
	longSample  = 80
	manySamples = 100
)

// sampled are the keywords of schemas for which sample returns a literal. With any other
// keyword, the literal might not fit the type.
var sampled = []string{
	"type", "properties", "required", "enum", "const", "default", "examples", "items", "minimum",
	"title", "description", "$schema", "$id", "$comment", "additionalProperties", "deprecated", "readOnly", "writeOnly",
	"format", "pattern", "minLength", "maxLength", "maximum", "exclusiveMaximum", "maxItems", "uniqueItems", "multipleOf",
}

// sampleArguments returns an object literal with the required arguments. ok is false if the schema does not make
// the value of one of them obvious.
func sampleArguments(schema json.RawMessage) (literal string, ok bool) {
	if len(bytes.TrimSpace(schema)) == 0 {
		return "", true
	}
	return sample("", schema, deepSample)
}

// sample returns a literal of the type of a schema. name is the name of the property.
func sample(name string, schema json.RawMessage, depth int) (literal string, ok bool) {
	var keywords map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(schema, &keywords) != nil {
		return "", false
	}
	for keyword := range keywords {
		if !slices.Contains(sampled, keyword) {
			return "", false
		}
	}
	if value, given := keywords["const"]; given {
		return plain(value)
	}
	if choices, given := keywords["enum"]; given {
		var all []json.RawMessage
		if json.Unmarshal(choices, &all) != nil || len(all) == 0 {
			return "", false
		}
		return plain(all[0])
	}
	var kind string
	if json.Unmarshal(keywords["type"], &kind) != nil { // several types, or none
		return "", false
	}
	switch kind {
	case "string":
		return quote("<" + oneWord(name) + ">"), true
	case "boolean":
		return "true", true
	case "integer", "number":
		var least float64
		if json.Unmarshal(keywords["minimum"], &least) != nil {
			least = 1
		}
		return strconv.FormatFloat(least, 'f', -1, 64), true
	case "array":
		return "[]", true
	case "object":
		return sampleObject(keywords, depth)
	}
	return "", false
}

func sampleObject(keywords map[string]json.RawMessage, depth int) (literal string, ok bool) {
	var properties map[string]json.RawMessage
	var required []string
	if p := keywords["properties"]; p != nil && json.Unmarshal(p, &properties) != nil {
		return "", false
	}
	if r := keywords["required"]; r != nil && json.Unmarshal(r, &required) != nil {
		return "", false
	}
	var members []string
	given := map[string]bool{}
	for _, name := range required {
		if given[name] {
			continue
		}
		given[name] = true
		if optional(properties[name]) {
			continue
		}
		value, ok := sample(name, properties[name], depth-1)
		if !ok || len(members) == manySamples || name == "__proto__" { // __proto__ in a literal sets the prototype
			return "", false
		}
		members = append(members, key(name)+": "+value)
	}
	if len(members) == 0 {
		return "{}", true
	}
	return "{ " + strings.Join(members, ", ") + " }", true
}

// optional reports whether a member has a default, so that it may be left out.
func optional(schema json.RawMessage) bool {
	var keywords map[string]json.RawMessage
	return json.Unmarshal(schema, &keywords) == nil && keywords["default"] != nil
}

// plain returns a JSON value as a short TypeScript literal.
func plain(value json.RawMessage) (literal string, ok bool) {
	v := bytes.TrimSpace(value)
	var text string
	if bytes.HasPrefix(v, []byte{'"'}) && json.Unmarshal(v, &text) == nil && len(text) <= longSample {
		return quote(text), true
	}
	return string(v), len(v) > 0 && len(v) <= longSample && strings.IndexByte("-0123456789tfn", v[0]) >= 0
}

// oneWord returns name as one word, for a placeholder.
func oneWord(name string) string {
	word := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' {
			return r
		}
		return -1
	}, name)
	if word == "" || len(word) > longSample {
		return "text"
	}
	return word
}
