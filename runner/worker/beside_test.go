//go:build nocheck

package worker_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/outside"
	"github.com/toolscript/toolscript/runner/script/typecheck"
	"github.com/toolscript/toolscript/runner/worker"
)

// TestBeside checks scripts in a build without a type checker, with the compiler
// that npm brings, and holds that places and limits are those of the script.
func TestBeside(t *testing.T) {
	bin, err := filepath.Abs("../../test/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	tsc := outside.New(outside.Options{TypeScript: outside.FindTypeScript(t.Context(), bin), Globals: typecheck.Globals})
	if tsc == nil {
		t.Fatal("no tsc in test/node_modules; run: task peers")
	}
	c, err := worker.StartChecker(t.Context(), worker.Options{Types: tsc})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	for _, test := range []struct {
		name, code, file string
		want             []string
	}{
		{name: "right", code: "import { tools } from 'toolscript'; return await tools.demo.echo({ message: 'x' })"},
		{name: "JavaScript", code: "const n = 1; n.foo", file: "a.js"},
		{
			name: "columns behind the wrapper of a return", code: "const s = '😀'; return s.foo",
			want: []string{"script.ts:1:26 TS2339 Property 'foo' does not exist on type '\"😀\"'."},
		},
	} {
		src := runner.Source{Code: test.code, File: test.file}
		compiled, found, err := c.Compile(t.Context(), src)
		if err != nil || len(found) > 0 {
			t.Fatalf("%s: Compile = %+v, %v", test.name, found, err)
		}
		found, err = c.Check(t.Context(), runner.TypeCheck{Source: src, Returns: compiled.Returns, Module: demo})
		if got := lines(found); err != nil || !slices.Equal(got, append([]string{}, test.want...)) {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
	busy := runner.Source{Code: hostile["arrays 500 deep"].code}
	found, err := c.Check(t.Context(), runner.TypeCheck{Source: busy, Module: demo, Spent: runner.Effort{Work: worker.SourceLimit.Work - 300*time.Millisecond}})
	if err != nil || len(found) != 1 || found[0].Code != runner.CodeLimit || !strings.Contains(found[0].Message, "took longer") {
		t.Errorf("a busy check: %+v, %v", found, err)
	}
	select {
	case <-c.Done():
		t.Error("the worker ended with the other program")
	default:
	}
}

// TestBesideNothing holds that a build which finds no checker says so.
func TestBesideNothing(t *testing.T) {
	_, err := startChecker(t).Check(t.Context(), runner.TypeCheck{Source: runner.Source{Code: "1"}, Module: demo})
	if toolscript.KindOf(err) != toolscript.Unsupported || !strings.Contains(err.Error(), "tsc 7") {
		t.Errorf("Check = %v, want %s", err, toolscript.Unsupported)
	}
}
