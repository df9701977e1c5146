package main

import (
	"maps"
	"slices"
	"strings"
)

// A suite is a package whose tests run on Windows.
type suite struct {
	folder string
	whole  bool              // without the short form
	group  string            // test whose subtests not names; "" if it names tests
	not    map[string]string // what cannot run, with the reason
}

// Reasons that several tests have.
const (
	wineRemove  = "Wine 8 lacks the call with which os.RemoveAll removes files"
	wineCPU     = "Wine 8 does not report the CPU time of another process"
	wineSockets = "Wine 8 has no Unix sockets, which the hub uses"
	signals     = "Windows has no signals"
	modes       = "Windows has no permission bits"
	refusal     = "it expects the words of Unix for a connection that is refused"
)

var suites = []suite{
	{folder: "internal/proc"},
	{folder: "runner/worker", not: map[string]string{
		"TestOneLimitForAllSteps":        wineCPU,
		"TestConversionExceedsItsLimits": wineCPU,
	}},
	{folder: "test/sandbox", whole: true},
	{folder: "test/script", group: "TestScripts", not: scripts},
}

// scripts are the files of test/script/testdata that cannot run.
var scripts = map[string]string{
	"add":             wineRemove,
	"gateway-detach":  "it expects the words of Unix for a port in use",
	"gateway-reload":  signals,
	"gateway-signals": signals,
	"linked-root":     wineRemove,
	"no-stacks":       "it expects the words of Unix for a port in use",
	"openapi":         refusal,
	"options":         "it expects the words of Unix for a port in use",
	"runs-html":       modes,
	"server-edit":     "it expects paths with slashes",
	"unwritable-home": modes,
	"usage":           refusal,
	"exec-refused":    refusal,
	"exec-value":      "it expects the words of Unix for a folder that does not exist",
	"exec-stdin":      "it expects the words of Unix for a folder",
	"exec-notices":    "the shell in Go has no descriptors above 2",
	"exec-pipe":       "the shell in Go prints the error of a closed pipe",
}

// skip returns the pattern of the tests that do not run.
func (s suite) skip() string {
	names := "^(" + strings.Join(slices.Sorted(maps.Keys(s.not)), "|") + ")$"
	if s.group == "" {
		return names
	}
	return "^" + s.group + "$/" + names
}
