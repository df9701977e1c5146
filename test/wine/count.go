package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	resultLine  = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (\S+) \(`)
	currentLine = regexp.MustCompile(`^=== (?:RUN|NAME|CONT)\s+(\S+)`)
	programLine = regexp.MustCompile(`^\s+> (?:! )?exec .*\btoolscript\b`)
)

// counts are the results of a suite.
type counts struct {
	passed, skipped, failed []string       // tests and subtests
	programs                map[string]int // for each test, how often it ran the program
}

// count reads the output of a test.
func count(out string) counts {
	c := counts{programs: make(map[string]int)}
	current := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if m := currentLine.FindStringSubmatch(line); m != nil {
			current = m[1]
		}
		if programLine.MatchString(line) {
			c.programs[current]++
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

func (c counts) print(s suite) {
	runs := 0
	for _, name := range c.passed {
		runs += c.programs[name]
	}
	fmt.Printf("%-20s %4d passed, %d skipped, %d failed, %d not run", s.folder, len(c.passed), len(c.skipped), len(c.failed), len(s.not))
	if runs > 0 {
		fmt.Printf("; the program ran %d times in those that passed", runs)
	}
	fmt.Println()
	for _, name := range c.failed {
		fmt.Println("  FAILED ", name)
	}
	for _, name := range slices.Sorted(maps.Keys(s.not)) {
		fmt.Printf("  not run %-28s %s\n", name, s.not[name])
	}
}
