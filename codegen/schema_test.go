package codegen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/codegen"
)

// TestGEN10Schemas checks the type of each keyword. The schemas are those of
// parameters; schemas of other types are wrapped as p.
func TestGEN10Schemas(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"true", `true`, "unknown"},
		{"empty", `{}`, "unknown"},
		{"false", `false`, "never"},
		{"string", `{"type": "string"}`, "string"},
		{"integer", `{"type": "integer"}`, "number"},
		{"type list", `{"type": ["string", "null"]}`, "string | null"},
		{"nullable", `{"type": "string", "nullable": true}`, "string | null"},
		{"no positions", `{"type": "array", "prefixItems": []}`, "unknown[]"},
		{"no positions and no rest", `{"type": "array", "prefixItems": [], "items": false}`, "[]"},
		{"equal numbers", `{"enum": [1, 1.0, 1e0, 2.50, 10000000000000000001, 1e-7]}`, "1 | 2.5 | 10000000000000000001 | 1e-7"},
		{"nullable enum", `{"enum": ["a"], "nullable": true}`, `"a" | null`},
		{"const", `{"const": {"a": [1, null], "b-c": true}}`, `{ a: [1, null]; "b-c": true }`},
		{"empty const", `{"const": {}}`, "Record<string, never>"},
		{"enum", `{"type": "string", "enum": ["a", "b", 1, null, "a"]}`, `"a" | "b" | 1 | null`},
		{"number outside double", `{"const": 1e999}`, "number"},
		{"a default, in required", `{"properties": {"a": {"default": 1}, "b": {"$ref": "#/properties/p/properties/a"}, "c": {}}, "required": ["a", "b", "c"]}`, "{ a?: unknown; b?: unknown; c: unknown }"},
		{"required by a part", `{"properties": {"a": {}, "b": {}}, "allOf": [{"required": ["a"]}]}`, "{ a: unknown; b?: unknown }"},
		{"closed beside allOf", `{"type": "object", "additionalProperties": false, "allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}`, "{ a?: unknown } & { b?: unknown }"},
		{"then without if", `{"properties": {"a": {}}, "then": {"properties": {"b": {}}}}`, "{ a?: unknown }"},
		{"closed object", `{"type": "object", "properties": {"a": {}, "b": {"type": "string"}}, "required": ["b"]}`, "{ a?: unknown; b: string }"},
		{"open object", `{"type": "object"}`, "{ [key: string]: unknown }"},
		{"nothing may be given", `{"type": "object", "additionalProperties": false}`, "Record<string, never>"},
		{"required but not declared", `{"properties": {"a": {}}, "required": ["b"]}`, "{ a?: unknown; b: unknown }"},
		{"additionalProperties", `{"additionalProperties": {"type": "number"}}`, "{ [key: string]: number }"},
		{"additionalProperties and properties", `{"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}}`, "{ a?: string; [key: string]: number | string | undefined }"},
		{"additionalProperties true", `{"properties": {"a": {"type": "string"}}, "additionalProperties": true}`, "{ a?: string; [key: string]: unknown }"},
		{"required by additionalProperties", `{"additionalProperties": {"type": "number"}, "required": ["a"]}`, "{ a: number; [key: string]: number }"},
		{"patternProperties", `{"patternProperties": {"^a": {"type": "string"}, "^b": {"type": "null"}}, "additionalProperties": false}`, "{ [key: string]: string | null }"},
		{"unevaluatedProperties false", `{"properties": {"a": {}}, "unevaluatedProperties": false}`, "{ a?: unknown }"},
		{"unevaluatedProperties false and allOf", `{"type": "object", "allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}`, "{ a?: unknown }"},
		{"opened by a branch", `{"properties": {"a": {}}, "allOf": [{"unevaluatedProperties": true}]}`, "{ a?: unknown } & { [key: string]: unknown }"},
		{"closed but for a condition", `{"type": "object", "if": {"properties": {"a": {}}}, "unevaluatedProperties": false}`, "{ a?: unknown }"},
		{"unevaluatedProperties schema", `{"type": "object", "unevaluatedProperties": {"type": "string"}}`, "{ [key: string]: unknown }"},
		{"propertyNames with enum", `{"type": "object", "propertyNames": {"enum": ["a", "b"]}, "additionalProperties": {"type": "number"}}`, "{ a?: number; b?: number }"},
		{"array", `{"type": "array", "items": {"type": ["string", "number"]}}`, "(string | number)[]"},
		{"array of anything", `{"type": "array"}`, "unknown[]"},
		{"maxItems is not expanded", `{"type": "array", "maxItems": 1000000000, "items": {"type": "null"}}`, "null[]"},
		{"tuple", `{"prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 1, "items": false}`, "[string, number?]"},
		{"tuple with rest", `{"prefixItems": [{"type": "string"}], "items": {"type": "null"}}`, "[string?, ...null[]]"},
		{"tuple of draft 7", `{"items": [{"type": "string"}], "additionalItems": {"enum": [1, 2]}}`, "[string?, ...(1 | 2)[]]"},
		{"tuple cut by maxItems", `{"prefixItems": [{"type": "string"}, {"type": "number"}], "maxItems": 1, "minItems": 1}`, "[string]"},
		{"long tuple", `{"prefixItems": [` + strings.Repeat(`{"type": "string"},`, 20) + `{"type": "number"}], "items": false}`, "(string | number)[]"},
		{"anyOf", `{"anyOf": [{"type": "string"}, {"type": "null"}, {"type": "string"}, false]}`, "string | null"},
		{"anyOf with anything", `{"anyOf": [{"type": "string"}, {}]}`, "unknown"},
		{"oneOf discriminated", `{"oneOf": [{"properties": {"k": {"const": "a"}, "x": {"type": "number"}}, "required": ["k"]}, {"properties": {"k": {"const": "b"}}, "required": ["k"]}]}`, `{ k: "a"; x?: number } | { k: "b" }`},
		{"allOf", `{"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "number"}}}]}`, "{ a?: string } & { b?: number }"},
		{"object and allOf", `{"type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}]}`, "{ a?: string }"},
		{"siblings of anyOf", `{"properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}`, "{ a?: string }"},
		{"object and branches without a type", `{"type": "object", "anyOf": [{"required": ["a"]}]}`, "{ [key: string]: unknown }"},
		{"union inside intersection", `{"properties": {"a": {}}, "oneOf": [{"properties": {"b": {}}}, {"properties": {"c": {}}}]}`, "{ a?: unknown } & ({ b?: unknown } | { c?: unknown })"},
		{"conditions open only what they name", `{"properties": {"a": {}}, "if": {"properties": {"a": {"const": 1}}}, "then": {"properties": {"b": {"type": "string"}}, "required": ["b"]}}`, "{ a?: unknown; b?: unknown }"},
		{"conditions inside allOf", `{"properties": {"a": {}}, "allOf": [{"if": {}, "then": {"properties": {"b": {}}}}]}`, "{ a?: unknown; b?: unknown }"},
		{"conditions that cannot be followed", `{"properties": {"a": {}}, "if": {}, "then": {"$ref": "#/$defs/x"}, "$defs": {"x": {}}}`, "{ a?: unknown; [key: string]: unknown }"},
		{"dependentSchemas", `{"properties": {"a": {}}, "dependentSchemas": {"a": {"properties": {"b": {}}}}}`, "{ a?: unknown; b?: unknown }"},
		{"dependentRequired", `{"properties": {"a": {"type": "string"}, "b": {}}, "dependentRequired": {"a": ["b"]}}`, "{ a?: string; b?: unknown } & ({ a?: never } | { a: unknown; b: unknown })"},
		{"dependentRequired, both ways", `{"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"], "b": ["a"]}}`, "{ a?: unknown; b?: unknown } & ({ a?: never; b?: never } | { a: unknown; b: unknown })"},
		{"dependencies of draft 7", `{"properties": {"a": {}, "b": {}}, "required": ["b"], "dependencies": {"a": ["b"]}}`, "{ a?: unknown; b: unknown } & ({ a?: never } | { a: unknown })"},
		{"dependentRequired of what is required", `{"properties": {"a": {}, "b": {}}, "required": ["a"], "dependentRequired": {"a": ["b"]}}`, "{ a: unknown; b?: unknown } & { b: unknown }"},
		{"too many dependencies", `{"properties": {"a": {}}, "dependentRequired": {"a": ["b"], "b": ["c"], "c": ["d"], "d": ["e"]}}`, "{ a?: unknown }"},
		{"declared in one of the branches", `{"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"properties": {"b": {}}}]}`, "{ a?: unknown; [key: string]: unknown }"},
		{"not is no type", `{"type": "string", "not": {"const": "a"}}`, "string"},
		{"not anything", `{"not": {}}`, "never"},
		{"objects and arrays", `{"properties": {"a": {}}, "items": {"type": "null"}}`, "{ a?: unknown } | null[]"},
		{"quoted names", `{"properties": {"a-b": {}, "日本": {}, "__proto__": {}, "new": {}, "": {}, "1": {}}}`, `{ "a-b"?: unknown; "日本"?: unknown; __proto__?: unknown; new?: unknown; ""?: unknown; "1"?: unknown }`},
		{"duplicate keys", `{"properties": {"a": {"type": "string"}, "b": {}, "a": {"type": "number"}}}`, "{ a?: number; b?: unknown }"},
		{"order is kept", `{"properties": {"z": {}, "a": {}, "m": {}}}`, "{ z?: unknown; a?: unknown; m?: unknown }"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, warnings := typeOf(t, `{"type": "object", "properties": {"p": `+tt.schema+`}, "required": ["p"]}`, codegen.Options{})
			if want := "{ p: " + tt.want + " }"; got != want || len(warnings) > 0 {
				t.Errorf("%s\n got %s %v\nwant %s", tt.schema, got, warnings, want)
			}
			parse(t, "t.ts", "type T = "+got)
		})
	}
}

