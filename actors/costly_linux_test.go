package actors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/validate"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// Limits for one text of a server or a script in the gateway, on any machine and with
// the race detector. Without a bound in the code each case takes minutes, hours or
// gigabytes.
const (
	costlyTime   = 20 * time.Second // processor time
	costlyMemory = 1 << 30          // resident bytes
	costlyAtOnce = 2                // processes
	costlyChild  = "TOOLSCRIPT_TEST_COSTLY"
)

// TestCostlyTexts checks that the gateway's time and memory for a text of a server or
// a script are bounded. Each case runs in its own process, whose usage is read at its
// end.
func TestCostlyTexts(t *testing.T) {
	turn := make(chan struct{}, costlyAtOnce)
	for name, work := range costly() {
		t.Run(name, func(t *testing.T) {
			if os.Getenv(costlyChild) != "" {
				work(t)
				return
			}
			t.Parallel()
			turn <- struct{}{}
			defer func() { <-turn }()
			ctx, cancel := context.WithTimeout(t.Context(), 15*costlyTime)
			defer cancel()
			child := exec.CommandContext(ctx, os.Args[0], "-test.run", "^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$")
			child.Env = append(os.Environ(), costlyChild+"=1")
			out, err := child.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			usage := child.ProcessState.SysUsage().(*syscall.Rusage)
			spent, memory := child.ProcessState.UserTime()+child.ProcessState.SystemTime(), usage.Maxrss<<10
			t.Logf("%v, %d MB", spent.Round(time.Millisecond), memory>>20)
			if spent > costlyTime || memory > costlyMemory {
				t.Errorf("it took %v of processor time and %d MB; up to %v and %d MB are allowed", spent, memory>>20, costlyTime, costlyMemory>>20)
			}
		})
	}
}

func repeated(n int, text func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text(i))
	}
	return b.String()
}

func same(text string) func(int) string { return func(int) string { return text } }

func numbered(format string) func(int) string {
	return func(i int) string { return strings.ReplaceAll(format, "#", fmt.Sprint(i)) }
}

func costly() map[string]func(*testing.T) {
	all := map[string]func(*testing.T){}
	for name, make := range costlyChecks() {
		all["arguments: "+name] = func(t *testing.T) {
			t.Helper()
			var v validate.Validator
			c := make()
			if _, err := v.Check(t.Context(), json.RawMessage(c.schema), json.RawMessage(c.args)); err != nil {
				t.Error(err)
			}
		}
	}
	for name, text := range costlySchemas() {
		all["schemas: "+name] = func(t *testing.T) {
			t.Helper()
			schema := json.RawMessage(text())
			if !json.Valid(schema) {
				t.Fatal("the schema is no JSON")
			}
			tool := toolscript.Tool{Server: "s", Name: "t", Description: "d", InputSchema: schema, OutputSchema: schema}
			generate(tool)
			codegen.Example(tool, "tools.s.t")
			searchFor(64<<10, tool)
			var v validate.Validator
			if _, err := v.Check(t.Context(), schema, json.RawMessage(`{"a": 1}`)); err != nil {
				t.Error(err)
			}
		}
	}
	for name, tools := range costlyTools() {
		all["tools: "+name] = func(*testing.T) {
			all := tools()
			generate(all...)
			searchFor(1<<20, all...)
		}
	}
	for name, make := range costlyMaps() {
		all["trace: "+name] = func(*testing.T) {
			source := make()
			s := scripterror.NewSource(runner.Job{Compiled: runner.Compiled{JavaScript: source.code, SourceMap: source.sourceMap}})
			s.Trace(source.stack)
			_, _ = scripterror.ParseMap(source.sourceMap)
			scripterror.Excerpt(source.code, 1, len(source.code)/2)
		}
	}
	for name, sandbox := range costlyConsole() {
		all["console: one line of 16 MB from "+name] = func(t *testing.T) {
			t.Helper()
			printLongLine(t, sandbox)
		}
	}
	for name, text := range map[string]func() string{
		"many members": func() string { return `{` + repeated(30_000, numbered(`"a#":1`)) + `}` },
		"deep":         func() string { return strings.Repeat(`{"a":`, 9_000) + "1" + strings.Repeat("}", 9_000) },
		"many items":   func() string { return `[` + repeated(5_000, numbered(`{"a#":[{"b#":1}]}`)) + `]` },
	} {
		all["observe: "+name] = func(*testing.T) {
			result := text()
			var o codegen.Observer
			for range 30 {
				o.See("s__t", json.RawMessage(result))
				o.Shapes().Type("s__t")
			}
		}
	}
	return all
}

