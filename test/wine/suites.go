package main

import "github.com/toolscript/toolscript/test/emulated"

// Reasons that several tests have.
const (
	wineCPU   = "Wine 8 does not report the CPU time of another process"
	wineLinks = "Wine 8 makes no links"
	signals   = "Windows has no signals"
	programs  = "it runs programs of Unix, such as find and mkfifo"
	kills     = "the shell in Go has no kill"
)

var suites = []emulated.Suite{
	{Folder: "internal/proc"},
	{Folder: "runner/worker", Not: map[string]string{
		"TestOneLimitForAllSteps":        wineCPU,
		"TestConversionExceedsItsLimits": wineCPU,
	}},
	{Folder: "transport/mcpclient", Not: map[string]string{
		"TestConfine":                             "Windows cannot confine a server",
		"TestKilledWithCallsInFlight":             signals,
		"TestCloseKillsAServerThatIgnoresSignals": signals,
		"TestCommandIsFoundInThePathOfTheServer":  "a server is a script of the shell",
		"TestPermanentCauses":                     "it starts the shell, and a file without permission to execute",
		"TestMissingProgramNamesTheVariable":      "it starts the shell",
	}},
	{Folder: "test/sandbox", Whole: true},
	{Folder: "test/plugin"},
	{Folder: "test/script", Group: "TestScripts", Not: scripts},
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
