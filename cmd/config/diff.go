package config

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// LineDiff compares two texts line by line; it returns "" if they are equal. "…" stands for
// unchanged lines that are left out. Control characters are replaced, because the result is
// for people.
func LineDiff(before, after string) string {
	was := ended(before)
	var out strings.Builder
	shown, head := 0, true // shown: lines of the old text before the present place
	for line := range strings.Lines(string(diff.Diff("", was, "", ended(after)))) {
		var from, count int
		switch n, _ := fmt.Sscanf(line, "@@ -%d,%d ", &from, &count); {
		case n == 2:
			if count > 0 {
				from--
			}
			if from > shown {
				out.WriteString("  …\n")
			}
			shown, head = from+count, false
		case !head:
			out.WriteString(line[:1] + " " + printable(strings.TrimSuffix(line[1:], "\n")) + "\n")
		}
	}
	if out.Len() > 0 && shown < strings.Count(string(was), "\n") {
		out.WriteString("  …\n")
	}
	return out.String()
}

// ended returns a text with one more newline, so that a last line without one differs from
// one that has it.
func ended(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text + "\n")
}
