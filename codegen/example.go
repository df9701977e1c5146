package codegen

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
)

// Example is a script that calls a tool the way scripts write it, such as
// tools.files.readFile. Its types fit: required arguments have a value where the
// schema makes one plain, and are left to a declared variable where it does not.
func Example(t toolscript.Tool, call string) string {
	const head = "import { tools } from \"toolscript\";\n"
	if args, ok := sampleArguments(t.InputSchema); ok {
		return head + "const result = await " + call + "(" + args + ");\n"
	}
	return head + "declare const params: Parameters<typeof " + call + ">[0];\n" +
		"const result = await " + call + "(params);\n"
}

// deepSample is how far samples go into a schema, longSample how long a value of
// a server's own may be.
const (
	deepSample = 4
	longSample = 80
)

// sampled are the keywords that a sample can be made by. What any other keyword
// asks for is not known here.
var sampled = []string{
	"type", "properties", "required", "enum", "const", "default", "examples", "items", "minimum",
	"title", "description", "$schema", "$id", "$comment", "additionalProperties", "deprecated", "readOnly", "writeOnly",
	"format", "pattern", "minLength", "maxLength", "maximum", "exclusiveMaximum", "maxItems", "uniqueItems", "multipleOf",
}

// sampleArguments is an object literal with the required arguments.
func sampleArguments(schema json.RawMessage) (literal string, ok bool) {
	if len(bytes.TrimSpace(schema)) == 0 {
		return "", true
	}
	return sample("", schema, deepSample)
}

// sample is a literal of the type of a schema. name is that of its property.
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
	if json.Unmarshal(keywords["type"], &kind) != nil { // several, or none
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
	for i, name := range required {
		value, ok := sample(name, properties[name], depth-1)
		switch {
		case slices.Contains(required[:i], name):
			continue
		case !ok || name == "__proto__": // which a literal gives another meaning
			return "", false
		}
		members = append(members, key(name)+": "+value)
	}
	if len(members) == 0 {
		return "{}", true
	}
	return "{ " + strings.Join(members, ", ") + " }", true
}

// plain is a JSON value that is a short literal of TypeScript too.
func plain(value json.RawMessage) (literal string, ok bool) {
	v := bytes.TrimSpace(value)
	var text string
	if bytes.HasPrefix(v, []byte{'"'}) && json.Unmarshal(v, &text) == nil && len(text) <= longSample {
		return quote(text), true
	}
	return string(v), len(v) > 0 && len(v) <= longSample && strings.IndexByte("-0123456789tfn", v[0]) >= 0
}

// oneWord is a name for a placeholder.
func oneWord(name string) string {
	word := strings.Map(func(r rune) rune {
		if partOfName(r) || r == '_' || r == '-' {
			return r
		}
		return -1
	}, name)
	if word == "" || len(word) > longSample {
		return "text"
	}
	return word
}
