package validate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen/validate"
)

const issue = `{"type": "object", "additionalProperties": false, "required": ["title", "owner"],
	"properties": {
		"owner": {"type": "string", "minLength": 1},
		"title": {"type": "string", "pattern": "^[A-Z]"},
		"state": {"enum": ["open", "closed"]},
		"limit": {"type": "integer", "minimum": 1, "maximum": 100},
		"labels": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
		"id": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
		"a/b": {"type": "boolean"}
	}}`

// TestCheckNamesEveryViolation checks that details have the pointer, the expectation
// and the value's type, and no text of the library.
func TestCheckNamesEveryViolation(t *testing.T) {
	tests := []struct {
		name, schema, args string
		want               []toolscript.Detail
	}{
		{name: "fits", schema: issue, args: `{"title": "A", "owner": "o", "limit": 3, "id": 4}`},
		{name: "nothing given", schema: issue, args: ``, want: []toolscript.Detail{
			{Message: `missing property "owner"`}, {Message: `missing property "title"`},
		}},
		{name: "no object", schema: issue, args: `[1]`, want: []toolscript.Detail{{Message: "expected object, got array"}}},
		{name: "no object, no schema", args: `"x"`, want: []toolscript.Detail{{Message: "expected object, got string"}}},
		{name: "no schema", args: `{"x": 1}`},
		{
			name: "letters of HTML", schema: `{"properties": {"x": {"enum": ["<a>", "b&c"]}}}`, args: `{"x": "<b>"}`,
			want: []toolscript.Detail{{Path: "/x", Message: `expected one of "<a>", "b&c", got string`}},
		},
		{
			name: "all at once", schema: issue,
			args: `{"titel": "x", "owner": "", "title": "a", "state": "opne", "limit": 0, "labels": ["a", 1, "c"], "id": true, "a/b": 1}`,
			want: []toolscript.Detail{
				{Path: "/a~1b", Message: "expected boolean, got number"},
				{Path: "/id", Message: "expected integer or string, got boolean"},
				{Path: "/labels", Message: "expected at most 2 items, got array of 3"},
				{Path: "/labels/1", Message: "expected string, got number"},
				{Path: "/limit", Message: "expected at least 1, got number 0"},
				{Path: "/owner", Message: "expected at least 1 characters, got string of 0"},
				{Path: "/state", Message: `expected one of "open", "closed", got string`},
				{Path: "/titel", Message: `unknown property "titel"; did you mean "title"?`},
				{Path: "/title", Message: "expected a string that matches ^[A-Z], got string"},
			},
		},
		{
			name: "the nearest alternative", schema: `{"anyOf": [{"required": ["a"], "minProperties": 2}, {"properties": {"s": {"type": "string"}}}]}`, args: `{"s": 1}`,
			want: []toolscript.Detail{{Path: "/s", Message: "no alternative fits; in the nearest, expected string, got number"}},
		},
		{
			name:   "the chosen alternative",
			schema: `{"oneOf": [{"properties": {"kind": {"const": "a"}, "n": {"type": "number"}}, "required": ["kind", "n", "m"]}, {"properties": {"kind": {"const": "b"}, "s": {"type": "string"}}}]}`,
			args:   `{"kind": "b", "s": 1}`,
			want:   []toolscript.Detail{{Path: "/s", Message: "kind is \"b\": expected string, got number"}},
		},
		{
			name: "two alternatives", schema: `{"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}`, args: `{"a": 1, "b": 2}`,
			want: []toolscript.Detail{{Message: "expected exactly one of the alternatives to fit, but 1 and 2 do"}},
		},
		{
			name: "property names", schema: `{"propertyNames": {"maxLength": 1}}`, args: `{"ab": 1}`,
			want: []toolscript.Detail{{Message: `property name "ab" is not allowed: expected at most 1 characters`}},
		},
		{
			name: "reference", schema: `{"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "number"}}}`, args: `{"a": "x"}`,
			want: []toolscript.Detail{{Path: "/a", Message: "expected number, got string"}},
		},
		{
			name: "a character by its number", schema: `{"properties": {"a": {"pattern": "^[\\u4e00-\\u9fa5]+$"}}}`, args: `{"a": "xy"}`,
			want: []toolscript.Detail{{Path: "/a", Message: `expected a string that matches ^[\u4e00-\u9fa5]+$, got string`}},
		},
		{
			name: "items of draft 7", schema: `{"properties": {"a": {"items": [{"type": "string"}, {"type": "number"}]}}}`, args: `{"a": ["x", "y"]}`,
			want: []toolscript.Detail{{Path: "/a/1", Message: "expected number, got string"}},
		},
		{
			name: "exclusiveMinimum of draft 4", schema: `{"properties": {"a": {"minimum": 0.5, "exclusiveMinimum": true}}}`, args: `{"a": 0.5}`,
			want: []toolscript.Detail{{Path: "/a", Message: "expected more than 0.5, got number 0.5"}},
		},
		{name: "formats are not asserted", schema: `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"format": "email"}}}`, args: `{"a": "x"}`},
		{name: "large numbers stay exact", schema: `{"properties": {"a": {"const": 9007199254740993}}}`, args: `{"a": 9007199254740993}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v validate.Validator
			got, err := v.Check(t.Context(), raw(tt.schema), json.RawMessage(tt.args))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Check(%s): -want +got\n%s", tt.args, diff)
			}
			if fits := v.Fits(raw(tt.schema), json.RawMessage(tt.args)); fits != (len(tt.want) == 0) {
				t.Errorf("Fits(%s) = %t", tt.args, fits)
			}
			if err := v.Problem(raw(tt.schema)); err != nil {
				t.Errorf("Problem = %v, want none", err)
			}
		})
	}
}

func TestArgumentsThatAreNotJSON(t *testing.T) {
	var v validate.Validator
	for _, args := range []string{`{`, `{"a": 1}}`, `{"a": 1} {}`, `nonsense`, strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300)} {
		_, err := v.Check(t.Context(), raw(issue), json.RawMessage(args))
		if kind := toolscript.KindOf(err); kind != toolscript.Invalid {
			t.Errorf("Check(%.20q): kind %q (%v), want %q", args, kind, err, toolscript.Invalid)
		}
	}
}

// TestSchemaThatCannotBeApplied checks that all arguments pass and Problem has the
// reason.
func TestSchemaThatCannotBeApplied(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"unknown type", `{"type": "strin"}`, "not valid"},
		{"required is null", `{"type": "object", "required": null}`, "not valid"},
		{"required in a property", `{"properties": {"a": {"type": "number", "required": true}}}`, "not valid"},
		{"minimum is a string", `{"properties": {"a": {"minimum": "1"}}}`, "not valid"},
		{"pattern is no pattern", `{"properties": {"a": {"pattern": "(?<"}}}`, "not valid"},
		{"other document", `{"$ref": "https://example.com/schema.json"}`, "never fetched"},
		{"file", `{"$ref": "file:///etc/passwd"}`, "never fetched"},
		{"pointer to nothing", `{"$ref": "#/$defs/none"}`, "none"},
		{"not JSON", `{"type"`, "read the schema"},
		{"empty", ``, "read the schema"},
		{"deep", strings.Repeat(`{"not":`, 5000) + "{}" + strings.Repeat("}", 5000), "nests deeper"},
		{"very deep", strings.Repeat(`{"not":`, 60_000), "nests deeper"},
		{"large", `{"description": "` + strings.Repeat("x", 600_000) + `"}`, "600"},
		{"many objects", `{"anyOf": [` + strings.Repeat("{},", 6000) + `{}]}`, "6002 objects"},
		{"many references", `{"anyOf": [` + strings.Repeat(`{"$ref": "#/x"},`, 2000) + `{}]}`, "2000 references"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v validate.Validator
			details, err := v.Check(t.Context(), json.RawMessage(tt.schema), json.RawMessage(`{"a": 1}`))
			if len(details) > 0 || err != nil {
				t.Errorf("Check = %v, %v; want nothing refused", details, err)
			}
			problem := v.Problem(json.RawMessage(tt.schema))
			if problem == nil || !strings.Contains(problem.Error(), tt.want) || strings.Contains(problem.Error(), "mem://") {
				t.Errorf("Problem = %v, want it to contain %q and no address of ours", problem, tt.want)
			}
			if again := v.Problem(json.RawMessage(tt.schema)); !errors.Is(again, problem) {
				t.Errorf("Problem is another one when asked again")
			}
		})
	}
}

// TestCostlyChecksEnd uses checks that would run forever, or end the process with a
// stack overflow.
func TestCostlyChecksEnd(t *testing.T) {
	var doubling, chain strings.Builder
	for i := range 60 {
		fmt.Fprintf(&doubling, `"d%d": {"allOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	for i := range 900 {
		fmt.Fprintf(&chain, `"d%d": {"$ref": "#/$defs/d%d"},`, i, i+1)
	}
	tests := []struct{ name, schema, args string }{
		{"doubling references", `{"$ref": "#/$defs/d0", "$defs": {` + doubling.String() + `"d60": {}}}`, `{}`},
		{"doubling that fails", `{"not": {"$ref": "#/$defs/d0"}, "$defs": {` + doubling.String() + `"d60": {"required": ["x"]}}}`, `{}`},
		{
			"a chain at every level", `{"$ref": "#/$defs/d0", "$defs": {` + chain.String() + `"d900": {"additionalProperties": {"$ref": "#/$defs/d0"}}}}`,
			strings.Repeat(`{"a":`, 250) + "1" + strings.Repeat("}", 250),
		},
		{
			"branches at every level", `{"anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}], "required": ["a"]}`,
			strings.Repeat(`{"a":`, 250) + "{}" + strings.Repeat("}", 250),
		},
		{"a closed object and many names", `{"additionalProperties": false, "allOf": [{"required": [` + manyNames(20_000) + `"z"]}]}`, manyMembers(20_000, `1`)},
		{"unions of doubling references", `{"anyOf": [{"$ref": "#/$defs/d0"}, {"allOf": [{"$ref": "#/$defs/d1"}], "properties": {"k": {"const": 1}}}], "discriminator": {"propertyName": "k"}, "$defs": {` + doubling.String() + `"d60": {"properties": {"k": {"const": 2}}, "required": ["k"]}}}`, `{"k": 3}`},
		{"a union of many values", `{"anyOf": [{"properties": {"k": {"enum": [` + manyNames(20_000) + `1]}}}, {"properties": {"k": {"enum": [` + manyNames(20_000) + `2]}}}]}`, `{"k": 3}`},
		{"endless reference", `{"allOf": [{"$ref": "#"}]}`, `{}`},
		{"nested repeats", patterns(12, strings.Repeat("((((a{0,1000}){0,1000}){0,1000}){0,1000}){0,1000}", 300)), `{"p0": "x"}`},
		{"short patterns of many instructions", patterns(1000, "((a{100}){10}){9}"), `{"p0": "x"}`},
		{"large classes, repeated", patterns(500, `^[\pL\pN]{900}$`), `{"p0": "x"}`},
		{"a pattern and a long string", patterns(1, strings.Repeat(".*a[^i].{900}Xi", 10)), `{"p0": "` + strings.Repeat("a", 4<<20) + `"}`},
		{"a pattern and many strings", `{"additionalProperties": {"pattern": "(.*a[^i].{90}Xi){10}"}}`, manyMembers(20_000, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`)},
		{"numbers beyond all bounds", `{"properties": {"a": {"minimum": 1e99999999, "type": "integer"}}}`, `{"a": 1e99999999}`},
		{"numbers of a million digits", `{"additionalProperties": {"type": "integer"}}`, manyNumbers(50)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v validate.Validator
			details, err := v.Check(t.Context(), raw(tt.schema), json.RawMessage(tt.args))
			if err != nil {
				t.Errorf("Check failed: %v", err)
			}
			t.Logf("details %v, problem %v", details, v.Problem(raw(tt.schema)))
		})
	}
}

// patterns returns a schema of n properties with a different pattern each.
func patterns(n int, pattern string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `, "p%d": {"pattern": %q}`, i, fmt.Sprintf("%s|%d", pattern, i))
	}
	return `{"properties": {` + b.String()[1:] + `}}`
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"n%d", `, i)
	}
	return b.String()
}

func manyMembers(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `, "m%d": %s`, i, value)
	}
	return "{" + b.String()[1:] + "}"
}

func manyNumbers(n int) string {
	var b strings.Builder
	b.WriteString(`{"x": 1e999999`)
	for i := range n {
		fmt.Fprintf(&b, `, "x%d": 1.5e999999`, i)
	}
	return b.String() + "}"
}

// TestPatternBeyondTheLimits checks that only the pattern is skipped, and that
// Problem says so.
func TestPatternBeyondTheLimits(t *testing.T) {
	long := strings.Repeat("a", 4<<20)
	tests := []struct{ name, pattern, text string }{
		{"long", strings.Repeat("a", 5000), "x"},
		{"many instructions", "(abcdefghijklmn){900}", "x"},
		{"input times instructions", "(.*a[^i].{90}Xi){10}", long},
		{"lookahead", "^(?!x)b", "xb"},
		{"lookbehind", "(?<=a)b", "b"},
		{"back reference", `(a)\1`, "ab"},
		{"large repeat", "a{2000}", "a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v validate.Validator
			schema := raw(fmt.Sprintf(`{"properties": {"a": {"pattern": %q}, "b": {"type": "number"}}}`, tt.pattern))
			details, err := v.Check(t.Context(), schema, raw(fmt.Sprintf(`{"a": %q, "b": "x"}`, tt.text)))
			want := []toolscript.Detail{{Path: "/b", Message: "expected number, got string"}}
			if diff := cmp.Diff(want, details); diff != "" || err != nil {
				t.Errorf("Check: error %v, -want +got\n%s", err, diff)
			}
			if problem := v.Problem(schema); problem == nil || !strings.Contains(problem.Error(), "a pattern") {
				t.Errorf("Problem = %v, want it to name a pattern", problem)
			}
		})
	}
	t.Run("ordinary patterns are checked", func(t *testing.T) {
		var v validate.Validator
		schema := raw(`{"properties": {"a": {"pattern": "^[A-Za-z0-9+/]*={0,2}$"}, "b": {"pattern": "^[\\pL ]{1,100}$"}}}`)
		details, err := v.Check(t.Context(), schema, raw(`{"a": "`+strings.Repeat("a", 2<<20)+`!", "b": "1"}`))
		if err != nil || len(details) != 2 || v.Problem(schema) != nil {
			t.Errorf("Check = %v, %v, Problem %v; want two violations", details, err, v.Problem(schema))
		}
	})
}

// TestCheckEndsWithItsContext checks that neither a check nor a wait for a
// compilation outlasts its context.
func TestCheckEndsWithItsContext(t *testing.T) {
	var v validate.Validator
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	schema := raw(`{"additionalProperties": {"enum": ["x", "y"]}}`)
	_, err := v.Check(ctx, schema, raw(manyMembers(10_000, `"x"`)))
	if kind := toolscript.KindOf(err); kind != toolscript.Cancelled {
		t.Errorf("Check: kind %q (%v), want %q", kind, err, toolscript.Cancelled)
	}
	if err := v.Problem(schema); err != nil {
		t.Errorf("a call that was cancelled left the problem %v", err)
	}
}

// TestManyViolations checks an array in which no item fits.
func TestManyViolations(t *testing.T) {
	var v validate.Validator
	for name, schema := range map[string]string{
		"values": `{"additionalProperties": {"enum": ["x", "y"]}}`,
		"names":  `{"additionalProperties": false, "properties": {"m": {}}}`,
	} {
		details, err := v.Check(t.Context(), raw(schema), raw(manyMembers(10_000, `"z"`)))
		if err != nil || len(details) != 21 || !strings.HasPrefix(details[20].Message, "and at least ") {
			t.Errorf("%s: %v, %v; want 20 violations and that there are more", name, details, err)
		}
	}
}

// TestManySchemas uses more schemas than are kept, from many goroutines.
func TestManySchemas(t *testing.T) {
	var v validate.Validator
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 1500 {
				schema := raw(fmt.Sprintf(`{"properties": {"a": {"const": %d}}}`, i+worker*1000))
				details, err := v.Check(t.Context(), schema, json.RawMessage(`{"a": -1}`))
				if err != nil || len(details) != 1 {
					t.Errorf("schema %d: %v, %v; want one violation", i, details, err)
				}
			}
		})
	}
	group.Wait()
}

