package workspace

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Pattern is a regular expression in Go's syntax that is matched against the lines of a file.
type Pattern struct {
	re    *regexp.Regexp
	steps int    // instructions of re, which bound the time per character
	rust  string // a pattern for ripgrep that matches at least the lines that re matches; "" if there is none
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
	p := &Pattern{re: re, steps: len(program.Inst)}
	var rust strings.Builder
	if writeRust(&rust, tree) {
		p.rust = rust.String()
	}
	return p, nil
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

// anyByte matches a byte that is not part of a character. Go decodes such a byte to U+FFFD.
const anyByte = `(?-u:[\x80-\xff])`

// writeRust writes the expression for ripgrep. It returns false if there is no expression
// that matches at least the same lines.
func writeRust(out *strings.Builder, re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch:
		out.WriteString("(?:)")
	case syntax.OpLiteral:
		return writeLiteral(out, re)
	case syntax.OpCharClass:
		return writeClass(out, re.Rune)
	case syntax.OpAnyCharNotNL:
		out.WriteString(`(?:[^\n]|` + anyByte + `)`)
	case syntax.OpBeginLine:
		out.WriteString("(?m:^)")
	case syntax.OpEndLine:
		out.WriteString("(?m:$)")
	case syntax.OpWordBoundary:
		out.WriteString(`(?-u:\b)`)
	case syntax.OpNoWordBoundary:
		out.WriteString(`(?-u:\B)`)
	case syntax.OpCapture, syntax.OpConcat:
		return writeAll(out, re.Sub, "")
	case syntax.OpAlternate:
		return writeAll(out, re.Sub, "|")
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return writeRepeat(out, re)
	default: // OpNoMatch
		return false
	}
	return true
}

func writeAll(out *strings.Builder, subs []*syntax.Regexp, between string) bool {
	out.WriteString("(?:")
	for i, sub := range subs {
		if i > 0 {
			out.WriteString(between)
		}
		if !writeRust(out, sub) {
			return false
		}
	}
	out.WriteString(")")
	return true
}

func writeRepeat(out *strings.Builder, re *syntax.Regexp) bool {
	if !writeAll(out, re.Sub, "") {
		return false
	}
	switch {
	case re.Op == syntax.OpStar:
		out.WriteString("*")
	case re.Op == syntax.OpPlus:
		out.WriteString("+")
	case re.Op == syntax.OpQuest:
		out.WriteString("?")
	case re.Max < 0:
		fmt.Fprintf(out, "{%d,}", re.Min)
	default:
		fmt.Fprintf(out, "{%d,%d}", re.Min, re.Max)
	}
	return true
}

func writeLiteral(out *strings.Builder, re *syntax.Regexp) bool {
	open := "(?:"
	if re.Flags&syntax.FoldCase != 0 {
		open = "(?i:"
	}
	out.WriteString(open)
	for _, r := range re.Rune {
		if r == utf8.RuneError || !utf8.ValidRune(r) {
			return false
		}
		writeRune(out, r)
	}
	out.WriteString(")")
	return true
}

func writeClass(out *strings.Builder, ranges []rune) bool {
	invalid := false // the class contains U+FFFD, and so also the bytes that are not part of a character
	out.WriteString("(?:[")
	for i := 0; i < len(ranges); i += 2 {
		from, to := ranges[i], ranges[i+1]
		if !utf8.ValidRune(from) || !utf8.ValidRune(to) {
			return false
		}
		invalid = invalid || from <= utf8.RuneError && utf8.RuneError <= to
		fmt.Fprintf(out, `\x{%X}-\x{%X}`, from, to)
	}
	out.WriteString("]")
	if invalid {
		out.WriteString("|" + anyByte)
	}
	out.WriteString(")")
	return true
}

func writeRune(out *strings.Builder, r rune) {
	if r < utf8.RuneSelf && (r == '_' || r == ' ' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') || r > 0xff {
		out.WriteRune(r)
		return
	}
	fmt.Fprintf(out, `\x{%X}`, r)
}