// generate renders the types of tools in every form.
func generate(tools ...toolscript.Tool) {
	c := toolscript.NewCatalog(1, []string{"s"}, tools)
	n := naming.New(c)
	for _, form := range []codegen.Form{codegen.Full, codegen.Compact, codegen.Declarations} {
		codegen.Module(c, n, codegen.Options{Form: form})
	}
}

// searchFor indexes tools and searches for words, misspelt words, many words and one
// long word. The last two queries have about long bytes.
func searchFor(long int, tools ...toolscript.Tool) {
	x := index.New(toolscript.NewCatalog(1, []string{"s"}, tools), nil)
	for _, text := range []string{"a", "lorme ipsmu", strings.Repeat("lorem ", long/6), strings.Repeat("x", long)} {
		x.Search(index.NewQuery(text))
	}
}

type costlyCheck struct{ schema, args string }

func costlyChecks() map[string]func() costlyCheck {
	nested := strings.Repeat("(", 5) + "a" + strings.Repeat("{0,1000})", 5)
	lists := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	return map[string]func() costlyCheck{
		"nested repeats": func() costlyCheck {
			return costlyCheck{`{"properties": {` + repeated(12, numbered(`"p#": {"pattern": "`+strings.Repeat(nested, 400)+`#"}`)) + `}}`, `{"p0": "x"}`}
		},
		"repeats": func() costlyCheck {
			return costlyCheck{`{"properties": {` + repeated(4000, numbered(`"p#": {"pattern": "([\\pL\\pN]{30}){33}#"}`)) + `}}`, `{"p0": "x"}`}
		},
		"long input": func() costlyCheck {
			return costlyCheck{`{"properties": {"a": {"pattern": "` + strings.Repeat(".*a[^i].{900}Xi", 10) + `"}}}`, `{"a": "` + strings.Repeat("a", 4<<20) + `"}`}
		},
		"many inputs": func() costlyCheck {
			return costlyCheck{`{"additionalProperties": {"pattern": "(.*a[^i].{90}Xi){10}"}}`, `{` + repeated(100_000, numbered(`"a#": "aaaaaaaaaaaaaaaaaaaaaaaaaaaa"`)) + `}`}
		},
		"names": func() costlyCheck {
			return costlyCheck{`{"patternProperties": {` + repeated(500, numbered(`"(.*a[^i].{9}Xi){10}#": {}`)) + `}}`, `{` + repeated(100_000, numbered(`"aaaaaaaaaaa#": 1`)) + `}`}
		},
		"backtracking": func() costlyCheck {
			return costlyCheck{`{"additionalProperties": {"pattern": "^(?!x)(a+)+$"}}`, `{` + repeated(10_000, numbered(`"a#": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"`)) + `}`}
		},
		"uniqueItems": func() costlyCheck {
			return costlyCheck{`{"properties": {"a": {"uniqueItems": true}}}`, `{"a": [` + repeated(60_000, numbered(`[[#],#]`)) + `]}`}
		},
		"uniqueItems that are alike": func() costlyCheck {
			return costlyCheck{`{"properties": {"a": {"uniqueItems": true}}}`, `{"a": [` + repeated(15_000, func(i int) string {
				return "[" + lists(i%100+1) + "," + lists(i/100+1) + "," + lists(250-i%100-i/100) + "]"
			}) + `]}`}
		},
		"enum": func() costlyCheck {
			return costlyCheck{`{"additionalProperties": {"enum": [` + repeated(30_000, numbered(`"v#"`)) + `]}}`, `{` + repeated(60_000, numbered(`"a#": "w#"`)) + `}`}
		},
		"contains": func() costlyCheck {
			return costlyCheck{`{"properties": {"a": {"contains": {"anyOf": [` + repeated(2000, numbered(`{"const": #}`)) + `]}}}}`, `{"a": [` + repeated(300_000, same("-1")) + `]}`}
		},
		"references": func() costlyCheck {
			return costlyCheck{`{"$ref": "#/$defs/d0", "$defs": {` + repeated(60, func(i int) string {
				return fmt.Sprintf(`"d%d": {"allOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}]}`, i, i+1, i+1)
			}) + `, "d60": {}}}`, `{}`}
		},
		"digits": func() costlyCheck {
			return costlyCheck{`{"additionalProperties": {"type": "integer", "multipleOf": 0.1}}`, `{` + repeated(1000, numbered(`"a#": 1.5e999999`)) + `}`}
		},
		"bounds": func() costlyCheck {
			return costlyCheck{`{"properties": {` + repeated(4000, numbered(`"a#": {"minimum": 1e999999}`)) + `}}`, `{"a1": 1}`}
		},
		"unknown": func() costlyCheck {
			return costlyCheck{`{"additionalProperties": false, "properties": {` + repeated(20, func(i int) string { return fmt.Sprintf(`"%s%d": {}`, strings.Repeat("b", 20_000), i) }) + `}}`, `{` + repeated(100, func(i int) string { return fmt.Sprintf(`"%s%d": 1`, strings.Repeat("a", 20_000), i) }) + `}`}
		},
		"many wrong": func() costlyCheck {
			return costlyCheck{`{"properties": {"a": {"items": {"anyOf": [{"type": "string"}, {"enum": [` + repeated(10_000, numbered(`"v#"`)) + `]}]}}}}`, `{"a": [` + repeated(900_000, same("1")) + `]}`}
		},
		"many values": func() costlyCheck {
			return costlyCheck{`{"properties": {"a": {"type": "array"}}}`, `{"a": [` + repeated(4_000_000, same("[]")) + `]}`}
		},
		"formats": func() costlyCheck {
			return costlyCheck{`{"$schema": "http://json-schema.org/draft-07/schema#", "additionalProperties": {"format": "regex"}}`, `{` + repeated(1000, numbered(`"a#": "((((a{30}){30}){30}){30})"`)) + `}`}
		},
		"patterns of metaschemas": func() costlyCheck {
			return costlyCheck{`{"$ref": "http://json-schema.org/draft-07/schema#"}`, `{"properties": {` + repeated(20, numbered(`"a#": {"pattern": "`+strings.Repeat("(b{1000})", 1000)+`"}`)) + `}}`}
		},
		"lists of enum": func() costlyCheck {
			return costlyCheck{`{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {"a": {"enum": [` + repeated(15_000, func(i int) string {
				return "[" + lists(i%25+1) + "," + lists(i/25%25+1) + "]"
			}) + `]}}}`, `{"a": 1}`}
		},
	}
}

