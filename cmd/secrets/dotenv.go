package secrets

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript/internal/texts"
)

// Entry is one variable of a .env file.
type Entry struct {
	Line        int // from 1
	Name, Value string
}

// ParseEnv parses a .env file with lines of the form NAME=VALUE, optionally after "export".
// A value ends at the end of the line, or before a # that follows a space. A value in
// quotes may span several lines. In double quotes, \n, \r, \t, \", \\ and \$ are escapes.
// Nothing is expanded: a $ is a part of the value. Errors do not contain text of the file.
func ParseEnv(text []byte) ([]Entry, error) {
	if texts.IsUTF16(text) {
		return nil, fmt.Errorf("it is %w", texts.CheckUTF8(text))
	}
	p := envParser{rest: string(bytes.TrimPrefix(text, []byte("\ufeff"))), line: 1}
	var entries []Entry
	for p.rest != "" {
		e, ok, err := p.entry()
		if err != nil {
			return nil, err
		}
		if ok {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// envParser holds a position in the file.
type envParser struct {
	rest string
	line int
}

// takeLine returns the rest of the line.
func (p *envParser) takeLine() string {
	line, rest, _ := strings.Cut(p.rest, "\n")
	p.rest = rest
	p.line++
	return strings.TrimSuffix(line, "\r")
}

// entry reads one line, or the lines of a quoted value. ok is false for a line without a
// variable.
func (p *envParser) entry() (e Entry, ok bool, err error) {
	e.Line = p.line
	head, _, _ := strings.Cut(p.rest, "\n")
	if trimmed := strings.TrimSpace(head); trimmed == "" || strings.HasPrefix(trimmed, "#") {
		p.takeLine()
		return e, false, nil
	}
	before, _, found := strings.Cut(head, "=")
	if !found {
		return e, false, fmt.Errorf("line %d: NAME=VALUE is missing", e.Line)
	}
	e.Name = strings.TrimSpace(before)
	if after, exported := strings.CutPrefix(e.Name, "export"); exported && strings.TrimLeft(after, " \t") != after {
		e.Name = strings.TrimSpace(after)
	}
	if !name().MatchString(e.Name) {
		return e, false, fmt.Errorf("line %d: before the = is not the name of a variable", e.Line)
	}
	p.rest = strings.TrimLeft(p.rest[len(before)+1:], " \t")
	if p.rest != "" && strings.ContainsRune(`"'`, rune(p.rest[0])) {
		e.Value, err = p.quoted(p.rest[0], e.Line)
		return e, true, err
	}
	e.Value = plainValue(p.takeLine())
	return e, true, nil
}

// plainValue returns the value in a text without quotes.
func plainValue(text string) string {
	if strings.HasPrefix(text, "#") {
		return ""
	}
	for _, space := range []string{" #", "\t#"} {
		text, _, _ = strings.Cut(text, space)
	}
	return strings.TrimSpace(text)
}

// escapes maps the characters after a backslash in double quotes.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '$': '$'}

// quoted reads a quoted value and the rest of its last line, which may be a comment.
func (p *envParser) quoted(quote byte, line int) (string, error) {
	var value strings.Builder
	for at := 1; at < len(p.rest); at++ {
		c := p.rest[at]
		if c == quote {
			p.line += strings.Count(p.rest[:at], "\n")
			p.rest = p.rest[at+1:]
			if after := strings.TrimSpace(p.takeLine()); after != "" && !strings.HasPrefix(after, "#") {
				return "", fmt.Errorf("line %d: there is text after the closing quotation mark", line)
			}
			return value.String(), nil
		}
		if c == '\\' && quote == '"' && at+1 < len(p.rest) {
			if escaped, ok := escapes[p.rest[at+1]]; ok {
				value.WriteByte(escaped)
				at++
				continue
			}
		}
		value.WriteByte(c)
	}
	return "", fmt.Errorf("line %d: a quotation mark is not closed", line)
}
