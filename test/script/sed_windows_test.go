package script_test

import (
	"bufio"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// edit is one command of sed: "s/PATTERN/TEXT/" or "p", for one line, for a range between two patterns, or for
// all lines.
type edit struct {
	line        int
	first, last *regexp.Regexp
	inside      bool // in the range

	pattern *regexp.Regexp // nil for p
	text    string
	all     bool // each match in a line
}

var (
	address = regexp.MustCompile(`^(?:(\d+)|/([^/]*)/,/([^/]*)/)`)
	replace = regexp.MustCompile(`^s/([^/]*)/([^/]*)/(g?)$`)
)

// sed is the program "sed [-n] [-i] [-e] COMMAND [FILE]".
func sed(args []string) int {
	quiet, inPlace := false, false
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		quiet = quiet || args[0] == "-n"
		inPlace = inPlace || args[0] == "-i"
		args = args[1:]
	}
	e, err := parseEdit(args[0])
	if err != nil {
		return failed("sed", err)
	}
	var in io.Reader = os.Stdin
	if len(args) > 1 {
		text, err := os.ReadFile(args[1])
		if err != nil {
			return failed("sed", err)
		}
		in = strings.NewReader(string(text))
	}
	var out strings.Builder
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if line != "" {
			out.WriteString(e.apply(n, line, quiet))
		}
		if err != nil {
			break
		}
	}
	if inPlace {
		err = os.WriteFile(args[1], []byte(out.String()), 0o600)
	} else {
		_, err = os.Stdout.WriteString(out.String())
	}
	if err != nil {
		return failed("sed", err)
	}
	return 0
}

func parseEdit(command string) (e edit, err error) {
	if m := address.FindStringSubmatch(command); m != nil {
		command = command[len(m[0]):]
		if m[1] != "" {
			if e.line, err = strconv.Atoi(m[1]); err != nil {
				return e, err
			}
		} else if e.first, e.last, err = compileBoth(m[2], m[3]); err != nil {
			return e, err
		}
	}
	if command == "p" {
		return e, nil
	}
	m := replace.FindStringSubmatch(command)
	if m == nil {
		return e, os.ErrInvalid
	}
	e.pattern, err = regexp.Compile(m[1])
	e.text, e.all = m[2], m[3] == "g"
	return e, err
}

func compileBoth(first, last string) (a, b *regexp.Regexp, err error) {
	if a, err = regexp.Compile(first); err != nil {
		return nil, nil, err
	}
	b, err = regexp.Compile(last)
	return a, b, err
}

// applies reports whether the command is for a line.
func (e *edit) applies(n int, line string) bool {
	if e.first == nil {
		return e.line == 0 || e.line == n
	}
	was := e.inside
	e.inside = was && !e.last.MatchString(line) || !was && e.first.MatchString(line)
	return was || e.inside
}

// apply returns what sed prints for a line.
func (e *edit) apply(n int, line string, quiet bool) string {
	applies := e.applies(n, strings.TrimRight(line, "\r\n"))
	switch {
	case applies && e.pattern == nil:
		if quiet {
			return line
		}
		return line + line
	case applies && e.all:
		line = e.pattern.ReplaceAllLiteralString(line, e.text)
	case applies:
		text, end := strings.TrimRight(line, "\r\n"), line[len(strings.TrimRight(line, "\r\n")):]
		if at := e.pattern.FindStringIndex(text); at != nil {
			line = text[:at[0]] + e.text + text[at[1]:] + end
		}
	}
	if quiet {
		return ""
	}
	return line
}
