package graphql

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	small = `type Query { book(id: ID!, in: [F!]): Book  n: Int } type Mutation { n(f: F): [Book] } input F { a: Int = 1, f: F } type Book { id: ID, author: Book }`

	introspected = `{"__schema": {"queryType": {"name": "Q"}, "types": [{"kind": "OBJECT", "name": "Q", "fields": [
		{"name": "q", "args": [{"name": "a", "type": {"kind": "NON_NULL", "ofType": {"kind": "SCALAR", "name": "Int"}}}], "type": {"kind": "SCALAR", "name": "Int"}}]}]}}`
)

// TestDescribe checks that operations stay the same when another process converts them.
func TestDescribe(t *testing.T) {
	types, err := fromSDL("s", small)
	if err != nil {
		t.Fatal(err)
	}
	want, err := types.operations(func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := Dialer{}.describe(t.Context(), Settings{Spec: "s"}, []byte(small))
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || len(got) != 3 || err != nil {
		t.Errorf("%d operations, %v (-direct +converted):\n%s", len(got), err, diff)
	}
}

// TestSharedInputs: if tools share so many input objects that their schemas would be too long, the schema of each
// tool contains fewer of them. The test has no short form, because smaller types would not exceed the limit.
func TestSharedInputs(t *testing.T) {
	var text strings.Builder
	text.WriteString("type Query {")
	for i := range 600 {
		fmt.Fprintf(&text, " q%d(in: I0): Int", i)
	}
	text.WriteString(" }")
	for i := range 1500 {
		fmt.Fprintf(&text, " input I%d { next: I%d, text: String, more: [String!]! }", i, (i+1)%1500)
	}
	types, err := fromSDL("s", text.String())
	if err != nil {
		t.Fatal(err)
	}
	all, err := types.operations(func(string) bool { return true })
	if err != nil || len(all) != 600 {
		t.Fatalf("%d operations, %v", len(all), err)
	}
	size := 0
	for _, o := range all {
		size += len(o.Tool.InputSchema)
		if !strings.Contains(string(o.Tool.InputSchema), `"I20":{"additionalProperties"`) {
			t.Fatalf("%s: %.200s", o.Tool.Name, o.Tool.InputSchema)
		}
	}
	if size > maxSchemas {
		t.Errorf("the schemas have %d bytes", size)
	}
}

// FuzzSchema converts schemas in the definition language and introspection results, and checks
// that the resulting JSON schemas are valid JSON.
func FuzzSchema(f *testing.F) {
	f.Add(small, true)
	f.Add(introspected, false)
	f.Add(strings.Replace(introspected, `"q"`, `7`, 1), false)
	f.Add("# c\n\"\"\"d\"\"\" type Query { a(: Int\n b(x: E = V): Foo }\ntype Foo {}\nunion U =\n\"d\" input Y {}", true)
	f.Add(`"""d""" schema { query: A } interface B { x: [[B!]!] } type A implements B { x: [[B!]!] } union U = A | A extend type A { y(z: E = V): U } enum E { V }`, true)
	f.Fuzz(func(t *testing.T, text string, language bool) {
		if len(text) > 16<<10 {
			t.Skip("time grows with the length")
		}
		in := schemaInput{}
		if language {
			in.Spec = "s"
		}
		input, err := upstream.Pack(in, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		packed, err := convertSchema(slices.Concat(input...), nil)
		if err != nil {
			return
		}
		var out schemaOutput
		schemas, err := upstream.Unpack(slices.Concat(packed...), &out)
		if err != nil || len(schemas) != 2*len(out.Operations) {
			t.Fatalf("%d schemas of %d operations, %v", len(schemas), len(out.Operations), err)
		}
		for _, schema := range schemas {
			if !json.Valid(schema) {
				t.Errorf("a schema is no JSON: %.300q", schema)
			}
		}
	})
}
