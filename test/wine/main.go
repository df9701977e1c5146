// Command wine compiles tests for Windows and runs them with Wine, in a Windows of their own in a folder for
// temporary files. It prints how many tests and scripts of each suite passed, and what it did not run, with the
// reason. It needs Wine and the compiler of mingw-w64, which task windows installs on Debian.
//
// Usage, from the root of the module, where task windows calls it:
//
//	go run ./test/wine [SUITE...]
//
// The whole output of each suite is in .task/wine. The exit code is 1 if a test has failed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
	w, err := newWindows()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := os.MkdirAll(results, 0o750); err != nil {
		return err
	}
	for _, s := range suites {
		if len(names) > 0 && !slices.Contains(names, s.folder) {
			continue
		}
		if failed := w.suite(s); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", s.folder, failed))
		}
	}
	return err
}

// suite compiles and runs a suite, and prints its counts.
func (w *windows) suite(s suite) error {
	name := strings.ReplaceAll(s.folder, "/", "-")
	program := filepath.Join(w.folder, name+".exe")
	build := exec.Command("go", "test", "-c", "-overlay", w.overlay, "-ldflags", "-s -w", "-o", program, "./"+s.folder) //nolint:gosec // a package of this module
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("it does not compile: %w", err)
	}
	args := []string{"-test.v", "-test.timeout=40m", "-test.parallel=2"}
	if !s.whole {
		args = append(args, "-test.short")
	}
	if len(s.not) > 0 {
		args = append(args, "-test.skip="+s.skip())
	}
	output := filepath.Join(results, name+".txt")
	ran := w.run(s.folder, output, program, args...)
	out, err := os.ReadFile(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	c := count(string(out))
	c.print(s)
	if len(c.failed) > 0 {
		return fmt.Errorf("%d tests failed, see %s", len(c.failed), results)
	}
	return ran
}