// TestOpen checks that Options.Open gives objects the meaning of JSON Schema.
func TestOpen(t *testing.T) {
	got, _, _ := typeOf(t, `{"properties": {"a": {"type": "string"}, "b": {"additionalProperties": false, "properties": {"c": {}}}}}`, codegen.Options{Open: true})
	if want := "{ a?: string; b?: { c?: unknown }; [key: string]: unknown }"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestReferences checks that references inside the document are resolved, and no
// others.
func TestReferences(t *testing.T) {
	tests := []struct{ name, schema, want, declarations string }{
		{
			"$defs", `{"properties": {"a": {"$ref": "#/$defs/issue label"}}, "$defs": {"issue label": {"properties": {"n": {"type": "string"}}}}}`,
			"{ a?: STParams_IssueLabel }", "export type STParams_IssueLabel = { n?: string };\n",
		},
		{
			"a simple target needs no name", `{"properties": {"a": {"$ref": "#/definitions/n"}}, "definitions": {"n": {"$ref": "#/definitions/m"}, "m": {"type": "string"}}}`,
			"{ a?: string }", "",
		},
		{
			"into properties, escaped", `{"properties": {"a/b~c d": {"properties": {"x": {}}}, "e": {"$ref": "#/properties/a~1b~0c%20d"}}}`,
			`{ "a/b~c d"?: { x?: unknown }; e?: STParams_ABCD }`, "export type STParams_ABCD = { x?: unknown };\n",
		},
		{
			"into a list", `{"properties": {"a": {"anyOf": [{"properties": {"x": {}}}, {"type": "null"}]}, "b": {"$ref": "#/properties/a/anyOf/0"}}}`,
			"{ a?: { x?: unknown } | null; b?: STParams__0 }", "export type STParams__0 = { x?: unknown };\n",
		},
		{
			"recursive root", `{"properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}`,
			"STParams", "export interface STParams { children?: STParams[] }\n",
		},
		{
			"recursive definition", `{"properties": {"n": {"$ref": "#/$defs/node"}}, "$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}, "additionalProperties": {"$ref": "#/$defs/node"}}}}`,
			"{ n?: STParams_Node }", "export type STParams_Node = { next?: STParams_Node; [key: string]: STParams_Node | undefined };\n",
		},
		{
			"anchor", `{"properties": {"a": {"$ref": "#here"}}, "$defs": {"x": {"$anchor": "here", "type": "number"}}}`, "{ a?: number }", "",
		},
		{
			"identities", `{"$id": "https://e.com/root", "properties": {"a": {"$ref": "item"}, "b": {"$ref": "https://e.com/item#/$defs/z"}}, "$defs": {"i": {"$id": "item", "type": "number", "$defs": {"z": {"type": "null"}}}}}`,
			"{ a?: number; b?: null }", "",
		},
		{
			"siblings", `{"properties": {"a": {"$ref": "#/$defs/x", "properties": {"z": {}}}}, "$defs": {"x": {"properties": {"y": {}}}}}`,
			"{ a?: { z?: unknown } & STParams_X }", "export type STParams_X = { y?: unknown };\n",
		},
		{
			"names that meet", `{"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/definitions/x"}}, "$defs": {"x": {"properties": {"y": {}}}}, "definitions": {"x": {"properties": {"z": {}}}}}`,
			"{ a?: STParams_X; b?: STParams_X_2 }", "export type STParams_X = { y?: unknown };\nexport type STParams_X_2 = { z?: unknown };\n",
		},
		{"dynamic, one target", `{"properties": {"a": {"$dynamicRef": "#x"}}, "$defs": {"d": {"$dynamicAnchor": "x", "type": "number"}}}`, "{ a?: number }", ""},
		{
			"dynamic, two targets", `{"properties": {"a": {"$dynamicRef": "#x"}}, "$defs": {"d": {"$dynamicAnchor": "x", "type": "number"}, "e": {"$id": "e", "$dynamicAnchor": "x", "type": "null"}}}`,
			"{ a?: number | null }", "",
		},
		{"recursive, 2019-09", `{"properties": {"a": {"$recursiveRef": "#"}}}`, "STParams", "export interface STParams { a?: STParams }\n"},
		{"anchor of draft 7", `{"properties": {"a": {"$ref": "#x"}, "b": {"$ref": "#/definitions/d"}}, "definitions": {"d": {"$id": "#x", "type": "number"}}}`, "{ a?: number; b?: number }", ""},
		{
			"identity of draft 4", `{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://e.com/a", "properties": {"a": {"$ref": "b"}}, "definitions": {"d": {"id": "b", "type": "number"}}}`,
			"{ a?: number }", "",
		},
		{"boolean target", `{"properties": {"a": {"$ref": "#/$defs/no"}}, "$defs": {"no": false}}`, "{ a?: never }", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, declarations, warnings := typeOf(t, tt.schema, codegen.Options{})
			if got != tt.want || declarations != tt.declarations || len(warnings) > 0 {
				t.Errorf("got %s with\n%s%v\nwant %s with\n%s", got, declarations, warnings, tt.want, tt.declarations)
			}
		})
	}
}

