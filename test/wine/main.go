// Command wine compiles tests for Windows and runs them with Wine, in a Windows of their own in a folder for
// temporary files. It prints how many tests and scripts of each suite passed, and what it did not run, with the
// reason. It needs Wine and the compiler of mingw-w64, which task windows installs on Debian.
//
// Usage, from the root of the module, where task windows calls it:
//
//	go run ./test/wine [SUITE...]
//
// On Windows, it runs the same tests without Wine, and also those that only Wine cannot run.
//
// The whole output of each suite is in .task/wine. The exit code is 1 if a test has failed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"

	"github.com/toolscript/toolscript/test/emulated"
)

// results is the folder of the whole output of each suite.
const results = ".task/wine"

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "test/wine:", err)
		os.Exit(1)
	}
}

func run(names []string) (err error) {
	if runtime.GOOS == "windows" {
		return native(names)
	}
	w, err := newWindows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	return w.system().RunAll(suites, names)
}

// native runs the suites on this machine.
func native(names []string) (err error) {
	folder, err := os.MkdirTemp("", "windows")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	for _, s := range suites {
		maps.DeleteFunc(s.Not, func(_, reason string) bool { return strings.HasPrefix(reason, "Wine") })
	}
	return emulated.Native(folder, ".exe", results).RunAll(suites, names)
}
