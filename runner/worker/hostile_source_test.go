package worker_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Each pattern matches the first finding of a hostile source, preceded by the code of the finding.
const (
	nothing  = "^$"
	overflow = "^limit the .* could not be (compiled|checked): it is too complex"
	full     = `^limit the types of the script .*checked.* 512 MB .*`
	// spent matches a checker that has exceeded its limit in the first step, or in both. The second
	// duration is the time limit on a busy machine.
	spent = `^limit the .* could not be (compiled: .* ((1\.65|7)s|512 MB\b).*|checked: .* ((1\.8|9)s|512 MB\b).*exec --check off)$`
	or    = "|" // joins two outcomes, for slow machines and the race detector
)

// hostile maps hostile sources to their expected outcomes; some of them compile. On an idle machine
// each takes at most two seconds, and the checker survives all except those that end with a limit.
var hostile = map[string]struct{ want, code string }{
	"250,000 brackets":            {spent + or + overflow, "const x = " + strings.Repeat("[", 250_000) + strings.Repeat("]", 250_000)},
	"250,000 open brackets":       {spent + or + overflow, strings.Repeat("(", 250_000)},
	"250,000 braces":              {spent + or + overflow, strings.Repeat("{", 250_000)},
	"250,000 prefixes":            {spent + or + overflow + or + "^TS1109 ", strings.Repeat("!", 250_000)},
	"nested templates":            {spent + or + overflow + or + "^TS1109 ", strings.Repeat("`${", 80_000)},
	"async calls":                 {spent, asyncCalls},
	"3,000 arrows":                {spent + or + nothing, "const f = " + strings.Repeat("a=>", 3000) + "1"},
	"arrays 500 deep":             {spent, "const x = " + strings.Repeat("[", 500) + strings.Repeat("]", 500)},
	"types 2,000 deep":            {nothing, "type X = " + strings.Repeat("[", 1999) + strings.Repeat("]", 1999) + "; export type Y = X"},
	"types 30,000 deep":           {spent + or + overflow, "type X = " + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000) + "; export type Y = X"},
	"array types 100,000 deep":    {spent + or + nothing, "type X = string" + strings.Repeat("[]", 100_000) + "; export type Y = X"},
	"a union that fills memory":   {spent, "type D = 0|1|2|3|4|5|6|7|8|9; type T<N extends number, A extends unknown[] = []> = A['length'] extends N ? A : T<N, [...A, `${D}${D}${D}${D}`]>; const x: T<900> = 1"},
	"template literals":           {"^TS2322 ", "type D = '0'|'1'|'2'|'3'|'4'|'5'|'6'|'7'|'8'|'9'; type A = `${D}${D}${D}${D}`; type B = { [K in A]: { [L in A]: `${K}${L}` }[A] }; const x: B['0000'] = 1"},
	"recursive conditional types": {spent, "type F<N, A extends any[] = []> = A['length'] extends N ? A : F<N, [...A, any, any]>; const x: F<99999> = 1; x"},
	"mapped types that grow":      {"^TS2719 ", "type G<T, N extends any[] = []> = N['length'] extends 30 ? T : G<{ a: T; b: T; c: T }, [...N, 1]>; const a: G<1> = {} as G<2>; a"},
	"@ts-ignore flood":            {spent + or + nothing, strings.Repeat("// @ts-ignore\nx;\n", 40_000)},
	"@ts-expect-error flood":      {spent + or + "^TS2578 ", strings.Repeat("// @ts-expect-error\n", 50_000) + "1"},
	"@ts-nocheck and brackets":    {nothing, "// @ts-nocheck\nconst x = " + strings.Repeat("[", 1500) + strings.Repeat("]", 1500)},
	"100,000 errors":              {spent + or + "^TS2304 ", strings.Repeat("x;", 100_000)},
	"a long union":                {spent + or + "^TS2322 ", "type U = " + strings.Repeat("{ a: string } | ", 20_000) + "1; const u: U = 2"},
	"many overloads":              {spent + or + "^TS2769 ", strings.Repeat("declare function f(a: { x: 1 }): void;\n", 20_000) + "f({ x: 2 })"},
	"regular expressions":         {nothing, "const r = /" + strings.Repeat("(", 1500) + strings.Repeat(")", 1500) + "/v; r"},
	"chained calls":               {spent + or + nothing, "const x = [1]" + strings.Repeat(".map((a) => a)", 3000)},
	"assignments":                 {spent + or + overflow, strings.Repeat("a=", 100_000) + "1"},
	"binary operators":            {spent + or + overflow + or + nothing, "const x = 1" + strings.Repeat("+1", 200_000)},
	"identifiers of one megabyte": {"^TS2304 ", "const " + strings.Repeat("x", 900_000) + " = 1; y"},
	"nested generics":             {spent + or + "^TS2322 ", "type A<T> = { x: T }; type X = " + strings.Repeat("A<", 1900) + "1" + strings.Repeat(">", 1900) + "; const x: X = 1"},
	"circular types":              {"^TS2456 ", "type A = B | { a: A }; type B = C & { b: B }; type C = A; const c: C = 1"},
	"reference comments":          {"^import ", strings.Repeat("/// <reference path='/etc/passwd' />\n", 1000) + "1"},
	"import types of files":       {"^import ", "let a: import('/etc/passwd').X;\n" + strings.Repeat("a as import('/etc/passwd').X;\n", 1000)},
	"a string of gigabytes":       {full + or + spent, doubling()},
	"@ts-nocheck and arrays":      {nothing, "// @ts-nocheck\n" + "const x = " + strings.Repeat("[", 500) + strings.Repeat("]", 500)},
}

