package validate_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen/validate"
)

const (
	draft7 = `"$schema": "http://json-schema.org/draft-07/schema#"`
	draft4 = `"$schema": "http://json-schema.org/draft-04/schema#"`
)

// TestWhatTypesAllowIsSent has schemas to which JSON Schema gives a stricter meaning than their authors and
// package codegen do. Arguments that the authors mean must cause no Detail.
func TestWhatTypesAllowIsSent(t *testing.T) {
	tests := []struct {
		name, schema, args string
		want               []toolscript.Detail
	}{
		{name: "nullable", schema: `{"required": ["a"], "properties": {"a": {"type": "string", "nullable": true}}}`, args: `{"a": null}`},
		{name: "nullable, with a choice", schema: `{"required": ["a"], "properties": {"a": {"enum": ["x"], "nullable": true}}}`, args: `{"a": null}`},
		{name: "nullable, with a reference", schema: `{"required": ["a"], "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "object", "nullable": true}}}`, args: `{"a": null}`},
		{
			name: "nullable is false", schema: `{"required": ["a"], "properties": {"a": {"type": "string", "nullable": false}}}`, args: `{"a": null}`,
			want: []toolscript.Detail{{Path: "/a", Message: "expected string, got null"}},
		},
		{name: "prefixItems of draft 7", schema: `{` + draft7 + `, "properties": {"a": {"prefixItems": [{"type": "string"}], "items": false}}}`, args: `{"a": ["x"]}`},
		{
			name: "prefixItems of draft 7, position", schema: `{` + draft7 + `, "properties": {"a": {"prefixItems": [{"type": "string"}], "items": {"type": "number"}}}}`,
			args: `{"a": [1, "x"]}`,
			want: []toolscript.Detail{{Path: "/a/0", Message: "expected string, got number"}, {Path: "/a/1", Message: "expected number, got string"}},
		},
		{name: "exclusiveMinimum of draft 4", schema: `{` + draft4 + `, "properties": {"a": {"minimum": 1, "exclusiveMinimum": false}}}`, args: `{"a": 1}`},
		{name: "exclusiveMinimum of draft 6 in draft 4", schema: `{` + draft4 + `, "properties": {"a": {"exclusiveMinimum": 0}}}`, args: `{"a": 1}`},
		{name: "choices of another type", schema: `{"properties": {"a": {"type": "integer", "enum": ["1", "2"]}}}`, args: `{"a": "1"}`},
		{
			name: "choices of another type, none of them", schema: `{"properties": {"a": {"type": "integer", "enum": ["1", "2"]}}}`, args: `{"a": 1}`,
			want: []toolscript.Detail{{Path: "/a", Message: `expected one of "1", "2", got number`}},
		},
		{name: "a constant of another type", schema: `{"properties": {"a": {"type": "string", "const": 1}}}`, args: `{"a": 1}`},
		{name: "choices that break another keyword", schema: `{"properties": {"a": {"enum": ["x"], "minLength": 2}}}`, args: `{"a": "x"}`},
		{name: "closed beside allOf", schema: `{"additionalProperties": false, "allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/b"}], "$defs": {"b": {"properties": {"b": {}}}}}`, args: `{"a": 1, "b": 2}`},
		{name: "closed inside allOf", schema: `{"properties": {"a": {}}, "allOf": [{"properties": {"b": {}}, "additionalProperties": false}]}`, args: `{"a": 1, "b": 2}`},
		{name: "closed beside anyOf", schema: `{"additionalProperties": false, "anyOf": [{"required": ["a"]}, {"properties": {"b": {}}}]}`, args: `{"a": 1}`},
		{
			name: "closed beside allOf, and declared nowhere", schema: `{"additionalProperties": false, "properties": {"ab": {}}, "allOf": [{"properties": {"a": {}}}]}`, args: `{"ac": 1}`,
			want: []toolscript.Detail{{Path: "/ac", Message: `unknown property "ac"; did you mean "ab"?`}},
		},
		{
			name: "declared only by another alternative", schema: `{"anyOf": [{"properties": {"a": {}}, "additionalProperties": false}, {"properties": {"b": {"type": "string"}}, "required": ["b"]}]}`,
			args: `{"b": 1}`,
			want: []toolscript.Detail{{Path: "/b", Message: `no alternative fits; in the nearest, unknown property "b"; did you mean "a"?`}},
		},
		{name: "a default", schema: `{"required": ["a"], "properties": {"a": {"type": "string", "default": "x"}}}`, args: `{}`},
		{name: "a default behind a reference", schema: `{"required": ["a"], "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"default": 1}}}`, args: `{}`},
		{name: "a default of a nested object", schema: `{"properties": {"o": {"required": ["a"], "properties": {"a": {"default": null}}}}}`, args: `{"o": {}}`},
		{
			name: "a default of another member", schema: `{"required": ["a"], "properties": {"a": {}, "b": {"default": 1}}}`, args: `{}`,
			want: []toolscript.Detail{{Message: `missing property "a"`}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v validate.Validator
			details, err := v.Check(t.Context(), raw(tt.schema), raw(tt.args))
			if diff := cmp.Diff(tt.want, details); diff != "" || err != nil {
				t.Errorf("Check(%s): error %v, -want +got\n%s", tt.args, err, diff)
			}
			if problem := v.Problem(raw(tt.schema)); problem != nil {
				t.Errorf("Problem = %v, want none", problem)
			}
		})
	}
}

