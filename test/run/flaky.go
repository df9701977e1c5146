package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	repetitions = 20
	computing   = 4 // number of processes that compute while the tests run
)

// flaky runs the tests of each package many times while other processes compute, and prints how often
// each test failed. Without arguments, it uses the packages of the flaky tests of the last run.
func flaky(packages []string) error {
	if len(packages) == 0 {
		var err error
		if packages, err = lastFlaky(); err != nil {
			return err
		}
	}
	for range computing {
		stop, err := startComputing()
		if err != nil {
			return err
		}
		defer stop()
	}
	at, err := newPlace()
	if err != nil {
		return err
	}
	all := history{outputs: map[test]string{}}
	for _, pkg := range packages {
		fmt.Println("==", pkg)
		if err := all.repeat(at, pkg); err != nil {
			return err
		}
	}
	left, err := at.left()
	if err != nil {
		return err
	}
	for _, what := range left {
		fmt.Println("left by the tests:", what)
	}
	failed := 0
	for _, t := range all.innermost(func(o *outcome) bool { return o.failures > 0 }) {
		o := all.tests[t]
		fmt.Printf("failed %d of %d times: %s\n", o.failures, o.tries, t)
		failed++
	}
	if failed > 0 {
		return fmt.Errorf("%d tests failed at least once", failed)
	}
	fmt.Printf("no test failed in %d repetitions\n", repetitions)
	return nil
}

// repeat runs the tests of a package, prints the output of those that fail, and adds their results.
func (h *history) repeat(at *place, pkg string) error {
	cmd := exec.Command("go", "test", "-json", "-short", "-vet=off", "-timeout", "2h", "-tags", "integration", "-count", strconv.Itoa(repetitions),
		"./"+strings.TrimPrefix(strings.TrimPrefix(pkg, "./"), module+"/"))
	cmd.Env, cmd.Stderr = at.env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = h.add(out)
	var failed *exec.ExitError
	if e := cmd.Wait(); e != nil && !errors.As(e, &failed) {
		err = errors.Join(err, e)
	}
	return err
}

// lastFlaky returns the packages of the flaky tests of the last run.
func lastFlaky() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(results, "summary"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("name packages: the tests have not run yet")
	} else if err != nil {
		return nil, err
	}
	var packages []string
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "flaky:" && !slices.Contains(packages, words[1]) {
			packages = append(packages, words[1])
		}
	}
	if len(packages) == 0 {
		return nil, errors.New("name packages: no test of the last run was flaky")
	}
	return packages, nil
}

// startComputing starts this program as a process that computes until its standard input
// ends.
func startComputing() (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-compute")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		_ = in.Close()
		_ = cmd.Wait()
	}, nil
}

// compute computes until its standard input ends.
func compute() {
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	for sum := uint64(1); ; sum = sum*6364136223846793005 + 1 {
		if sum%(1<<20) == 0 {
			select {
			case <-ended:
				return
			default:
			}
		}
	}
}
