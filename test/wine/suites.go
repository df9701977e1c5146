package main

import "github.com/toolscript/toolscript/test/emulated"

// Reasons that several tests have.
const (
	wineCPU   = "Wine 8 does not report the CPU time of another process"
	wineLinks = "Wine 8 makes no links"
	signals   = "Windows has no signals"
	shell     = "its programs are scripts of the shell"
)

var suites = []emulated.Suite{
	{Folder: "internal/files"},
	{Folder: "internal/proc"},
	{Folder: "runner/worker", Not: map[string]string{
		"TestOneLimitForAllSteps":        wineCPU,
		"TestConversionExceedsItsLimits": wineCPU,
	}},
	{Folder: "transport/mcpclient", Not: map[string]string{
		"TestConfine":                             "Windows cannot confine a server",
		"TestKilledWithCallsInFlight":             signals,
		"TestCloseKillsAServerThatIgnoresSignals": signals,
		"TestCommandIsFoundInThePathOfTheServer":  shell,
		"TestPermanentCauses":                     "it starts the shell, and a file without permission to execute",
		"TestMissingProgramNamesTheVariable":      "it starts the shell",
	}},
	{Folder: "harness"},
	{Folder: "test/harness"},
	{Folder: "test/sandbox", Whole: true},
	{Folder: "test/plugin", Not: map[string]string{
		"TestHooksInShells": "Wine has no PowerShell",
	}},
	{Folder: "test/script", Whole: true, Group: "TestScripts", Files: "testdata/*.txtar", Not: scripts},
}

// scripts are the files of test/script/testdata that cannot run.
var scripts = map[string]string{
	"linked-root":    wineLinks,
	"messages":       "it runs the program 140 times, which takes longer than the three minutes of a script, and its text has the paths and errors of Unix",
	"openapi-worker": "Wine 8 counts 109 MB for the process that reads a document, which is replaced from 96 MB",
}