// TestGEN13MalformedSchemas checks that the malformed part becomes unknown, with a
// warning that names it.
func TestGEN13MalformedSchemas(t *testing.T) {
	deep := strings.Repeat(`{"properties": {"a": `, 100) + `{}` + strings.Repeat("}}", 100)
	tests := []struct{ name, schema, want, path string }{
		{"not JSON", `{"type"`, "object", "/inputSchema"},
		{"no schema", `7`, "object", "/inputSchema"},
		{"unknown type", `{"properties": {"a": {"type": "strin"}}}`, "{ a?: unknown }", "/inputSchema/properties/a/type"},
		{"type is a number", `{"properties": {"a": {"type": 1}}}`, "{ a?: unknown }", "/inputSchema/properties/a/type"},
		{"property is a string", `{"properties": {"a": "string"}}`, "{ a?: unknown }", "/inputSchema/properties/a"},
		{"properties is a list", `{"properties": [], "required": ["a"]}`, "{ a: unknown; [key: string]: unknown }", "/inputSchema/properties"},
		{"a reference to another document", `{"$ref": "https://e.com/x", "properties": {"a": {}}}`, "{ a?: unknown; [key: string]: unknown }", "/inputSchema/$ref"},
		{"required is true", `{"properties": {"a": {"type": "string"}}, "required": true}`, "{ a?: string }", "/inputSchema/required"},
		{"enum is empty", `{"properties": {"a": {"enum": []}}}`, "{ a?: unknown }", "/inputSchema/properties/a/enum"},
		{"anyOf is an object", `{"properties": {"a/b": {"anyOf": {}}}}`, `{ "a/b"?: unknown }`, "/inputSchema/properties/a~1b/anyOf"},
		{"other document", `{"properties": {"a": {"$ref": "https://e.com/x"}}}`, "{ a?: unknown }", "/inputSchema/properties/a/$ref"},
		{"file", `{"properties": {"a": {"$ref": "file:///etc/passwd"}}}`, "{ a?: unknown }", "/inputSchema/properties/a/$ref"},
		{"pointer to nothing", `{"properties": {"a": {"$ref": "#/$defs/b"}}}`, "{ a?: unknown }", "/inputSchema/properties/a/$ref"},
		{"pointer to no schema", `{"title": "x", "properties": {"a": {"$ref": "#/title"}}}`, "{ a?: unknown }", "/inputSchema/properties/a/$ref"},
		{"too deep", deep, strings.Repeat("{ a?: ", 65) + "unknown" + strings.Repeat(" }", 65), "/inputSchema" + strings.Repeat("/properties/a", 65)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, warnings := typeOf(t, tt.schema, codegen.Options{})
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if len(warnings) != 1 || warnings[0].Path != tt.path || warnings[0].Server != "s" || warnings[0].Tool != "t" {
				t.Errorf("warnings %v, want one of s/t at %s", warnings, tt.path)
			}
		})
	}
}