// asyncCalls keeps the compiler busy for minutes: it reads each call as a function first.
var asyncCalls = strings.Repeat("async(", 40) + "1" + strings.Repeat(")", 40)

// doubling returns a source with a string type that would have two gigabytes.
func doubling() string {
	var text strings.Builder
	fmt.Fprintf(&text, "type S0 = '%s';", strings.Repeat("x", 64))
	for i := range 25 {
		fmt.Fprintf(&text, "type S%d = `${S%d}${S%d}`;", i+1, i, i)
	}
	text.WriteString("const x: S25 = 'y'; x")
	return text.String()
}

// TestHostileSources checks that every hostile source gets an answer in time, and that only the
// checker of that source may end.
func TestHostileSources(t *testing.T) {
	if testing.Short() {
		t.Skip("each source uses a processor up to its limit")
	}
	for name, test := range hostile {
		t.Run(name, func(t *testing.T) {
			c := startChecker(t)
			src := runner.Source{Code: test.code, File: "bad.ts"}
			begun := time.Now()
			compiled, found, err := c.Compile(t.Context(), src)
			if err == nil && len(found) == 0 {
				found, err = c.Check(t.Context(), runner.TypeCheck{Source: src, Returns: compiled.Returns, Spent: compiled.Spent, Module: demo})
			}
			took := time.Since(begun)
			if err != nil || took > 20*time.Second {
				t.Errorf("after %s: %+v, %v", took, found, err)
			}
			t.Logf("%4d ms, %3d findings, %.150s", took.Milliseconds(), len(found), first(found))
			if !regexp.MustCompile(test.want).MatchString(first(found)) {
				t.Errorf("it ended with %q, want %s", first(found), test.want)
			}
			if len(found) == 0 || found[0].Code != runner.CodeLimit {
				alive(t, c)
				return
			}
			select {
			case <-c.Done():
			default:
				t.Error("a checker that was killed seems free for the next script")
			}
		})
	}
}

// first returns the first line of the first finding.
func first(found []toolscript.Diagnostic) string {
	if len(found) == 0 {
		return ""
	}
	message, _, _ := strings.Cut(found[0].Message, "\n")
	return found[0].Code + " " + message
}
