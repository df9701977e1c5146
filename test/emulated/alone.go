package emulated

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits of a test that runs alone, on a system of usual speed.
const (
	aloneLimit = 3 * time.Minute
	endLimit   = 30 * time.Second // then the test has not ended itself, and its processes are ended
)

// A process is the test program of a suite.
type process struct {
	system  System
	suite   Suite
	program string
	args    []string
	limit   time.Duration // for a test that runs alone
}

// alone runs the tests of a suite but for those of its group, and then each subtest of the group in a process of its
// own: one that hangs costs its limit, and leaves no process to the next one.
func (p process) alone(output string) (err error) {
	names, err := p.suite.subtests()
	if err != nil {
		return err
	}
	file, err := os.Create(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	one := output + ".one"
	defer os.Remove(one) //nolint:errcheck // the next run replaces it
	ran := p.together(one, "-test.skip=^"+p.suite.Group+"$")
	out, err := os.ReadFile(one) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	if _, err := file.Write(out); err != nil {
		return err
	}
	return errors.Join(ran, p.each(names, one, func(text string) error {
		_, err := file.WriteString(text)
		return err
	}))
}

// each runs the subtests of the group, several at once, and passes on what they print.
func (p process) each(names []string, output string, keep func(text string) error) (err error) {
	var mu sync.Mutex // guards err and the calls of keep
	var group sync.WaitGroup
	next := make(chan string)
	for at := range max(1, p.system.AtOnce) {
		group.Go(func() {
			own := fmt.Sprint(output, at)
			defer os.Remove(own) //nolint:errcheck // the next run replaces it
			for name := range next {
				text, failed := p.twice(p.suite.Group+"/"+name, own)
				mu.Lock()
				err = errors.Join(err, failed, keep(text))
				mu.Unlock()
			}
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	group.Wait()
	return err
}

// twice runs a test, and runs it again if the system says so about what it printed.
func (p process) twice(test, output string) (string, error) {
	text, err := p.one(test, output)
	if err != nil || !slices.Contains(count(text).failed, test) {
		return text, err
	}
	return p.again(test, text, output)
}

// again runs a test that has failed a second time, if the system says so about what it printed the first time. It
// returns both texts, with the results of the last one.
func (p process) again(test, first, output string) (string, error) {
	reason := printed(first, test)
	if p.system.Again == nil || !p.system.Again.MatchString(reason) {
		return first, nil
	}
	note := fmt.Sprintf("=== AGAIN %s: %s\n", test, strings.TrimSpace(p.system.Again.FindString(reason)))
	fmt.Print("  ", note)
	second, err := p.one(test, output)
	return without(first, below(test)) + note + second, err
}

// one runs one test and returns what it printed. A test that did not run to its end has failed.
func (p process) one(test, output string) (string, error) {
	pattern := "^" + strings.ReplaceAll(test, "/", "$/^") + "$"
	failed := p.run(p.limit+endLimit, output, "-test.timeout="+p.limit.String(), "-test.run="+pattern)
	if failed != nil && p.system.End != nil {
		p.system.End()
	}
	out, err := os.ReadFile(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return "", err
	}
	text := string(out)
	if group, _, is := strings.Cut(test, "/"); is {
		text = without(text, func(name string) bool { return name == group })
	}
	c := count(text)
	if ended := slices.Contains(slices.Concat(c.passed, c.skipped), test) && failed == nil; !ended && !slices.Contains(c.failed, test) {
		text = without(text, below(test)) + fmt.Sprintf("\n    --- FAIL: %s (it did not run to its end: %v)\n", test, failed)
	}
	return text, nil
}

// run runs the program, and ends it after a limit.
func (p process) run(limit time.Duration, output string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return p.system.Run(ctx, p.suite.Folder, output, p.program, append(slices.Clone(p.args), args...)...)
}

// below matches the name of a test and those of its subtests.
func below(test string) func(name string) bool {
	return func(name string) bool { return name == test || strings.HasPrefix(name, test+"/") }
}

// printed returns the lines of a test and its subtests in what a program printed.
func printed(text, test string) string {
	var lines strings.Builder
	is, inside := below(test), false
	for line := range strings.Lines(text) {
		if m := currentLine.FindStringSubmatch(line); m != nil {
			inside = is(m[1])
		}
		inside = inside && !againLine.MatchString(line)
		if m := resultLine.FindStringSubmatch(line); m != nil && is(m[2]) || m == nil && inside {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// without removes the results of some tests from what a program printed.
func without(text string, drop func(name string) bool) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if m := resultLine.FindStringSubmatch(line); m == nil || !drop(m[2]) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