// TestNullOfAnOptionalMember checks which members Fit removes, and that it copies all other text
// unchanged.
func TestNullOfAnOptionalMember(t *testing.T) {
	tests := []struct{ name, schema, args, want string }{
		{"optional", `{"properties": {"a": {"type": "string"}, "b": {}}}`, `{"a": null, "b": 1.0}`, `{"b": 1.0}`},
		{"the last one", `{"properties": {"a": {"type": "string"}}}`, `{"a":null}`, `{}`},
		{"allowed", `{"properties": {"a": {"type": ["string", "null"]}}}`, `{ "a": null }`, `{ "a": null }`},
		{"without a type", `{"properties": {"a": {}}}`, `{"a": null}`, `{"a": null}`},
		{"unknown", `{"properties": {}, "additionalProperties": false}`, `{"a": null}`, `{"a": null}`},
		{"nested", `{"properties": {"l": {"items": {"properties": {"a": {"type": "string"}}}}}}`, `{"l": [{"a": null, "b": 1}, {"a": "x"}]}`, `{"l":[{"b":1},{"a": "x"}]}`},
		{"a name with escapes", `{"properties": {"a/b~": {"type": "string"}}}`, `{"a\/b~": null, "x": "\u00e9"}`, `{"x":"\u00e9"}`},
		{"given twice", `{"properties": {"a": {"type": "string"}}}`, `{"a": "x", "a": null}`, `{}`},
		{"of a map", `{"properties": {"m": {"additionalProperties": {"type": "string"}}}}`, `{"m": {"a": null}}`, `{"m":{}}`},
		{"of an alternative", `{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "number"}]}}}`, `{"a": null}`, `{}`},
		{"inside of an alternative", `{"properties": {"a": {"anyOf": [{"type": "string"}, {"properties": {"n": {"type": "number"}}}]}}}`, `{"a": {"n": null}}`, `{"a":{}}`},
		{"a choice", `{"properties": {"a": {"enum": ["x", "y"]}}}`, `{"a": null}`, `{}`},
		{"a default", `{"required": ["a"], "properties": {"a": {"type": "string", "default": "x"}}}`, `{"a": null}`, `{}`},
		{"numbers stay exact", `{"properties": {"a": {"type": "string"}}}`, `{"a": null, "n": 9007199254740993}`, `{"n":9007199254740993}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v validate.Validator
			sent, details, err := v.Fit(t.Context(), raw(tt.schema), json.RawMessage(tt.args))
			if tt.name == "unknown" {
				if len(details) == 0 {
					t.Errorf("Fit = %s, want an unknown property", sent)
				}
				return
			}
			if err != nil || details != nil {
				t.Fatalf("Fit: %v, %v", details, err)
			}
			if squeeze(sent) != squeeze([]byte(tt.want)) {
				t.Errorf("Fit(%s) = %s, want %s", tt.args, sent, tt.want)
			}
		})
	}
	for name, tt := range map[string]struct{ schema, args, want string }{
		"required":           {`{"required": ["a"], "properties": {"a": {"type": "string"}}}`, `{"a": null}`, "/a: expected string, got null"},
		"an item":            {`{"properties": {"l": {"items": {"type": "string"}}}}`, `{"l": [null]}`, "/l/0: expected string, got null"},
		"beside a violation": {`{"properties": {"a": {"type": "string"}, "b": {"type": "string"}}}`, `{"a": null, "b": 1}`, "/b: expected string, got number"},
	} {
		var v validate.Validator
		sent, details, err := v.Fit(t.Context(), raw(tt.schema), json.RawMessage(tt.args))
		if err != nil || len(details) != 1 || details[0].Path+": "+details[0].Message != tt.want {
			t.Errorf("%s: Fit(%s) = %s, %v, %v; want %s", name, tt.args, sent, details, err, tt.want)
		}
	}
}

// squeeze removes spaces, which no text of these tests contains.
func squeeze(text []byte) string {
	var kept []byte
	for _, c := range text {
		if c != ' ' {
			kept = append(kept, c)
		}
	}
	return string(kept)
}

// TestKeywordOfAWrongForm checks schemas with a keyword whose value is not valid: the rest of the schema
// is applied, and Problem names the keyword.
func TestKeywordOfAWrongForm(t *testing.T) {
	for wrong, want := range map[string]string{
		`"required": true`:                     "the schema is not valid at #/properties/a: required must be a list; the rest of it is applied",
		`"minLength": "1"`:                     "the schema is not valid at #/properties/a: minLength must be a whole number; the rest of it is applied",
		`"pattern": "(?<"`:                     "the schema is not valid at #/properties/a: pattern must be a regular expression; the rest of it is applied",
		`"anyOf": []`:                          "the schema is not valid at #/properties/a: anyOf must be a list that is not empty; the rest of it is applied",
		`"properties": {"x": 1}`:               "the schema is not valid at #/properties/a/properties: x must be a schema; the rest of it is applied",
		`"description": 1, "examples": "none"`: "",
	} {
		var v validate.Validator
		schema := raw(`{"properties": {"a": {"type": "string", ` + wrong + `}}}`)
		details, err := v.Check(t.Context(), schema, raw(`{"a": 1}`))
		if err != nil || len(details) != 1 || details[0].Message != "expected string, got number" {
			t.Errorf("%s: %v, %v; want that a is no string", wrong, details, err)
		}
		switch problem := v.Problem(schema); {
		case problem == nil && want == "":
		case problem == nil || problem.Error() != want:
			t.Errorf("%s: Problem = %v, want %s", wrong, problem, want)
		}
	}
}

const shapes = `{"required": ["s"], "properties": {"s": {"oneOf": [
	{"type": "object", "required": ["kind", "radius"], "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}},
	{"type": "object", "required": ["kind", "width", "height"], "properties": {"kind": {"enum": ["square", "rectangle"]}, "width": {"type": "number"}, "height": {"type": "number"}}},
	{"type": "string"}]}}}`

// TestDiscriminatedUnion checks that a message is about the alternative that the tag in the arguments
// selects.
func TestDiscriminatedUnion(t *testing.T) {
	const byKeyword = `{"properties": {"s": {"discriminator": {"propertyName": "type", "mapping": {"cat": "#/$defs/Cat", "dog": "Dog"}},
		"oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}},
		"$defs": {"Cat": {"type": "object", "required": ["type", "lives"], "properties": {"type": {"type": "string"}, "lives": {"type": "integer"}}},
			"Dog": {"type": "object", "required": ["type", "bark"], "properties": {"type": {"type": "string"}, "bark": {"type": "string"}}}}}`
	tests := []struct{ name, schema, args, want string }{
		{"missing member", shapes, `{"s": {"kind": "circle"}}`, `/s: kind is "circle": missing property "radius"`},
		{"missing members", shapes, `{"s": {"kind": "rectangle", "radius": 1}}`, `/s: kind is "rectangle": missing property "height"; /s: kind is "rectangle": missing property "width"`},
		{"wrong member", shapes, `{"s": {"kind": "circle", "radius": "1"}}`, `/s/radius: kind is "circle": expected number, got string`},
		{"unknown value", shapes, `{"s": {"kind": "cirle", "radius": 1}}`, `/s/kind: expected one of "circle", "square", "rectangle", got string`},
		{"no discriminator", shapes, `{"s": {"radius": 1}}`, `/s: missing property "kind", which is one of "circle", "square", "rectangle"`},
		{"no object", shapes, `{"s": 1}`, `/s: expected object or string, got number`},
		{"keyword, mapping", byKeyword, `{"s": {"type": "cat"}}`, `/s: type is "cat": missing property "lives"`},
		{"keyword, wrong member", byKeyword, `{"s": {"type": "dog", "bark": 1}}`, `/s/bark: type is "dog": expected string, got number`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v validate.Validator
			details, err := v.Check(t.Context(), raw(tt.schema), raw(tt.args))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, d := range details {
				if got != "" {
					got += "; "
				}
				got += d.Path + ": " + d.Message
			}
			if got != tt.want {
				t.Errorf("Check(%s) = %s\nwant %s", tt.args, got, tt.want)
			}
		})
	}
}
