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
	wineCPU   = "Wine 8 does not report the CPU time of another process"
	wineLinks = "Wine 8 makes no links"
	signals   = "Windows has no signals"
	programs  = "it runs programs of Unix, such as find and mkfifo"
	kills     = "the shell in Go has no kill"
)

var suites = []suite{
	{folder: "internal/proc"},
	{folder: "runner/worker", not: map[string]string{
		"TestOneLimitForAllSteps":        wineCPU,
		"TestConversionExceedsItsLimits": wineCPU,
	}},
	{folder: "transport/mcpclient", not: map[string]string{
		"TestConfine":                             "Windows cannot confine a server",
		"TestKilledWithCallsInFlight":             signals,
		"TestCloseKillsAServerThatIgnoresSignals": signals,
		"TestCommandIsFoundInThePathOfTheServer":  "a server is a script of the shell",
		"TestPermanentCauses":                     "it starts the shell, and a file without permission to execute",
		"TestMissingProgramNamesTheVariable":      "it starts the shell",
	}},
	{folder: "test/sandbox", whole: true},
	{folder: "test/plugin"},
	{folder: "test/script", group: "TestScripts", not: scripts},
}

// scripts are the files of test/script/testdata that cannot run.
var scripts = map[string]string{
	"builtin_exec":    programs,
	"command-server":  programs,
	"exec-interrupt":  signals,
	"exec-notices":    programs,
	"gateway-reload":  signals,
	"gateway-signals": signals,
	"linked-root":     wineLinks,
	"runs-detached":   kills,
	"server-returns":  "a server is a script of the shell",
	"status-all":      kills,
}

// skip returns the pattern of the tests that do not run.
func (s suite) skip() string {
	names := "^(" + strings.Join(slices.Sorted(maps.Keys(s.not)), "|") + ")$"
	if s.group == "" {
		return names
	}
	return "^" + s.group + "$/" + names
}
