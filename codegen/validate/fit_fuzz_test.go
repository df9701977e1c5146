package validate_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/toolscript/toolscript/codegen/validate"
)

// FuzzFit checks that the arguments in the result of Fit are JSON that fits the schema, and that Fit
// removes nothing more from them.
func FuzzFit(f *testing.F) {
	for _, seed := range []struct{ schema, args string }{
		{issue, `{"title": "A", "owner": "o", "state": null, "a/b": null}`},
		{shapes, `{"s": {"kind": "circle", "radius": null}}`},
		{`{"properties": {"l": {"items": {"properties": {"a": {"type": "string"}}}}}}`, `{"l": [{"a": null, "b": 1}, {"\u0061": null}]}`},
		{`{"properties": {"a": {"type": "string"}}, "dependentRequired": {"b": ["a"]}}`, `{"a": null, "b": 1}`},
		{`{` + draft7 + `, "properties": {"a": {"prefixItems": [{"type": "string"}], "items": false}}, "required": true}`, `{"a": [null]}`},
		{`{"additionalProperties": false, "allOf": [{"$ref": "#/$defs/a"}], "not": {"required": ["b"]}, "$defs": {"a": {"nullable": true, "properties": {"a": {"enum": [{}]}}}}}`, `{"a": {}}`},
		{`{"oneOf": [{"properties": {"k": {"const": 1, "default": 1}}, "required": ["k"]}, {"properties": {"k": {"const": 2}}}], "discriminator": {"propertyName": "k"}}`, `{"k": 2}`},
	} {
		f.Add(seed.schema, seed.args)
	}
	f.Fuzz(func(t *testing.T, schema, args string) {
		var v validate.Validator
		sent, details, err := v.Fit(t.Context(), json.RawMessage(schema), json.RawMessage(args))
		if err != nil || details != nil {
			return
		}
		if !json.Valid(sent) {
			t.Fatalf("Fit(%s) = %s, which is no JSON", args, sent)
		}
		again, details, err := v.Fit(t.Context(), json.RawMessage(schema), sent)
		if err != nil || details != nil || !bytes.Equal(again, sent) {
			t.Errorf("Fit(%s) = %s, and of that %s, %v, %v", args, sent, again, details, err)
		}
	})
}