// TestGEN15OptionalParams checks that params is optional exactly if {} is allowed.
func TestGEN15OptionalParams(t *testing.T) {
	tests := []struct {
		name, schema string
		want         string
	}{
		{"nothing declared", `{"type": "object"}`, "params?: STParams"},
		{"nothing allowed", `{"type": "object", "additionalProperties": false}`, "params?: STParams"},
		{"one required, with a default", `{"properties": {"a": {"default": 1}}, "required": ["a"]}`, "params?: STParams"},
		{"one required, with a default behind a reference", `{"properties": {"a": {"$ref": "#/$defs/d"}}, "required": ["a"], "$defs": {"d": {"default": 1}}}`, "params?: STParams"},
		{"all optional", `{"properties": {"a": {}}}`, "params?: STParams"},
		{"one required", `{"properties": {"a": {}}, "required": ["a"]}`, "params: STParams"},
		{"required in allOf", `{"allOf": [{"properties": {"a": {}}, "required": ["a"]}]}`, "params: STParams"},
		{"optional in one branch", `{"anyOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]}`, "params?: STParams"},
		{"behind a reference", `{"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {}}, "required": ["a"]}}}`, "params: STParams"},
	}
	for _, tt := range tests {
		text := module(withInput(tt.schema), codegen.Options{Form: codegen.Declarations}).Text
		if want := fmt.Sprintf("t(%s): Promise<STResult>;", tt.want); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", tt.name, want, text)
		}
	}
}

