package script_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/script"
)

// TestSignature checks the schemas that are derived from the types of exported functions.
func TestSignature(t *testing.T) {
	checker := script.NewChecker()
	for _, c := range []struct {
		name, code     string
		params, result string   // "" if unknown
		found          []string // line:column and the start of the message
	}{
		{"members and their comments", `
interface Params {
  /** The repository, as owner/name. */
  repo: string;
  days?: number; // not documentation
  draft: boolean | undefined;
}
/** Counts issues.
 *
 * Closed ones too.
 * @param p what to count
 */
export default async function main(p: Params): Promise<{ total: number }> { return { total: 1 } }`,
			`{"additionalProperties":false,"properties":{"days":{"type":"number"},"draft":{"type":"boolean"},"repo":{"description":"The repository, as owner/name.","type":"string"}},"required":["repo"],"type":"object"}`,
			`{"properties":{"total":{"type":"number"}},"required":["total"],"type":"object"}`, nil},
		{"no parameter, no value", `export default () => {}`,
			`{"additionalProperties":false,"properties":{},"type":"object"}`, `{"type":"null"}`, nil},
		{"unions, literals and enums", `
enum Level { Low = 1, High = "high" }
export default (p: { state: "open" | "closed"; level: Level; id: string | number; none: string | null; one: "x"; both: boolean | "auto" }) => p.state`,
			`{"additionalProperties":false,"properties":{"both":{"anyOf":[{"type":"boolean"},{"const":"auto"}]},"id":{"anyOf":[{"type":"string"},{"type":"number"}]},"level":{"enum":[1,"high"]},"none":{"anyOf":[{"type":"string"},{"type":"null"}]},"one":{"const":"x"},"state":{"enum":["closed","open"]}},"required":["both","id","level","none","one","state"],"type":"object"}`,
			`{"enum":["closed","open"]}`, nil},
		{"arrays, tuples and records", `
const main = async ({ names, pair, map, deep }: { names: string[]; pair: [string, number?]; map: Record<string, number>; deep: readonly { a: 1 }[]; rest: [number, ...string[]] }) => names.map((n) => n.length);
export default main`,
			`{"additionalProperties":false,"properties":{"deep":{"items":{"additionalProperties":false,"properties":{"a":{"const":1}},"required":["a"],"type":"object"},"type":"array"},"map":{"additionalProperties":{"type":"number"},"properties":{},"type":"object"},"names":{"items":{"type":"string"},"type":"array"},"pair":{"items":false,"maxItems":2,"minItems":1,"prefixItems":[{"type":"string"},{"type":"number"}],"type":"array"},"rest":{"items":{"type":"string"},"minItems":1,"prefixItems":[{"type":"number"}],"type":"array"}},"required":["deep","map","names","pair","rest"],"type":"object"}`,
			`{"items":{"type":"number"},"type":"array"}`, nil},
		{"aliases, Partial, Pick and intersections", `
type A = { a: string; b: number }; type B = { c: boolean };
export default function f(p: Partial<A> & Pick<B, "c">) { return null }`,
			`{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"type":"number"},"c":{"type":"boolean"}},"required":["c"],"type":"object"}`,
			`{"type":"null"}`, nil},
		{"a default value makes the parameter optional", `export default async (p: { n?: number } = {}) => p.n ?? 1`,
			`{"additionalProperties":false,"properties":{"n":{"type":"number"}},"type":"object"}`, `{"type":"number"}`, nil},
		{"alternatives of objects", `export default (p: { a: string } | { b: number }) => {}`,
			`{"anyOf":[{"additionalProperties":false,"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"},{"additionalProperties":false,"properties":{"b":{"type":"number"}},"required":["b"],"type":"object"}],"type":"object"}`,
			`{"type":"null"}`, nil},
		{"unknown is no finding", `export default (p: { x: unknown; y: any }): unknown => p`,
			`{"additionalProperties":false,"properties":{"x":{},"y":{}},"required":["x","y"],"type":"object"}`, ``, nil},
		{"without a type", `export default (p) => p`, `{"type":"object"}`, ``, nil},
		{"what a value becomes", `class Point { x = 1; length() { return 2 } }; export default () => ({ at: new Date(0), point: new Point() })`,
			`{"additionalProperties":false,"properties":{},"type":"object"}`,
			`{"properties":{"at":{"type":"string"},"point":{"properties":{"x":{"type":"number"}},"required":["x"],"type":"object"}},"required":["at","point"],"type":"object"}`, nil},
		{"what JSON cannot hold", "export default (p: {\n  f: () => void;\n  at: Date; big: bigint; m: Map<string, number>; s: symbol }) => {}",
			`{"additionalProperties":false,"properties":{"at":{},"big":{},"f":{},"m":{},"s":{}},"required":["at","big","f","m","s"],"type":"object"}`, `{"type":"null"}`,
			[]string{"2:3 a function cannot be passed as JSON", "3:3 Date cannot be passed as JSON", "3:13 bigint is not a type of JSON values", "3:26 Map<string, number> is not a type of JSON", "3:50 symbol is not a type"}},
		{"a generic function", `export default <T>(p: { x: T }) => p.x`,
			`{"additionalProperties":false,"properties":{"x":{}},"required":["x"],"type":"object"}`, ``,
			[]string{"1:1 T is not a type of JSON values", "1:25 T is not a type of JSON values"}},
		{"a type that contains itself", `interface Tree { name: string; children?: Tree[] }; export default (t: Tree): Tree => t`,
			`{"$defs":{"t1":{"additionalProperties":false,"properties":{"children":{"items":{"$ref":"#/$defs/t1"},"type":"array"},"name":{"type":"string"}},"required":["name"],"type":"object"}},"additionalProperties":false,"properties":{"children":{"items":{"$ref":"#/$defs/t1"},"type":"array"},"name":{"type":"string"}},"required":["name"],"type":"object"}`,
			`{"$defs":{"t1":{"properties":{"children":{"items":{"$ref":"#/$defs/t1"},"type":"array"},"name":{"type":"string"}},"required":["name"],"type":"object"}},"properties":{"children":{"items":{"$ref":"#/$defs/t1"},"type":"array"},"name":{"type":"string"}},"required":["name"],"type":"object"}`, nil},
		{"parameters that no call can pass", "export default (repo: string, days: number) => {}",
			`{"type":"object"}`, `{"type":"null"}`,
			[]string{"1:17 the parameter of a saved script is an object whose members are its parameters, such as { repo: string }, and not string", "1:31 a saved script has one parameter"}},
		{"a list", "export default (...all: string[]) => {}", `{"type":"object"}`, `{"type":"null"}`, []string{"1:17 a saved script has one parameter"}},
		{"an array", "export default (all: string[]) => {}", `{"type":"object"}`, `{"type":"null"}`, []string{"1:17 the parameter of a saved script is an object"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, known := checker.Signature(runner.Source{Code: c.code}, "")
			if !known || !s.Function {
				t.Fatalf("Signature = %+v, %v; want a function", s, known)
			}
			if diff := cmp.Diff(c.params, string(s.Params)); diff != "" {
				t.Errorf("parameters (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.result, string(s.Result)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if len(s.Found) != len(c.found) {
				t.Errorf("%d findings, want %d: %+v", len(s.Found), len(c.found), s.Found)
			}
			for i, f := range s.Found[:min(len(s.Found), len(c.found))] {
				if got := fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Message); !strings.HasPrefix(got, c.found[i]) {
					t.Errorf("finding %d = %s, want %s", i, got, c.found[i])
				}
			}
			for _, schema := range []json.RawMessage{s.Params, s.Result} {
				if schema != nil {
					if err := validate.Schema(schema); err != nil {
						t.Errorf("%s cannot be applied: %v", schema, err)
					}
				}
			}
		})
	}
}

