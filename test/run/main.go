// Command run runs the tests of this module in sections, with gotestsum. The next sections run even if
// one fails. A failed test runs again, alone, up to two times. The last lines list the minutes of each
// section, the slowest tests, each test that passed only when it ran again ("flaky:"), and each test
// that failed. The tests use their own home folder and folder for temporary files, in which they must
// leave nothing.
//
// Usage, from the root of the module, where task test and task test:all call it:
//
//	go run ./test/run SECTION...
//
// -list prints the sections. The exit code is 1 if a section has failed. The flaky and failed tests are
// written to .task/tests/summary. With -flaky (task flaky), it instead repeats the tests of the named
// packages while other processes compute.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	gotestsum = "gotest.tools/gotestsum@v1.13.0"
	results   = ".task/tests" // results of the last run of each section
	shown     = 20            // number of slowest tests that are printed
)

func main() {
	list := flag.Bool("list", false, "print the sections")
	repeat := flag.Bool("flaky", false, "run the tests of the packages 20 times while four processes compute; by default those of the last flaky tests")
	burn := flag.Bool("compute", false, "compute until standard input ends")
	flag.Parse()
	if *list {
		for _, s := range sections {
			fmt.Printf("%-14s %s\n", s.name, s.proves)
		}
		return
	}
	if *burn {
		compute()
		return
	}
	do := run
	if *repeat {
		do = flaky
	}
	if err := do(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "test/run:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	var chosen []section
	for _, name := range names {
		s, ok := find(name)
		if !ok {
			return fmt.Errorf("there is no section %q; go run ./test/run -list prints the sections", name)
		}
		chosen = append(chosen, s)
	}
	if err := os.MkdirAll(results, 0o755); err != nil {
		return err
	}
	at, err := newPlace()
	if err != nil {
		return err
	}
	var failed []string
	var minutes strings.Builder
	var all history
	for _, s := range chosen {
		fmt.Printf("\n== %s: %s\n", s.name, s.proves)
		begin := time.Now()
		err := s.run(at, &all)
		took := fmt.Sprintf("== %s: %s\n", s.name, inMinutes(time.Since(begin)))
		fmt.Print(took)
		minutes.WriteString(took)
		if err != nil {
			fmt.Printf("%s: %v\n", s.name, err)
			failed = append(failed, s.name)
		}
	}
	fmt.Print("\n", minutes.String())
	text := all.summary()
	fmt.Print(all.slowest(), text)
	if err := os.WriteFile(filepath.Join(results, "summary"), []byte(text), 0o644); err != nil {
		return err
	}
	left, err := at.left()
	if err != nil {
		return err
	}
	for _, what := range left {
		fmt.Println("left by the tests:", what)
	}
	if len(left) > 0 {
		failed = append(failed, "nothing is left")
	}
	if len(failed) > 0 {
		return errors.New("failed: " + strings.Join(failed, ", "))
	}
	return nil
}

// run runs the task or the tests of a section, and adds the results of the tests to all.
func (s section) run(at *place, all *history) error {
	if s.task != "" {
		cmd := exec.Command(cmp.Or(os.Getenv("TASK"), "task"), strings.Fields(s.task)...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		return cmd.Run()
	}
	module, err := packagesOfModule()
	if err != nil {
		return err
	}
	file, err := filepath.Abs(filepath.Join(results, s.name+".json"))
	if err != nil {
		return err
	}
	_ = os.Remove(file) // results of an earlier run
	cmd := exec.Command("go", "run", gotestsum, "--format", "pkgname", "--format-hide-empty-pkg", "--hide-summary", "skipped",
		"--rerun-fails=2", "--rerun-fails-max-failures=10", "--rerun-fails-abort-on-data-race",
		"--jsonfile-timing-events", file, "--packages", strings.Join(s.of(module), " "), "--")
	cmd.Args = append(cmd.Args, "-count=1", "-vet=off", "-timeout", "20m", "-tags", "integration", "-p", strconv.Itoa(s.atOnce), "-parallel", "4") // parallel tests wait more than they compute
	cmd.Args = append(cmd.Args, "-exec", "env -u GOGC")
	cmd.Args = append(cmd.Args, s.flags...)
	cmd.Env = append(slices.Clone(at.env), "GOGC=400") // saves a tenth of the time of the linker
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	failed := cmd.Run()
	text, err := os.ReadFile(file)
	if err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, all.add(bytes.NewReader(text)))
}

func inMinutes(d time.Duration) string {
	return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
}
