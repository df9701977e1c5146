package workspace

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// Pattern is a regular expression in Go's syntax that is matched against the lines of a file.
type Pattern struct {
	re    *regexp.Regexp
	steps int // instructions of re, which bound the time per character
}

// maxPattern is the maximum length of a pattern, in bytes.
const maxPattern = 10_000

var errLineBreak = errors.New("the pattern matches a line break; files are searched line by line")

// Compile parses a pattern.
func Compile(pattern string) (*Pattern, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern has %d bytes; the limit is %d", len(pattern), maxPattern)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a regular expression: %w", err)
	}
	if err := byLine(tree); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a regular expression: %w", err)
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a regular expression: %w", err)
	}
	return &Pattern{re: re, steps: len(program.Inst)}, nil
}

// byLine changes an expression so that it matches within lines: begin and end of text
// become begin and end of line, and no character class contains the line break.
func byLine(re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op = syntax.OpEndLine
		re.Flags &^= syntax.WasDollar
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, '\n') {
			return errLineBreak
		}
	case syntax.OpCharClass:
		re.Rune = withoutLineBreak(re.Rune)
		if len(re.Rune) == 0 {
			return errLineBreak
		}
	default: // the other operators match within lines already
	}
	for _, sub := range re.Sub {
		if err := byLine(sub); err != nil {
			return err
		}
	}
	return nil
}

// withoutLineBreak removes the line break from the ranges of a class.
func withoutLineBreak(ranges []rune) (out []rune) {
	for i := 0; i < len(ranges); i += 2 {
		from, to := ranges[i], ranges[i+1]
		if to < '\n' || from > '\n' {
			out = append(out, from, to)
			continue
		}
		if from < '\n' {
			out = append(out, from, '\n'-1)
		}
		if to > '\n' {
			out = append(out, '\n'+1, to)
		}
	}
	return out
}
