package outside_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/outside"
)

const peers = "../../test/node_modules"

// patience is a limit that only what hangs reaches.
var patience = runner.Effort{Work: time.Minute, Wall: time.Minute}

// checkers are one of each kind, with the programs that npm brings for tests.
func checkers(t *testing.T) map[string]*outside.Checker {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join(peers, ".bin"))
	if err != nil {
		t.Fatal(err)
	}
	deno, err := filepath.Abs(filepath.Join(peers, "@deno/linux-x64-glibc/deno"))
	if err == nil {
		deno, err = filepath.EvalSymlinks(deno)
	}
	tsc := outside.FindTypeScript(t.Context(), bin)
	if err != nil || tsc == "" {
		t.Fatalf("no compilers in %s (%v); run: task peers", peers, err)
	}
	const globals = "declare var console: { log(...data: any[]): void };"
	all := map[string]*outside.Checker{
		"tsc --lsp":  outside.New(outside.Options{TypeScript: tsc, Deno: deno, Globals: globals}),
		"deno check": outside.New(outside.Options{Deno: deno, Folder: t.TempDir(), Globals: globals}),
	}
	for name, c := range all {
		if c.Name() != name {
			t.Errorf("the checker is %s, want %s", c.Name(), name)
		}
	}
	return all
}

var demo = runner.Declarations{Key: "demo", Text: `
export interface EchoParams { message: string; times?: number }
export interface DemoTools { echo(params: EchoParams): Promise<any> }
export interface Tools { demo: DemoTools }
export declare const tools: Tools;`}

const imported = "import { tools } from 'toolscript';\n"

func TestFindings(t *testing.T) {
	for name, c := range checkers(t) {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				name, text string
				want       []string
			}{
				{name: "right", text: imported + "console.log(await tools.demo.echo({ message: 'x' }));"},
				{name: "no imports", text: "await null; try { await null } catch (e) { console.log(e.code) }"},
				{
					name: "all of them", text: imported + "const s = '𝒳'; const n: number = s;\nawait tools.demo.echo({ mesage: 1 });\nn;",
					want: []string{
						"2:23 TS2322 Type 'string' is not assignable to type 'number'.",
						"3:25 TS2561 Object literal may only specify known properties, but 'mesage' does not exist in type 'EchoParams'. Did you mean to write 'message'?",
					},
				},
				{
					name: "a message of several lines", text: "const f: (a: string) => void = (a: number) => {}; f;",
					want: []string{"1:7 TS2322 Type '(a: number) => void' is not assignable to type '(a: string) => void'.\n" +
						"  Types of parameters 'a' and 'a' are incompatible.\n    Type 'string' is not assignable to type 'number'."},
				},
				{name: "no fetch", text: "fetch('x');", want: []string{"1:1 TS2304 Cannot find name 'fetch'."}},
			} {
				found, err := c.CheckText(t.Context(), test.text, demo, patience)
				if err != nil {
					t.Errorf("%s: %v", test.name, err)
				}
				var got []string
				for _, f := range found {
					got = append(got, fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Code, f.Message))
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", test.name, diff)
				}
			}
		})
	}
}

// TestNothingIsReached holds that a script which names a file, a package or a host
// learns nothing of it, though such a script never comes here.
func TestNothingIsReached(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`{"password_of_the_host":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	reached := make(chan struct{}, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			reached <- struct{}{}
			_ = conn.Close()
		}
	}()
	defer listener.Close() //nolint:errcheck // the test ends
	text := fmt.Sprintf(`
import type a from %[1]q; import b from %[1]q with { type: "json" };
const x: typeof import(%[1]q) = 1; const y: number = b; y; x; export type Z = a;
import c from "http://%[2]s/x.ts"; c; import d from "npm:left-pad"; d;`, secret, listener.Addr())
	for name, c := range checkers(t) {
		found, err := c.CheckText(t.Context(), text, demo, patience)
		said := fmt.Sprint(found, err)
		if strings.Contains(said, "password_of_the_host") {
			t.Errorf("%s quotes a file: %s", name, said)
		}
		if err == nil && len(found) == 0 {
			t.Errorf("%s finds nothing wrong", name)
		}
	}
	select {
	case <-reached:
		t.Error("a checker has connected to a host that the script names")
	default:
	}
}

// TestLimits has text that keeps a compiler busy for minutes, text that fills its
// memory, and a caller who gives up.
func TestLimits(t *testing.T) {
	busy := "const x = " + strings.Repeat("[", 500) + strings.Repeat("]", 500)
	// Sixty mapped types of 10,000 members each, compared with one another, take gigabytes.
	var large strings.Builder
	large.WriteString("type D = '0'|'1'|'2'|'3'|'4'|'5'|'6'|'7'|'8'|'9'; type A = `${D}${D}${D}${D}`;")
	for i := range 60 {
		fmt.Fprintf(&large, "type M%[1]d = { [K in A]: [%[1]d, K] }[A]; const x%[1]d: M%[1]d = 1 as any as M%[2]d;", i, (i+1)%60)
	}
	for name, c := range checkers(t) {
		t.Run(name, func(t *testing.T) {
			if _, err := c.CheckText(t.Context(), busy, demo, runner.Effort{Work: time.Second, Wall: time.Minute}); toolscript.KindOf(err) != toolscript.LimitTime {
				t.Errorf("a busy check ended with %v, want %s", err, toolscript.LimitTime)
			}
			_, err := c.CheckText(t.Context(), large.String(), demo, patience)
			if kind := toolscript.KindOf(err); kind != toolscript.LimitMemory {
				t.Errorf("a large check ended with %v, want %s", err, toolscript.LimitMemory)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if _, err := c.CheckText(ctx, busy, demo, patience); err == nil || ctx.Err() == nil {
				t.Errorf("a check outlived its context: %v", err)
			}
		})
	}
}

// TestFindTypeScript holds that only a compiler which can do this is found.
func TestFindTypeScript(t *testing.T) {
	old := t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "tsc"), []byte("#!/bin/sh\necho Version 5.9.2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"nothing": t.TempDir(), "a script of an old version": old, "a relative folder": peers + "/.bin"} {
		if got := outside.FindTypeScript(t.Context(), path); got != "" {
			t.Errorf("%s: found %s", name, got)
		}
	}
	if c := outside.New(outside.Options{}); c != nil {
		t.Errorf("without programs the checker is %s", c.Name())
	}
}
