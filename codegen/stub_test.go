package codegen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/validate"
)

func TestStub(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"members", `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"},"c":{"type":"boolean"}},"required":["a"]}`, `{"b":"","a":0,"c":false}`},
		{"a required member without a schema", `{"type":"object","required":["a"]}`, `{"a":null}`},
		{"arrays have one item", `{"type":"array","items":{"type":"object","properties":{"n":{"type":"number","minimum":3}}}}`, `[{"n":3}]`},
		{"no items", `{"type":"array","maxItems":0,"items":{"type":"string"}}`, `[]`},
		{"tuple", `{"type":"array","prefixItems":[{"type":"string"},{"type":"number"}]}`, `["",0]`},
		{"choices", `{"enum":["open","closed"]}`, `"open"`},
		{"constant", `{"const":{"a":[1,"x",true,null]}}`, `{"a":[1,"x",true,null]}`},
		{"default", `{"type":"string","default":"main"}`, `"main"`},
		{"reference", `{"$ref":"#/$defs/issue","$defs":{"issue":{"type":"object","properties":{"id":{"type":"integer","exclusiveMinimum":0}}}}}`, `{"id":1}`},
		{"nullable", `{"anyOf":[{"type":"null"},{"type":"string"}]}`, `""`},
		{"several types", `{"type":["null","integer"]}`, `0`},
		{"all of", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"number"},"b":{"type":"string"}}}]}`, `{"a":"","b":""}`},
		{"formats", `{"type":"string","format":"date-time"}`, `"1970-01-01T00:00:00Z"`},
		{"length", `{"type":"string","minLength":3}`, `"xxx"`},
		{"no schema", `true`, `null`},
		{"not JSON", `{`, `{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := codegen.Stub(json.RawMessage(tt.schema))
			if string(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestStubsEnd checks that stubs of hostile schemas are short JSON.
func TestStubsEnd(t *testing.T) {
	wide := `{"type":"object","properties":{"a":{"$ref":"#"},"b":{"$ref":"#"},"c":{"$ref":"#"}},"required":["a","b","c"]}`
	for _, schema := range []string{
		wide, `{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`, `{"type":"object","allOf":[{"$ref":"#"},{"$ref":"#"}]}`,
		`{"type":"array","items":{"$ref":"#"}}`, `{"type":"string","minLength":1000000000}`,
		strings.Repeat(`{"items":`, 400) + `{}` + strings.Repeat(`}`, 400), `{"const":` + strings.Repeat(`[`, 400) + strings.Repeat(`]`, 400) + `}`,
	} {
		got := codegen.Stub(json.RawMessage(schema))
		if !json.Valid(got) || len(got) > 64<<10 {
			t.Errorf("%.60s: %d bytes: %.100s", schema, len(got), got)
		}
	}
}

// TestStubOfManyMembers has a schema for which comparing each member with each required one takes seconds.
func TestStubOfManyMembers(t *testing.T) {
	var properties, required strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&properties, `"m%d":{"$ref":"#"},`, i)
		fmt.Fprintf(&required, `"m%d",`, i)
	}
	schema := `{"type":"object","properties":{` + properties.String() + `"z":{}},"required":[` + required.String() + `"z"]}`
	if got := codegen.Stub(json.RawMessage(schema)); !json.Valid(got) || !strings.HasSuffix(string(got), `"z":null}`) {
		t.Errorf("%d bytes that end with %s", len(got), got[max(0, len(got)-50):])
	}
}

// TestStubsFit checks that the stubs of real tools satisfy their output schemas.
func TestStubsFit(t *testing.T) {
	tools, _ := corpus(t)
	var v validate.Validator
	typed := 0
	for _, tool := range tools {
		if tool.OutputSchema == nil {
			continue
		}
		typed++
		stub := codegen.Stub(tool.OutputSchema)
		if !v.Accepts(t.Context(), tool.OutputSchema, stub) {
			t.Errorf("%s: %s does not fit", tool.ID(), stub)
		}
	}
	t.Logf("%d output schemas", typed)
}

// FuzzStub checks that every schema has a stub that is JSON.
func FuzzStub(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`)
	f.Add(`{"$ref":"#/$defs/a","$defs":{"a":{"enum":[1]}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		if got := codegen.Stub(json.RawMessage(schema)); !json.Valid(got) {
			t.Errorf("%s: %s", schema, got)
		}
	})
}
