package main

import (
	"strings"
	"testing"
)

// TestSummary uses the events of a run in which a test failed, its subtest passed in the second try,
// another test failed in each try, and a package did not compile.
func TestSummary(t *testing.T) {
	const events = `{"Action":"pass","Package":"github.com/toolscript/toolscript/internal/naming","Test":"TestNames","Elapsed":2}
{"Action":"fail","Package":"github.com/toolscript/toolscript/actors","Test":"TestA/one","Elapsed":1}
{"Action":"pass","Package":"github.com/toolscript/toolscript/actors","Test":"TestA/two","Elapsed":1}
{"Action":"fail","Package":"github.com/toolscript/toolscript/actors","Test":"TestA","Elapsed":3}
{"Action":"fail","Package":"github.com/toolscript/toolscript/actors","Test":"TestB","Elapsed":1}
{"Action":"fail","Package":"github.com/toolscript/toolscript/actors","Elapsed":5}
{"Action":"fail","Package":"github.com/toolscript/toolscript/codegen","Elapsed":0}
{"Action":"pass","Package":"github.com/toolscript/toolscript/actors","Test":"TestA/one","Elapsed":1}
{"Action":"pass","Package":"github.com/toolscript/toolscript/actors","Test":"TestA","Elapsed":1}
{"Action":"pass","Package":"github.com/toolscript/toolscript/actors","Elapsed":1}
{"Action":"fail","Package":"github.com/toolscript/toolscript/actors","Test":"TestB","Elapsed":1}
{"Action":"fail","Package":"github.com/toolscript/toolscript/actors","Elapsed":1}
`
	const want = `flaky: actors TestA/one
FAIL	actors TestB
FAIL	codegen
`
	var h history
	if err := h.add(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	if got := h.summary(); got != want {
		t.Errorf("summary:\n%s\nwant:\n%s", got, want)
	}
	if got, want := h.slowest(), "the slowest tests, in seconds:\n   3.0  actors TestA\n   2.0  internal/naming TestNames\n   1.0  actors TestB\n"; got != want {
		t.Errorf("slowest:\n%s\nwant:\n%s", got, want)
	}
}

// TestEachPackageIsInOneSection checks that task test and task test:all omit no package and run none
// twice. task test omits the suites without a short form.
func TestEachPackageIsInOneSection(t *testing.T) {
	t.Chdir("../..")
	module, err := packagesOfModule()
	if err != nil {
		t.Fatal(err)
	}
	for i, names := range [][]string{{"packages", "state", "suites", "bounds"}, {"packages-race", "suites-race", "suites-plain"}} {
		in := map[string]int{}
		for _, name := range names {
			s, _ := find(name)
			for _, pkg := range s.of(module) {
				in[pkg]++
			}
		}
		for _, pkg := range append(module, shim) {
			want := 1
			if i == 0 && hasNoShortForm(pkg) {
				want = 0
			}
			if in[pkg] != want {
				t.Errorf("%s is in %d of the sections %v", pkg, in[pkg], names)
			}
		}
	}
}