// TestToolsWithoutParameters checks that tools which declare no parameter have no index
// signature.
func TestToolsWithoutParameters(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type": "object", "properties": {}}`:                                                         "",
		`{"type": "object", "properties": {}, "required": [], "$schema": "x", "title": "noArguments"}`: "",
		`{"type": "object", "properties": {}, "additionalProperties": false}`:                          "",
		`{"type": "object", "additionalProperties": false}`:                                            "",
		`{"type": "object"}`: "params?: object",
		`{}`:                 "params?: object",
		`{"type": "object", "properties": {}, "if": {"required": ["a"]}, "then": {"properties": {"a": {}}}}`: "params?: object",
		`{"type": "object", "properties": {}, "additionalProperties": true}`:                                 "params?: { [key: string]: unknown }",
		`{"type": "object", "additionalProperties": {"type": "string"}}`:                                     "params?: { [key: string]: string }",
	} {
		text := module(withInput(schema), codegen.Options{Form: codegen.Compact}).Text
		if !strings.Contains(text, "t("+want+"): Promise<any>") {
			t.Errorf("%s: no t(%s) in\n%s", schema, want, text)
		}
		if declared := module(withInput(schema), codegen.Options{Form: codegen.Declarations}).Text; strings.Contains(declared, "export type STParams = { [") != strings.Contains(want, "[") &&
			strings.Contains(declared, "export interface STParams {\n  [") != strings.Contains(want, "[") {
			t.Errorf("%s: the declarations are\n%s", schema, declared)
		}
	}
}