// costlySchemas returns schemas of up to some megabytes.
func costlySchemas() map[string]func() string {
	pairs := func(n int, format string) string { return repeated(n, numbered(format)) }
	doubling := pairs(60, `"d#": {"allOf": [{"$ref": "#/$defs/e#"}, {"$ref": "#/$defs/e#"}], "properties": {"x": {"$ref": "#/$defs/e#"}}}, "e#": {"$ref": "#/$defs/d#"}`)
	var chained strings.Builder
	for i := range 500 {
		fmt.Fprintf(&chained, `"d%d": {"allOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}], "anyOf": [{"$ref": "#/$defs/d%d"}, {"required": ["a"]}]},`, i, i+1, i+1, i+1)
	}
	return map[string]func() string{
		"enum of 100,000": func() string {
			return `{"properties": {"a": {"enum": [` + pairs(100_000, `"value #"`) + `]}}, "required": ["a"]}`
		},
		"required of 60,000": func() string {
			return `{"type": "object", "properties": {` + pairs(60_000, `"p#": {"type": "string"}`) + `}, "required": [` + pairs(60_000, `"p#"`) + `]}`
		},
		"required again and again": func() string {
			return `{"type": "object", "properties": {"a": {"type": "object", "properties": {` + pairs(10_000, `"p#": {"type": "string"}`) + `}}}, "required": [` + repeated(200_000, same(`"a"`)) + `]}`
		},
		"names that meet": func() string {
			return `{"properties": {` + pairs(50_000, `"a-#": {"$ref": "#/$defs/a-#"}`) + `}, "$defs": {` + repeated(50_000, func(i int) string { return fmt.Sprintf(`"a%s%d": {"type": "object"}`, strings.Repeat("-", i%50), i) }) + `}}`
		},
		"allOf of 20,000": func() string {
			return `{"allOf": [` + pairs(20_000, `{"properties": {"p#": {"type": "string"}}, "required": ["p#"]}`) + `]}`
		},
		"anyOf of 20,000": func() string {
			return `{"anyOf": [` + pairs(20_000, `{"properties": {"kind": {"const": "k#"}, "p#": {"type": "string"}}}`) + `]}`
		},
		"allOf of anyOf": func() string {
			return `{"allOf": [` + repeated(60, same(`{"anyOf": [`+pairs(100, `{"properties": {"p#": {"type": "string"}}}`)+`]}`)) + `]}`
		},
		"references that double": func() string { return `{"$ref": "#/$defs/d0", "$defs": {` + doubling + `}}` },
		"references that chain": func() string {
			return `{"$ref": "#/$defs/d0", "$defs": {` + chained.String() + `"d500": {"type": "object"}}}`
		},
		"patternProperties": func() string { return `{"patternProperties": {` + pairs(50_000, `"^p#": {"type": "string"}`) + `}}` },
		"dependentRequired": func() string {
			return `{"dependentRequired": {` + pairs(5_000, `"p#": ["q#", "r#"]`) + `}, "properties": {` + pairs(5_000, `"p#": {}`) + `}}`
		},
		"dependentSchemas": func() string {
			return `{"dependentSchemas": {` + pairs(5_000, `"p#": {"properties": {"q#": {}}}`) + `}, "properties": {` + pairs(5_000, `"p#": {}`) + `}}`
		},
		"prefixItems": func() string {
			return `{"properties": {"a": {"prefixItems": [` + pairs(30_000, `{"const": #}`) + `]}}}`
		},
		"identities": func() string {
			return strings.Repeat(`{"$id": "a/", "properties": {"a":`, 1500) + `{}` + strings.Repeat(`}}`, 1500)
		},
		"anchors": func() string {
			return `{"properties": {` + pairs(20_000, `"a#": {"$dynamicAnchor": "a", "properties": {"b": {"$dynamicRef": "#a"}}}`) + `}}`
		},
		"a large default": func() string {
			return `{"properties": {"a": {"type": "string", "default": "` + strings.Repeat("x", 2<<20) + `"}}, "required": ["a"]}`
		},
		"a large description": func() string {
			return `{"description": "` + strings.Repeat("lorem */ ipsum @x ", 200_000) + `", "properties": {"a": {"description": "` + strings.Repeat("dolor\\n", 100_000) + `"}}}`
		},
		"a large name": func() string {
			return `{"properties": {"` + strings.Repeat("aB1_", 150_000) + `": {}}, "required": ["` + strings.Repeat("aB1_", 150_000) + `"]}`
		},
		"a large pattern": func() string {
			return `{"properties": {"a": {"type": "string", "pattern": "` + strings.Repeat("(a{900})", 200_000) + `"}}}`
		},
		"a large constant": func() string { return `{"properties": {"a": {"const": {` + pairs(100_000, `"p#": [#]`) + `}}}}` },
		"types": func() string {
			return `{"type": [` + repeated(100_000, same(`"object","array"`)) + `], "properties": {"a": {}}}`
		},
		"additionalProperties": func() string {
			return `{"properties": {` + pairs(20_000, `"p#": {"enum": ["a#", "b#"]}`) + `}, "additionalProperties": {"type": "number"}}`
		},
		"nested additional": func() string {
			return strings.Repeat(`{"additionalProperties": {"type": "number"}, "properties": {"a": {"type": "string"}, "b":`, 60) + `{"enum": [` + pairs(1000, `"v#"`) + `]}` + strings.Repeat(`}}`, 60)
		},
		"a number of a million": func() string {
			return `{"properties": {"a": {"type": "integer", "minimum": 1e300, "maximum": 1` + strings.Repeat("0", 1_000_000) + `}}, "required": ["a"]}`
		},
		"references by long ways": func() string {
			return `{"properties": {` + repeated(900, func(i int) string {
				return fmt.Sprintf(`"p%d": {"$ref": "#%s"}`, i, strings.Repeat("/properties/p0", 700))
			}) + `}}`
		},
		"not": func() string { return strings.Repeat(`{"not":`, 3000) + `{}` + strings.Repeat(`}`, 3000) },
		"unevaluated": func() string {
			return `{"unevaluatedProperties": false, "allOf": [` + pairs(2_000, `{"properties": {"p#": {}}}`) + `]}`
		},
	}
}