// TestMemoryOfSchemas checks that a server that keeps changing its large schemas does
// not fill the memory.
func TestMemoryOfSchemas(t *testing.T) {
	var v validate.Validator
	padding := strings.Repeat("x", 400<<10)
	announced := func(i int) json.RawMessage {
		return raw(fmt.Sprintf(`{"description": %q, "properties": {"a": {"const": %d}}}`, padding, i))
	}
	before := heap()
	for i := range 40 {
		schema := announced(i)
		for _, again := range []json.RawMessage{schema, schema, bytes.Clone(schema), announced(i / 2)} {
			if details, err := v.Check(t.Context(), again, json.RawMessage(`{"a": -1}`)); err != nil || len(details) != 1 {
				t.Fatalf("schema %d: %v, %v; want one violation", i, details, err)
			}
		}
	}
	if grown := heap() - before; grown > 10<<20 {
		t.Errorf("40 schemas of 400 KB hold %d MB, want at most 10", grown>>20)
	}
	runtime.KeepAlive(&v)
}

// heap returns the bytes in use after a garbage collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkCheck(b *testing.B) {
	var v validate.Validator
	schema := raw(issue)
	args := json.RawMessage(`{"title": "A", "owner": "o", "state": "open", "limit": 3, "labels": ["x"]}`)
	for b.Loop() {
		if details, err := v.Check(b.Context(), schema, args); err != nil || details != nil {
			b.Fatal(details, err)
		}
	}
}

// raw returns nil for "", which means no schema.
func raw(schema string) json.RawMessage {
	if schema == "" {
		return nil
	}
	return json.RawMessage(schema)
}
