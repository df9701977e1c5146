package workspace

import (
	"fmt"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of a glob. The library matches nested alternatives of braces in exponential time,
// so globs are expanded before matching. Without braces, matching takes time in proportion
// to the product of the lengths of glob and path.
const (
	maxGlob     = 1000 // bytes
	maxExpanded = 256  // globs without braces
	maxSteps    = 4096 // brace expressions that are replaced
)

// expand returns the globs without braces that together match the same as glob.
func expand(glob string) (plain []string, err error) {
	if len(glob) > maxGlob+len("**/") {
		return nil, fmt.Errorf("the glob has %d bytes; the limit is %d", len(glob), maxGlob)
	}
	if !doublestar.ValidatePattern(glob) {
		return nil, errGlob
	}
	waiting := []string{glob}
	for steps := 0; len(waiting) > 0; steps++ {
		next := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		begin, end := braces(next)
		if begin < 0 {
			plain = append(plain, next)
		} else {
			for _, choice := range choices(next[begin+1 : end]) {
				waiting = append(waiting, next[:begin]+choice+next[end+1:])
			}
		}
		if len(plain)+len(waiting) > maxExpanded || steps > maxSteps {
			return nil, fmt.Errorf("the braces of the glob stand for more than %d globs", maxExpanded)
		}
	}
	return plain, nil
}

// braces returns the positions of the first "{" outside of a character class and of its "}", or -1, -1.
func braces(glob string) (begin, end int) {
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
		case '[':
			for i++; i < len(glob) && glob[i] != ']'; i++ {
				if glob[i] == '\\' {
					i++
				}
			}
		case '{':
			depth := 0
			for end := i; end < len(glob); end++ {
				switch glob[end] {
				case '\\':
					end++
				case '{':
					depth++
				case '}':
					if depth--; depth == 0 {
						return i, end
					}
				}
			}
			return -1, -1 // the glob is not valid
		}
	}
	return -1, -1
}

// choices returns the alternatives between two braces.
func choices(text string) (all []string) {
	depth, from := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				all = append(all, text[from:i])
				from = i + 1
			}
		}
	}
	return append(all, text[from:])
}
