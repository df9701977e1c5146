package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolscript/toolscript"
)

// allowed says what may stand at the place of a finding. It never shows the
// value that stands there, which may be that of a variable.
func (d *document) allowed(f finding) string {
	schema := schemaRules().at(f.violation.SchemaURL)
	switch k := f.violation.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		return unknownField(f.location, schema)
	case *kind.Required:
		return "required"
	case *kind.Type:
		found := types[k.Got]
		if k.Got == "number" && slices.Contains(k.Want, "integer") {
			found = "a fraction"
		}
		return fmt.Sprintf("expected %s, found %s", typeNames(k.Want), found)
	case *kind.Enum:
		return oneOf(k.Want, d.root.find(f.location).written)
	case *kind.Pattern, *kind.Format:
		return textOf(schema, "patternErrorMessage")
	case *kind.Not:
		return textOf(schema, "errorMessage")
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.MinLength:
		return "must not be empty"
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return `has both command and url; say with "type" which of them counts, or remove one`
		}
		return "needs a command (the program of a stdio server) or a url (the address of an http server)"
	default:
		return "is not allowed by the schema; see: toolscript config schema"
	}
}

func textOf(schema map[string]any, keyword string) string {
	text, _ := schema[keyword].(string)
	return text
}

var types = map[string]string{
	"array": "an array", "boolean": "true or false", "integer": "a whole number", "null": "null",
	"number": "a number", "object": "an object", "string": "a string",
}

func typeNames(names []string) string {
	var out []string
	for _, name := range names {
		out = append(out, types[name])
	}
	return strings.Join(out, " or ")
}

// oneOf lists the values of an enum. written is the text in the file, in which
// references are not expanded.
func oneOf(want []any, written string) string {
	var names, shown []string
	for _, value := range want {
		name, _ := value.(string)
		names = append(names, name)
		shown = append(shown, fmt.Sprintf("%q", name))
	}
	return "must be one of " + strings.Join(shown, ", ") + meant(written, names)
}

// elsewhere are settings that people look for in the file.
var elsewhere = map[string]string{ //nolint:gosec // "token" is the name of a field here
	"port":     "the port is never read from a file; use --port or TOOLSCRIPT_PORT",
	"host":     "the address is never read from a file; use --hostname",
	"hostname": "the address is never read from a file; use --hostname",
	"token":    "the token is never read from a file; every gateway makes its own",
}

// unknownField is about a field that the schema of its object does not name.
func unknownField(location []string, schema map[string]any) string {
	name := location[len(location)-1]
	if hint, ok := elsewhere[name]; ok && len(location) == 1 {
		return "unknown field; " + hint
	}
	properties, _ := schema["properties"].(map[string]any)
	return "unknown field" + meant(name, slices.Sorted(maps.Keys(properties)))
}

// meant suggests the nearest known name. Long names have none: the distance
// takes time in proportion to both lengths.
func meant(written string, known []string) string {
	if len(written) > maxName {
		return ""
	}
	if near := toolscript.Nearest(written, known, 1); len(near) > 0 {
		return fmt.Sprintf("; did you mean %q?", near[0])
	}
	return ""
}
