package emulated

import (
	"os"
	"slices"
	"strings"
	"time"
)

// togetherLimit is the limit of the tests of a suite that run in one process.
const togetherLimit = 40 * time.Minute

// together runs tests in one process, and writes what they print to the file at output. Those that fail, or that the
// process did not run to their end, run again, alone.
func (p process) together(output string, args ...string) error {
	ran := p.run(togetherLimit+endLimit, output, append(slices.Clone(args), "-test.timeout="+togetherLimit.String())...)
	if ran == nil || p.system.Again == nil {
		return ran
	}
	out, err := os.ReadFile(output) //nolint:gosec // in the folder of the results
	if err != nil {
		return err
	}
	one := output + ".again"
	defer os.Remove(one) //nolint:errcheck // the next run replaces it
	names, err := p.names(one)
	if err != nil {
		return err
	}
	text := string(out)
	c := count(text)
	again := false
	for _, name := range names {
		if slices.Contains(c.passed, name) || slices.Contains(c.skipped, name) {
			continue
		}
		if !slices.Contains(c.failed, name) { // the process ended before
			text = without(text, below(name)) + "\n--- FAIL: " + name + " (it did not run to its end)\n"
		}
		if text, err = p.again(name, text, one); err != nil {
			return err
		}
		again = true
	}
	if !again { // something else failed, such as a process that the tests left
		return ran
	}
	return os.WriteFile(output, []byte(text), 0o600)
}

// names returns the tests of the program that run in one process.
func (p process) names(output string) (names []string, err error) {
	if err := p.run(p.limit, output, "-test.list=^(Test|Fuzz|Example)"); err != nil {
		return nil, err
	}
	out, err := os.ReadFile(output) //nolint:gosec // in the folder of the results
	for name := range strings.FieldsSeq(string(out)) {
		_, not := p.suite.Not[name]
		if name != p.suite.Group && !not {
			names = append(names, name)
		}
	}
	return names, err
}
