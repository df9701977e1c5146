package mcpclient

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// telling is the line of standard error that says why a program has ended: the last one,
// unless node or npm has put a line of its own there.
func telling(lines []string) string {
	last := lines[len(lines)-1]
	switch {
	case strings.HasPrefix(last, "Node.js v"):
		for _, line := range slices.Backward(lines) {
			if thrown().MatchString(line) {
				return line
			}
		}
	case strings.HasPrefix(last, npmPrefix+"A complete log of this run"):
		at := slices.IndexFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, npmPrefix) && !strings.HasPrefix(line, npmPrefix+"code ")
		})
		return strings.TrimPrefix(lines[at], npmPrefix)
	}
	return last
}

// thrown is the first line of an error of JavaScript, such as "TypeError [ERR_X]: …".
var thrown = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(Uncaught )?[A-Za-z]*Error( \[\w+\])?: `) })

const npmPrefix = "npm error "
