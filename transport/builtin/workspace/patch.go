package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// maxSize is the maximum length of a patch, in bytes.
const maxSize = 8 << 20

// Op is the operation of a patch on a file.
type Op int

// The values of Op.
const (
	Add Op = iota
	Delete
	Update
)

// Change is the change of one file by a patch.
type Change struct {
	Op      Op
	Path    string      // path as the patch spells it, with slashes
	NewPath string      // where Update moves the file; "" if it stays
	Content string      // content of the new file, for Add
	Hunks   []Hunk      // for Update, and for a Delete that shows the content
	Mode    fs.FileMode // permissions that the patch sets; 0 if it sets none
	Line    int         // line number in the text of the patch, from 1
}

// Hunk is the change of one place in a file.
type Hunk struct {
	Headers []string // lines of the file that lead to the hunk, outermost first
	At      int      // number of the first old line, from 1; 0 if unknown. Without old lines, of the line before the hunk
	Known   bool     // At is known
	Lines   []Line
	AtEnd   bool // the old lines are the last lines of the file
	Line    int  // line number in the text of the patch, from 1
}

// Line is one line of a hunk.
type Line struct {
	Op   byte // ' ' for context, '-' for an old line, '+' for a new line
	Text string
	Open bool // the line has no line break at its end
}

// Patch is a parsed patch.
type Patch struct {
	Dir     string // folder from "cd" that the paths are relative to; "" if there is none
	Changes []Change
}

// Parse parses a patch: a unified diff, the form "*** Begin Patch", or either of them in a
// here-document of the shell command apply_patch.
func Parse(text string) (Patch, error) {
	if len(text) > maxSize {
		return Patch{}, tooLong(text)
	}
	dir, text, err := unwrap(text)
	if err != nil {
		return Patch{}, err
	}
	lines := newLines(text)
	var changes []Change
	if lines.isEnvelope() {
		changes, err = parseEnvelope(lines)
	} else {
		changes, err = parseUnified(lines)
	}
	if err == nil && len(changes) == 0 {
		err = errors.New(`the text has no change of a file: it must be a unified diff with "---", "+++" and "@@" lines, or begin with "*** Begin Patch"`)
	}
	return Patch{Dir: dir, Changes: changes}, err
}

// lines is the text of a patch, line by line.
type lines struct {
	all []string // without line feeds
	at  int
}

// newLines splits a text into lines. If every line ends with CR LF, the whole patch was
// sent in that form, and the CR is removed. Otherwise a CR is part of its line.
func newLines(text string) *lines {
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.TrimSuffix(text, "\n")
	all := strings.Split(text, "\n")
	for i, line := range all {
		if !strings.HasSuffix(line, "\r") && i < len(all)-1 {
			return &lines{all: all}
		}
	}
	if len(all) > 1 {
		for i, line := range all {
			all[i] = strings.TrimSuffix(line, "\r")
		}
	}
	return &lines{all: all}
}

func (l *lines) more() bool             { return l.at < len(l.all) }
func (l *lines) number() int            { return l.at + 1 }
func (l *lines) line() string           { return l.ahead(0) }
func (l *lines) next() string           { l.at++; return l.all[l.at-1] }
func (l *lines) has(prefix string) bool { return l.more() && strings.HasPrefix(l.line(), prefix) }

// ahead returns the line n lines after the current one, or "" after the end.
func (l *lines) ahead(n int) string {
	if l.at+n >= len(l.all) {
		return ""
	}
	return l.all[l.at+n]
}

func (l *lines) skipBlank() {
	for l.more() && strings.TrimSpace(l.line()) == "" {
		l.at++
	}
}

// mistake returns an error that names the line of the patch.
func mistake(number int, format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %w", number, fmt.Errorf(format, args...))
}

// shown returns a line quoted, and shortened if it is long, for a message.
func shown(line string) string {
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return fmt.Sprintf("%q", line)
}
