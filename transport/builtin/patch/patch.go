// Package patch reads patches and applies them to texts. It knows two forms: unified
// diffs, and the form of "*** Begin Patch". It opens no files.
package patch

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// maxSize bounds a patch, in bytes.
const maxSize = 8 << 20

// Op is what a patch does to a file.
type Op int

// The values of Op.
const (
	Add Op = iota
	Delete
	Update
)

// Change is what a patch does to one file.
type Change struct {
	Op      Op
	Path    string      // as it is written, with slashes
	NewPath string      // where Update moves the file; "" if it stays
	Content string      // of Add
	Hunks   []Hunk      // of Update, and of a Delete that shows the content
	Mode    fs.FileMode // the permissions that the patch sets, 0 if it sets none
	Line    int         // in the text of the patch, from 1
}

// Hunk is one place of a file.
type Hunk struct {
	Headers []string // lines of the file before the hunk that lead to it, outermost first
	At      int      // number of the first old line, from 1; 0 if it is not known. Without old lines, the line before the hunk
	Known   bool     // At is known
	Lines   []Line
	AtEnd   bool // the old lines are the last of the file
	Line    int  // in the text of the patch, from 1
}

// Line is one line of a hunk.
type Line struct {
	Op   byte // ' ' for context, '-' for an old line, '+' for a new line
	Text string
	Open bool // the line has no line break at its end
}

// Patch is a patch that was read.
type Patch struct {
	Dir     string // the folder that the paths are relative to, from "cd"; "" if there is none
	Changes []Change
}

// Parse reads a patch: a unified diff, the form of "*** Begin Patch", or one of both
// in a here-document of the shell command apply_patch.
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

// newLines splits a text. A text in which every line ends with CR LF was sent in that
// form, so the CR does not belong to the lines. Otherwise a CR is part of its line.
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

// ahead returns the line after n others, "" after the end.
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

// mistake is an error at a line of the patch.
func mistake(number int, format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: %w", number, fmt.Errorf(format, args...))
}

// shown is a line in a message.
func shown(line string) string {
	if len(line) > 200 {
		line = line[:200] + "…"
	}
	return fmt.Sprintf("%q", line)
}