func TestSignatureWithoutFunction(t *testing.T) {
	checker := script.NewChecker()
	for _, code := range []string{"", "console.log(1)", "return 1", "export default 1", "export const main = () => {}", "export default class A {}", "}{", "import x from 'toolscript'; export default x"} {
		if s, known := checker.Signature(runner.Source{Code: code}, ""); !known || s.Function || s.Fatal || len(s.Found) > 0 {
			t.Errorf("Signature(%q) = %+v, %v; want no function", code, s, known)
		}
	}
}

func TestSignatureDocumentation(t *testing.T) {
	checker := script.NewChecker()
	for code, want := range map[string]string{
		"/** Says hello. */\nexport default function hello() {}":                        "Says hello.",
		"/**\n * Two\n * lines.\n *\n * @returns nothing\n */\nexport default () => {}": "Two\nlines.",
		"/** Of the constant. */\nconst f = () => {};\nexport default f":                "Of the constant.",
		"/** Of another. */\nconst x = 1;\nexport default () => x":                      "",
		"// no documentation\nexport default () => {}":                                  "",
		"/** open": "",
	} {
		if s, _ := checker.Signature(runner.Source{Code: code}, ""); s.Doc != want {
			t.Errorf("the documentation of %q is %q, want %q", code, s.Doc, want)
		}
	}
}

// FuzzSignature checks that every derived schema can be applied, and that no text causes a panic.
func FuzzSignature(f *testing.F) {
	for _, seed := range []string{
		"export default (p: { a: string }) => p", "interface A<T> { a: A<T[]> } export default (p: A<1>) => p",
		"export default function f(p: { a: 1 } & { a: 2 }): never { throw p }", "/** x", "export default ({ a, ...b }: Record<'x' | `y${string}`, 1>) => b",
	} {
		f.Add(seed)
	}
	checker := script.NewChecker()
	f.Fuzz(func(t *testing.T, code string) {
		if len(code) > 2000 {
			t.Skip("the compiler needs minutes for some texts; a worker would be killed")
		}
		s, _ := checker.Signature(runner.Source{Code: code}, "")
		for _, schema := range []json.RawMessage{s.Params, s.Result} {
			if schema == nil {
				continue
			}
			if err := validate.Schema(schema); err != nil {
				t.Errorf("the schema of %q cannot be applied: %v\n%s", code, err, schema)
			}
		}
	})
}