// colliding returns tools whose names result in the same identifier.
func colliding(n int) []toolscript.Tool {
	all := make([]toolscript.Tool, n)
	for i := range all {
		name := strings.NewReplacer("0", "-", "1", "_").Replace(fmt.Sprintf("%014b", i))
		all[i] = toolscript.Tool{Server: "s", Name: "a" + name, InputSchema: json.RawMessage(`{}`)}
	}
	return all
}

func costlyTools() map[string]func() []toolscript.Tool {
	return map[string]func() []toolscript.Tool{
		"10,000 tools of one name": func() []toolscript.Tool { return colliding(10_000) },
		"a description of 10 MB": func() []toolscript.Tool {
			return []toolscript.Tool{{Server: "s", Name: "t", Description: strings.Repeat("lorem ipsum dolor ", 600_000), InputSchema: json.RawMessage(`{}`)}}
		},
		"one word of 10 MB": func() []toolscript.Tool {
			return []toolscript.Tool{{Server: "s", Name: "t", Description: strings.Repeat("x", 10<<20), InputSchema: json.RawMessage(`{}`)}}
		},
		"a description of line ends": func() []toolscript.Tool {
			return []toolscript.Tool{{Server: "s", Name: "t", Description: strings.Repeat("\n*/ ", 3<<20), InputSchema: json.RawMessage(`{}`)}}
		},
		"a name of 400 kB": func() []toolscript.Tool {
			return []toolscript.Tool{{Server: "s", Name: strings.Repeat("aB-", 140_000), InputSchema: json.RawMessage(`{}`)}}
		},
	}
}

type costlyMap struct{ code, sourceMap, stack string }

func costlyMaps() map[string]func() costlyMap {
	line := func() string { return strings.Repeat("x;", 128<<10) }
	frames := func() string { return strings.Repeat("    at f (script.ts:1:250000)\n", 300_000) }
	return map[string]func() costlyMap{
		"a line of 256 kB": func() costlyMap { return costlyMap{line(), "", frames()} },
		"mappings of 1 MB": func() costlyMap {
			return costlyMap{line(), `{"version":3,"sources":["script.ts"],"sourcesContent":["x"],"mappings":"` + strings.Repeat("AAAA,", 256<<10) + `AAAA"}`, frames()}
		},
		"lines of mappings": func() costlyMap {
			return costlyMap{strings.Repeat("\n", 1<<20), `{"version":3,"sources":["script.ts"],"sourcesContent":["x"],"mappings":"` + strings.Repeat(";", 2<<20) + `"}`, frames()}
		},
		"a word in a frame": func() costlyMap { return costlyMap{"x", "", "    at " + strings.Repeat("((", 8<<20) + ":1:1)\n"} },
	}
}
