package emulated

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Limits of a subtest that runs alone.
const (
	aloneLimit = 3 * time.Minute
	endLimit   = 30 * time.Second // then the test has not ended itself, and all processes of the system are ended
)

// alone runs the tests of a suite but for those of its group, and then each subtest of the group in a process of its
// own: one that hangs costs its limit, and leaves no process to the next one.
func (s System) alone(u Suite, program, output string, args []string) (err error) {
	names, err := u.subtests()
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
	ran := s.Run(u.Folder, one, program, append(slices.Clone(args), "-test.skip=^"+u.Group+"$")...)
	out, err := os.ReadFile(one) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	if _, err := file.Write(out); err != nil {
		return err
	}
	for _, name := range names {
		text, err := s.one(u, name, program, one, args)
		if err == nil && s.Fault != nil && s.Fault.MatchString(text) && len(count(text).failed) > 0 {
			fmt.Printf("  again   %s: %s\n", name, s.Fault.FindString(text))
			text, err = s.one(u, name, program, one, args)
		}
		if err != nil {
			return err
		}
		if _, err := file.WriteString(text); err != nil {
			return err
		}
	}
	return ran
}

// one runs one subtest and returns what it printed. A subtest that did not run to its end has failed.
func (s System) one(u Suite, name, program, output string, args []string) (string, error) {
	test := u.Group + "/" + name
	failed := s.limited(u.Folder, output, program, append(slices.Clone(args), "-test.timeout="+aloneLimit.String(), "-test.run=^"+u.Group+"$/^"+name+"$"))
	if failed != nil && s.End != nil {
		s.End()
	}
	out, err := os.ReadFile(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return "", err
	}
	text := without(string(out), u.Group)
	c := count(text)
	if ended := slices.Contains(slices.Concat(c.passed, c.skipped), test) && failed == nil; !ended && !slices.Contains(c.failed, test) {
		text = without(text, test) + fmt.Sprintf("\n    --- FAIL: %s (it did not run to its end: %v)\n", test, failed)
	}
	return text, nil
}

// limited runs a program, and ends all processes of the system if it does not end.
func (s System) limited(folder, output, program string, args []string) error {
	if s.End != nil {
		late := time.AfterFunc(aloneLimit+endLimit, s.End)
		defer late.Stop()
	}
	return s.Run(folder, output, program, args...)
}

// without removes the results of a test from what a program printed.
func without(text, test string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if m := resultLine.FindStringSubmatch(line); m == nil || m[2] != test {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
