package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolscript/toolscript/internal/naming"
)

// allowed describes the values that the schema allows at the place of a mistake. The text
// never contains the actual value, which may be that of a variable.
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
	case *kind.MinItems, *kind.MaxItems, *kind.UniqueItems:
		return cmp.Or(textOf(schema, "itemsErrorMessage"), notAllowed)
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.MinLength:
		return "must not be empty"
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return `has both command and url; set "type", or remove one of them`
		}
		return "needs a command (the program of a stdio server) or a url (the address of an http server), or \"fleet\": true"
	default:
		return notAllowed
	}
}

const notAllowed = "is not allowed by the schema; see: toolscript config schema"

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

// oneOf lists the values of an enum. written is the text in the file, before expansion.
func oneOf(want []any, written string) string {
	var names, shown []string
	for _, value := range want {
		if name, ok := value.(string); ok {
			names = append(names, name)
		}
		shown = append(shown, asJSON(value))
	}
	return "must be one of " + strings.Join(shown, ", ") + meant(written, names)
}

// elsewhere has advice about fields that users expect at the top of the file.
var elsewhere = map[string]string{ //nolint:gosec // "token" is the name of a field here
	"port":            "the port is never read from a file; use --port or TOOLSCRIPT_PORT",
	"host":            "the address is never read from a file; use --hostname",
	"hostname":        "the address is never read from a file; use --hostname",
	"token":           "the token is never read from a file; every gateway makes its own",
	"servers":         serversHint,
	"mcp":             serversHint,
	"mcp_servers":     serversHint,
	"context_servers": serversHint,
}

const serversHint = `the servers are read from "mcpServers"; rename it`

// elsewhereInServer has advice about names that other MCP clients use for fields of a server.
var elsewhereInServer = map[string]string{
	"enabled":     `write "disabled": true to keep a server from starting`,
	"environment": `did you mean "env"?`,
	"transport":   `did you mean "type"?`,
	"serverUrl":   `did you mean "url"?`,
	"httpUrl":     `did you mean "url"?`,
}

// unknownField describes a field that the schema of its object does not have, with a
// similar name or else all known names.
func unknownField(location []string, schema map[string]any) string {
	name := location[len(location)-1]
	if hint, ok := hintFor(location, name); ok {
		return "unknown field; " + hint
	}
	properties, _ := schema["properties"].(map[string]any)
	known := slices.Sorted(maps.Keys(properties))
	if near := meant(name, known); near != "" {
		return "unknown field" + near
	}
	return "unknown field; the fields here are " + strings.Join(known, ", ")
}

func hintFor(location []string, name string) (hint string, ok bool) {
	switch {
	case len(location) == 1:
		hint, ok = elsewhere[name]
	case len(location) == 3 && location[0] == "mcpServers":
		hint, ok = elsewhereInServer[name]
	}
	return hint, ok
}

// meant suggests the known name that is nearest to the written one.
func meant(written string, known []string) string {
	near := naming.Nearest(written, known, 1)
	for i := range near {
		near[i] = strconv.Quote(near[i])
	}
	return naming.DidYouMean(near)
}
