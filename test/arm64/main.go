//go:build linux

// Command arm64 compiles tests for Linux on arm64 and runs them with the user mode emulation of QEMU. It prints how many
// tests and scripts of each suite passed, and what it did not run, with the reason. It needs qemu-aarch64, which task
// arm64 installs on Debian, and Linux 6.7 or newer.
//
// Usage, from the root of the module, where task arm64 calls it:
//
//	go run ./test/arm64 [SUITE...]
//
// The whole output of each suite is in .task/arm64. The exit code is 1 if a test has failed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"

	"github.com/toolscript/toolscript/test/emulated"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// measure is the first argument of this program, compiled for arm64, that makes it print how slow the emulation is.
const measure = "-measure"

// failure matches the lines that say why a script or a test has failed.
var failure = regexp.MustCompile(`FAIL: testdata/\S+:\d+: .*|--- FAIL: .*`)

var release = flag.String("kernel", "", "run the tests of restrictions, in a machine with the kernel of this `release` of Debian: bookworm or trixie")

func main() {
	switch {
	case len(os.Args) > 3 && os.Args[1] == inside:
		code, err := begin(os.Args[2], os.Args[3:])
		if err != nil {
			fmt.Fprintln(os.Stderr, "test/arm64:", err)
			code = 1
		}
		os.Exit(code)
	case len(os.Args) == 2 && os.Args[1] == measure:
		fmt.Println(pace.Factor())
		return
	case os.Getpid() == 1:
		process1()
	}
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "test/arm64:", err)
		os.Exit(1)
	}
}

func run(names []string) (err error) {
	m, err := newMachine()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(m.folder)) }()
	system := emulated.System{
		Env:     []string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"},
		Flags:   []string{"-tags", "nodeno"}, // there is no Deno for arm64
		Folder:  m.folder,
		Results: ".task/arm64",
		Args:    []string{"-test.parallel=2"},
		AtOnce:  2,
		Factor:  m.factor,
		Run:     m.run,
		Again:   failure,
	}
	if *release == "" {
		return system.RunAll(suites, names)
	}
	k, err := newKernel(m.folder, *release)
	if err != nil {
		return err
	}
	system.Results, system.Run, system.AtOnce, system.Factor, system.Again = ".task/arm64-kernel", k.run, 1, nil, nil
	return system.RunAll(kernelSuites, names)
}
