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
	wineRemove = "Wine 8 lacks the call with which os.RemoveAll removes files"
	wineCPU    = "Wine 8 does not report the CPU time of another process"
	signals    = "Windows has no signals"
	modes      = "Windows has no permission bits"
	words      = "it expects words of an error of Unix"
	slashes    = "it expects paths with slashes in the output"
	programs   = "it runs programs of Unix, such as sed, find, sleep and kill"
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
	"add":                wineRemove,
	"audit":              programs,
	"builtin":            slashes,
	"builtin_exec":       programs,
	"cache":              wineRemove,
	"command-server":     programs,
	"config-import":      wineRemove,
	"connect":            wineRemove,
	"disabled":           programs,
	"docs-configuration": wineRemove,
	"engine-deno":        words,
	"exec-environment":   slashes,
	"exec-gateway":       slashes,
	"exec-interrupt":     signals,
	"exec-max-tokens":    programs,
	"exec-modules":       "Wine makes no links without the rights of an administrator",
	"exec-notices":       programs,
	"exec-out-folder":    slashes,
	"exec-pipe":          programs,
	"exec-refused":       words,
	"exec-source":        "an argument of Windows is Unicode, so it cannot be text in another encoding",
	"exec-stdin":         words,
	"exec-value":         words,
	"gateway-address":    modes,
	"gateway-detach":     words,
	"gateway-reload":     signals,
	"gateway-signals":    signals,
	"linked-root":        wineRemove,
	"no-stacks":          words,
	"openapi":            words,
	"options":            words,
	"rest":               signals,
	"runs":               programs,
	"runs-detached":      programs,
	"runs-html":          modes,
	"search":             programs,
	"server-edit":        slashes,
	"server-returns":     programs,
	"status-all":         programs,
	"unwritable-home":    modes,
	"usage":              words,
}

// skip returns the pattern of the tests that do not run.
func (s suite) skip() string {
	names := "^(" + strings.Join(slices.Sorted(maps.Keys(s.not)), "|") + ")$"
	if s.group == "" {
		return names
	}
	return "^" + s.group + "$/" + names
}
