package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/worker"
)

var demo = runner.Declarations{Key: "demo", Text: `
export interface EchoParams { message: string; times?: number }
export interface DemoTools { echo(params: EchoParams): Promise<any> }
export interface Tools { demo: DemoTools }
export declare const tools: Tools;
export declare const args: readonly string[];`}

// typesOf returns the findings of a script that must compile, as lines.
func typesOf(t *testing.T, c *worker.Checker, src runner.Source) []string {
	t.Helper()
	compiled, found, err := c.Compile(t.Context(), src)
	if err != nil || len(found) > 0 {
		t.Fatalf("Compile = %+v, %v", found, err)
	}
	found, err = c.Check(t.Context(), runner.TypeCheck{Source: src, Returns: compiled.Returns, Module: demo})
	if err != nil {
		t.Fatalf("Check: %v", err)
	}
	return lines(found)
}

func lines(found []toolscript.Diagnostic) []string {
	all := []string{}
	for _, d := range found {
		all = append(all, fmt.Sprintf("%s:%d:%d %s %s", d.File, d.Line, d.Column, d.Code, d.Message))
	}
	return all
}

// places returns the positions and codes of finding lines, without the messages.
func places(lines []string) []string {
	var all []string
	for _, line := range lines {
		fields := strings.Fields(line)
		all = append(all, fields[0]+" "+fields[1])
	}
	return all
}

func TestCheck(t *testing.T) {
	c := startChecker(t)
	const imported = "import { tools } from 'toolscript';\n"
	for _, test := range []struct {
		name, code, file string
		want             []string
	}{
		{name: "right", code: imported + "console.log(await tools.demo.echo({ message: 'x' }))"},
		{
			name: "all of them, in order", code: imported + "const n: number = 'a';\nawait tools.demo.echo({ mesage: 1 });\nawait tools.demmo.echo({});",
			want: []string{
				"script.ts:2:7 TS2322",
				"script.ts:3:25 TS2561",
				"script.ts:4:13 TS2551",
			},
		},
		{
			name: "columns behind the wrapper of a return", code: imported + "const s = '😀'; return s.foo",
			want: []string{"script.ts:2:26 TS2339"},
		},
		{
			name: "a return on the first line", code: "let n: number = 'x'; return n", file: "a.mts",
			want: []string{"a.mts:1:5 TS2322"},
		},
		{name: "JavaScript", code: "const n = 1; n.foo", file: "a.js"},
		{name: "@ts-nocheck", code: "// @ts-nocheck\nconst n: number = 'x'; n"},
		{name: "@ts-nocheck above a return", code: "// @ts-nocheck\nconst n: number = 'x'; return n"},
		{name: "@ts-ignore", code: "// @ts-ignore\nconst n: number = 'x'; return n"},
		{name: "digests, streams and blobs", code: `const blob = new Blob(["a", new Uint8Array(2)], { type: "text/plain" });
			const small = new Blob(await Array.fromAsync(blob.stream().pipeThrough(new CompressionStream("gzip"))));
			const key = await crypto.subtle.importKey("raw", await small.bytes(), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
			const mac: ArrayBuffer = await crypto.subtle.sign("HMAC", key, await crypto.subtle.digest("SHA-1", await small.arrayBuffer()));
			const timer: number = setImmediate((text) => console.log(text), new TextDecoder("latin1").decode(mac));
			clearImmediate(timer);
			for await (const n of ReadableStream.from([1, 2])) n.toFixed();
			await new ReadableStream<string>({ pull(c) { c.enqueue("x"); c.close() } }).pipeTo(new WritableStream({ write(text: string) { text.trim() } }));`},
		{name: "misused", code: `crypto.subtle.digest("MD5", new Uint8Array());
			crypto.subtle.digest("SHA-1", "text");
			new CompressionStream("br");
			new Blob("text");`, want: []string{"script.ts:1:22 TS2345", "script.ts:2:34 TS2345", "script.ts:3:26 TS2345", "script.ts:4:13 TS2345"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := typesOf(t, c, runner.Source{Code: test.code, File: test.file})
			if diff := cmp.Diff(test.want, places(got), cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNoCheckComments checks that comments suppress only findings about types.
func TestNoCheckComments(t *testing.T) {
	c := startChecker(t)
	for _, code := range []string{
		"// @ts-nocheck\nimport fs from 'node:fs'; fs",
		"// @ts-nocheck\nimport type { X } from '/etc/passwd'; export type Y = X",
		"// @ts-nocheck\ntype X = typeof import('/etc/passwd'); export type Y = X",
		"// @ts-nocheck\n/// <reference path='/etc/passwd' />\n1",
		"// @ts-ignore\n/// <reference types='node' />\n1",
		"// @ts-nocheck\nconst = 1",
	} {
		if _, found, err := c.Compile(t.Context(), runner.Source{Code: code}); err != nil || len(found) == 0 {
			t.Errorf("%q: %+v, %v; want it refused", code, found, err)
		}
	}
}

// TestCheckEndsWithCtx cancels the context of an endless type check.
func TestCheckEndsWithCtx(t *testing.T) {
	c := startChecker(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := c.Check(ctx, runner.TypeCheck{Source: runner.Source{Code: hostile["arrays 500 deep"].code}, Module: demo})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Check = %v, want the cause of its ctx", err)
	}
	<-c.Done()
}

// TestDeclarationsChange checks one script alternately against the declarations of
// three catalogs.
func TestDeclarationsChange(t *testing.T) {
	c := startChecker(t)
	const code = "import { tools } from 'toolscript'; tools.demo"
	for range 2 {
		for _, d := range []struct {
			runner.Declarations
			errors int
		}{
			{demo, 0},
			{runner.Declarations{Key: "no tools", Text: "export declare const tools: {};"}, 1},
			{runner.Declarations{Key: "open", Text: "export declare const tools: { demo: any };"}, 0},
		} {
			found, err := c.Check(t.Context(), runner.TypeCheck{Source: runner.Source{Code: code}, Module: d.Declarations})
			if err != nil || len(found) != d.errors {
				t.Errorf("against %s: %v, %v; want %d findings", d.Key, lines(found), err, d.errors)
			}
		}
	}
}

// TestGlobalsAreThoseOfTheEngine checks that the checker declares every global of the
// sandbox.
func TestGlobalsAreThoseOfTheEngine(t *testing.T) {
	s, h := startSandbox(t), &host{}
	outcome := sandboxRun(t, s, `return Object.getOwnPropertyNames(globalThis).filter((n) => /^[A-Za-z]\w*$/.test(n))`, h)
	var names []string
	if err := json.Unmarshal(outcome.Value, &names); err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, name := range names {
		if !slices.Contains(undeclared, name) {
			fmt.Fprintf(&code, "%s;\n", name)
		}
	}
	if missing := typesOf(t, startChecker(t), runner.Source{Code: code.String()}); len(missing) > 0 {
		t.Errorf("the engine has what the checker refuses:\n%s", strings.Join(missing, "\n"))
	}
}

// undeclared are globals of the engine that the checker does not declare.
var undeclared = []string{}