// TestIntegersOfArguments checks that the checker accepts a bigint where an integer may be
// beyond 2^53, and that the types for readers and those of results stay short.
func TestIntegersOfArguments(t *testing.T) {
	for _, tt := range []struct{ schema, want string }{
		{`{"type": "integer"}`, "number | bigint"},
		{`{"type": "integer", "format": "int64"}`, "number | bigint"},
		{`{"type": "integer", "maximum": 18446744073709551615}`, "number | bigint"},
		{`{"type": ["integer", "null"]}`, "number | bigint | null"},
		{`{"type": "array", "items": {"type": "integer"}}`, "(number | bigint)[]"},
		{`{"type": "integer", "maximum": 100}`, "number"},
		{`{"type": "integer", "exclusiveMaximum": 9007199254740992}`, "number"},
		{`{"type": "integer", "format": "int32"}`, "number"},
		{`{"type": "number"}`, "number"},
	} {
		c := withInput(`{"type": "object", "properties": {"n": ` + tt.schema + `}}`)
		tools := c.Tools()
		tools[0].OutputSchema = tools[0].InputSchema
		text := module(catalog(tools...), codegen.Options{Form: codegen.Declarations}).Text
		if !strings.Contains(text, "n?: "+tt.want+";") && !strings.Contains(text, "n?: "+tt.want+" }") {
			t.Errorf("%s: no %q in\n%s", tt.schema, tt.want, text)
		}
		if result := text[strings.Index(text, "type STResult"):]; strings.Contains(result[:strings.Index(result, ";\n")], "bigint") {
			t.Errorf("%s: bigint in\n%s", tt.schema, result)
		}
		if text := module(catalog(tools...), codegen.Options{Form: codegen.Compact}).Text; strings.Contains(text, "bigint") {
			t.Errorf("%s: bigint in\n%s", tt.schema, text)
		}
	}
}

// TestGEN13MissingInputSchema checks that there is a warning, and no parameters.
func TestGEN13MissingInputSchema(t *testing.T) {
	c := withInput("")
	tools := c.Tools()
	tools[0].InputSchema = nil
	r := module(catalog(tools...), codegen.Options{Form: codegen.Declarations})
	if !strings.Contains(r.Text, "t(params?: STParams)") || !strings.Contains(r.Text, "type STParams = Record<string, never>") {
		t.Errorf("want optional parameters without members in\n%s", r.Text)
	}
	if len(r.Warnings) != 1 || r.Warnings[0].Path != "/inputSchema" {
		t.Errorf("warnings %v, want one at /inputSchema", r.Warnings)
	}
}

// TestArgumentsThatAreNoObject checks that exactly the tools whose schemas allow no
// object get a warning.
func TestArgumentsThatAreNoObject(t *testing.T) {
	for schema, never := range map[string]bool{
		`{"type": "string"}`: true, `{"type": "array"}`: true, `false`: true, `{"const": 1}`: true, `{"anyOf": [{"type": "null"}, {"$ref": "#/$defs/n"}], "$defs": {"n": {"enum": ["x"]}}}`: true,
		`{"type": "object", "allOf": [{"type": "number"}]}`: true,
		`{}`: false, `true`: false, `{"const": {}}`: false, `{"enum": [{"a": 1}, 2]}`: false, `{"type": ["string", "object"]}`: false, `{"$ref": "#/$defs/o", "$defs": {"o": {"type": "object"}}}`: false,
		`{"type": "object", "additionalProperties": false}`: false, `{"allOf": [{"properties": {"a": {}}}, {"required": ["a"]}]}`: false,
	} {
		_, _, warnings := typeOf(t, schema, codegen.Options{})
		if warned := len(warnings) == 1 && warnings[0].Path == "/inputSchema"; warned != never || !never && len(warnings) > 0 {
			t.Errorf("%s: warnings %v, want one about the input schema: %t", schema, warnings, never)
		}
	}
}
