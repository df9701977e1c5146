package workspace

import (
	"regexp"
	"strings"
	"sync"
)

const (
	begin     = "*** Begin Patch"
	end       = "*** End Patch"
	addFile   = "*** Add File: "
	delFile   = "*** Delete File: "
	updFile   = "*** Update File: "
	moveTo    = "*** Move to: "
	endOfFile = "*** End of File"
)

func (l *lines) isEnvelope() bool {
	l.skipBlank()
	return strings.TrimSpace(l.line()) == begin
}

// parseEnvelope parses a patch in the form "*** Begin Patch".
func parseEnvelope(l *lines) (changes []Change, err error) {
	l.next()
	for {
		l.skipBlank()
		if !l.more() {
			return nil, mistake(l.number(), "%q is missing at the end", end)
		}
		number := l.number()
		line := l.next()
		change := Change{Line: number}
		switch {
		case strings.TrimSpace(line) == end:
			l.skipBlank()
			if l.more() {
				return nil, mistake(l.number(), "text after %q", end)
			}
			return changes, nil
		case strings.HasPrefix(line, addFile):
			change.Op, change.Path = Add, strings.TrimSpace(line[len(addFile):])
			change.Content, err = addedText(l)
		case strings.HasPrefix(line, delFile):
			change.Op, change.Path = Delete, strings.TrimSpace(line[len(delFile):])
		case strings.HasPrefix(line, updFile):
			change.Op, change.Path = Update, strings.TrimSpace(line[len(updFile):])
			err = updates(l, &change)
		default:
			err = mistake(number, "expected %q, %q, %q or %q, found %s", addFile, delFile, updFile, end, shown(line))
		}
		if err != nil {
			return nil, err
		}
		changes = append(changes, change)
	}
}

// marked reports whether the next line begins with "*** ", which ends a change.
func (l *lines) marked() bool { return l.has("*** ") }

// addedText reads the lines of a new file.
func addedText(l *lines) (string, error) {
	var text strings.Builder
	for l.more() && !l.marked() {
		number, line := l.number(), l.next()
		if !strings.HasPrefix(line, "+") {
			return "", mistake(number, `the lines of a new file begin with "+", found %s`, shown(line))
		}
		text.WriteString(line[1:])
		text.WriteByte('\n')
	}
	return text.String(), nil
}

// updates reads the target of a move and the hunks of a file.
func updates(l *lines, c *Change) error {
	if l.has(moveTo) {
		c.NewPath = strings.TrimSpace(l.next()[len(moveTo):])
		if c.NewPath == "" {
			return mistake(l.number()-1, "%q without a path", moveTo)
		}
	}
	for l.more() && (!l.marked() || strings.TrimSpace(l.line()) == endOfFile) {
		h, err := envelopeHunk(l)
		if err != nil {
			return err
		}
		c.Hunks = append(c.Hunks, h)
	}
	if len(c.Hunks) == 0 && c.NewPath == "" {
		return mistake(c.Line, "the update of %s has no hunk", shown(c.Path))
	}
	return nil
}

// numbered matches the header of a hunk of a unified diff.
var numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$`) })

// envelopeHunk reads the header lines and the lines of one hunk.
func envelopeHunk(l *lines) (Hunk, error) {
	h := Hunk{Line: l.number()}
	for l.has("@@") {
		line := l.next()
		if r, ok := parseRange(line); ok {
			h.At, h.Known = r.start, r.start > 0
		} else if header := strings.TrimPrefix(line[2:], " "); strings.TrimSpace(header) != "" {
			h.Headers = append(h.Headers, header)
		}
	}
	for l.more() && !l.has("@@") {
		number, line := l.number(), l.line()
		switch {
		case strings.TrimSpace(line) == endOfFile:
			l.next()
			h.AtEnd = true
			return h, h.check()
		case l.marked():
			return h, h.check()
		case line == "":
			h.Lines = append(h.Lines, Line{Op: ' '})
		case strings.IndexByte(" +-", line[0]) >= 0:
			h.Lines = append(h.Lines, Line{Op: line[0], Text: line[1:]})
		default:
			return h, mistake(number, `the lines of a hunk begin with " ", "+" or "-", found %s`, shown(line))
		}
		l.next()
	}
	return h, h.check()
}

// check removes blank lines at the end, which separate changes, and returns an error if the
// hunk changes nothing.
func (h *Hunk) check() error {
	for n := len(h.Lines); n > 0 && h.Lines[n-1] == (Line{Op: ' '}) && h.changes(); n-- {
		h.Lines = h.Lines[:n-1]
	}
	if !h.changes() {
		return mistake(h.Line, "the hunk changes nothing")
	}
	return nil
}

func (h *Hunk) changes() bool {
	for _, line := range h.Lines {
		if line.Op != ' ' {
			return true
		}
	}
	return false
}
