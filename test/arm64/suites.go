//go:build linux

package main

import "github.com/toolscript/toolscript/test/emulated"

// noFilters is the reason of several tests.
const noFilters = "QEMU emulates neither Landlock nor filters of system calls; -kernel has both"

// suites run with the user mode emulation.
var suites = []emulated.Suite{
	{Folder: "internal/files", Not: map[string]string{"TestPath": "QEMU runs the file at the path of /proc/self/exe, also after another one took its place"}},
	{Folder: "internal/proc"},
	{Folder: "cmd/discovery"},
	{Folder: "runner/quickjs"},
	{Folder: "runner/confine", Not: map[string]string{"TestGoRunsUnderTheFilter": noFilters}},
	{Folder: "runner/confined"},
	{Folder: "runner/worker", Not: map[string]string{
		"TestNativeCodeReachesNothing": noFilters,
		"TestForeignCallsEndTheWorker": noFilters,
	}},
	{Folder: "transport/mcpclient"},
	{Folder: "test/sandbox", Whole: true},
	{Folder: "test/script", Whole: true, Group: "TestScripts", Files: "testdata/*.txtar", Not: map[string]string{
		"search": "a search without a gateway gives the embedding model 10 seconds, in which the emulation computes nothing",
	}},
}

// kernelSuites are the tests of restrictions. They run in the machine with a kernel of its own.
var kernelSuites = []emulated.Suite{
	{Folder: "runner/confine"},
	{Folder: "runner/confined"},
	{Folder: "runner/internal/notify"},
	{Folder: "runner/observed"},
	{Folder: "runner/command"},
	{Folder: "runner/worker"},
}
