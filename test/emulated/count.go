package emulated

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	resultLine  = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (\S+) \(`)
	againLine   = regexp.MustCompile(`^=== AGAIN (\S+):`)
	currentLine = regexp.MustCompile(`^=== (?:RUN|NAME|CONT)\s+(\S+)`)
	programLine = regexp.MustCompile(`^\s+> (?:! )?exec .*\btoolscript\b`)
	skipLine    = regexp.MustCompile(`^\s+> (\[.*\] skip.*)`) // in a script: the last one of a skipped script is its reason
	messageLine = regexp.MustCompile(`^\s+\w+\.go:\d+: (.*)`)
)

// counts are the results of a suite.
type counts struct {
	passed, skipped, failed []string          // tests and subtests
	again                   map[string]bool   // tests that ran a second time
	programs                map[string]int    // for each test, how often it ran the program
	messages                map[string]string // for each test, the last line that it printed
}

// count reads the output of a test.
func count(out string) counts {
	c := counts{again: make(map[string]bool), programs: make(map[string]int), messages: make(map[string]string)}
	current := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if m := currentLine.FindStringSubmatch(line); m != nil {
			current = m[1]
		}
		if m := againLine.FindStringSubmatch(line); m != nil {
			c.again[m[1]] = true
			delete(c.programs, m[1])
		}
		if programLine.MatchString(line) {
			c.programs[current]++
		}
		if m := messageLine.FindStringSubmatch(line); m != nil {
			c.messages[current] = m[1]
		}
		if m := skipLine.FindStringSubmatch(line); m != nil {
			c.messages[current] = m[1]
		}
		m := resultLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		switch m[1] {
		case "PASS":
			c.passed = append(c.passed, m[2])
		case "SKIP":
			c.skipped = append(c.skipped, m[2])
		case "FAIL":
			c.failed = append(c.failed, m[2])
		}
	}
	return c
}

func (c counts) print(s Suite) {
	runs, again := 0, 0
	for _, name := range c.passed {
		runs += c.programs[name]
		if c.again[name] {
			again++
		}
	}
	fmt.Printf("%-20s %4d passed, %d skipped, %d failed, %d not run", s.Folder, len(c.passed), len(c.skipped), len(c.failed), len(s.Not))
	if again > 0 {
		fmt.Printf("; %d of them passed in a second run, alone", again)
	}
	if runs > 0 {
		fmt.Printf("; the program ran %d times in those that passed", runs)
	}
	fmt.Println()
	for _, name := range c.failed {
		fmt.Println("  FAILED ", name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Not)) {
		fmt.Printf("  not run %-28s %s\n", name, s.Not[name])
	}
	for _, reason := range slices.Sorted(maps.Keys(c.reasons())) {
		names := c.reasons()[reason]
		fmt.Printf("  skipped %d: %s (%s)\n", len(names), reason, strings.Join(names, ", "))
	}
}

// reasons maps the reasons of the tests that skipped themselves to their names.
func (c counts) reasons() map[string][]string {
	names := make(map[string][]string)
	for _, name := range c.skipped {
		names[c.messages[name]] = append(names[c.messages[name]], name)
	}
	return names
}
