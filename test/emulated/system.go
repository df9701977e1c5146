package emulated

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A System is one for which tests are compiled, and which runs them.
type System struct {
	Env     []string // variables of go test -c, such as GOARCH=arm64
	Flags   []string // flags of go test -c
	Suffix  string   // of the names of programs
	Folder  string   // receives the programs
	Results string   // folder that receives the whole output of each suite
	Args    []string // arguments of each test program

	// AtOnce is how many of the subtests that run alone run at the same time, if more than one.
	AtOnce int

	// Factor measures how many times longer than usual the system takes for work. It is nil for one of usual speed.
	Factor func() (float64, error)

	// Run runs a program in a folder and writes what it prints to the file at output. It ends the program with ctx.
	Run func(ctx context.Context, folder, output, program string, args ...string) error

	// End ends all processes of the system. It is nil if nothing can tell them from those of others.
	End func()

	// Again matches what a failed test printed if it runs a second time, alone: the text is the reason that is shown. It
	// is nil if no test runs a second time.
	Again *regexp.Regexp
}

// RunAll runs the suites whose folders are in names, or all of them if there are no names, and prints their counts.
func (s System) RunAll(suites []Suite, names []string) (err error) {
	for _, name := range names {
		if !slices.ContainsFunc(suites, func(u Suite) bool { return u.Folder == name }) {
			return fmt.Errorf("there is no suite %q", name)
		}
	}
	if err := os.MkdirAll(s.Results, 0o750); err != nil {
		return err
	}
	for _, u := range suites {
		if len(names) > 0 && !slices.Contains(names, u.Folder) {
			continue
		}
		if failed := s.suite(u); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", u.Folder, failed))
		}
	}
	return err
}

// suite compiles and runs a suite, and prints its counts.
func (s System) suite(u Suite) error {
	name := strings.ReplaceAll(u.Folder, "/", "-")
	program := filepath.Join(s.Folder, name+s.Suffix)
	args := slices.Concat([]string{"test", "-c", "-ldflags", "-s -w", "-o", program}, s.Flags, []string{"./" + u.Folder})
	build := exec.Command("go", args...) //nolint:gosec // a package of this module
	build.Env = append(os.Environ(), s.Env...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("it does not compile: %w", err)
	}
	defer os.Remove(program) //nolint:errcheck // the folder is removed later
	output := filepath.Join(s.Results, name+".txt")
	ran := s.tests(u, program, output)
	out, err := os.ReadFile(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return errors.Join(err, ran)
	}
	c := count(string(out))
	c.print(u)
	if len(c.failed) > 0 {
		return fmt.Errorf("%d tests failed, see %s", len(c.failed), s.Results)
	}
	return ran
}

// tests runs the tests of a suite and writes what they print to the file at output.
func (s System) tests(u Suite, program, output string) error {
	p := process{system: s, suite: u, program: program, args: slices.Concat([]string{"-test.v"}, s.Args), limit: aloneLimit}
	if !u.Whole {
		p.args = append(p.args, "-test.short")
	}
	if s.Factor != nil {
		factor, err := s.Factor()
		if err != nil {
			return err
		}
		p.limit = time.Duration(float64(aloneLimit) * factor).Round(time.Second)
		fmt.Printf("%-20s the system takes %.1f times as long as usual\n", u.Folder, factor)
	}
	if u.Files != "" {
		return p.alone(output)
	}
	if len(u.Not) > 0 {
		return p.together(output, "-test.skip="+u.skip())
	}
	return p.together(output)
}
