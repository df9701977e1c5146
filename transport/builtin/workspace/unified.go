package workspace

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// parseUnified parses a unified diff, with or without the headers of git. Text around the
// diffs is ignored.
func parseUnified(l *lines) (changes []Change, err error) {
	for l.more() {
		var c *Change
		switch {
		case l.has("diff --git "):
			c, err = gitChange(l)
		case l.plainHeader():
			c, err = plainChange(l)
		case numbered().MatchString(l.line()):
			err = mistake(l.number(), `a hunk without a file: "---" and "+++" lines are missing before it`)
		default:
			l.next()
			continue
		}
		if err != nil {
			return nil, err
		}
		if c != nil {
			changes = append(changes, *c)
		}
	}
	return changes, nil
}

// plainHeader reports whether the current line begins a change with "---" and "+++".
func (l *lines) plainHeader() bool {
	return l.has("--- ") && strings.HasPrefix(l.ahead(1), "+++ ")
}

const devNull = "/dev/null"

// header holds the data in the lines before the hunks of a file. Names keep their prefixes.
type header struct {
	line                 int
	git                  bool
	both                 string // the two names of the line "diff --git"
	before, after        string // names of the lines "---" and "+++"
	from, to             string // names of a rename
	created, deleted     bool
	copied, binary, link bool
	mode                 fs.FileMode
}

func plainChange(l *lines) (*Change, error) {
	h := header{line: l.number()}
	if err := h.names(l); err != nil {
		return nil, err
	}
	return h.change(l)
}

// names parses the lines "---" and "+++".
func (h *header) names(l *lines) (err error) {
	if h.before, err = name(l.number(), l.next()[4:]); err == nil {
		h.after, err = name(l.number(), l.next()[4:])
	}
	return err
}

// gitChange parses a change that begins with "diff --git".
func gitChange(l *lines) (*Change, error) {
	h := header{line: l.number(), git: true}
	h.both = strings.TrimPrefix(l.next(), "diff --git ")
	for l.more() {
		if l.plainHeader() {
			if err := h.names(l); err != nil {
				return nil, err
			}
			break
		}
		known, err := h.extended(l.number(), l.line())
		if err != nil {
			return nil, err
		}
		if !known {
			break
		}
		l.next()
	}
	return h.change(l)
}

// extendedHeader matches a header line of git: a keyword and its value.
var extendedHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(old mode|new mode|new file mode|deleted file mode|(?:dis)?similarity index|index|copy from|copy to|` +
		`rename from|rename to|Binary files|GIT binary patch)(?: (.*))?$`)
})

// extended parses one header line of git. known is false for any other line.
func (h *header) extended(number int, line string) (known bool, err error) {
	m := extendedHeader().FindStringSubmatch(line)
	if m == nil {
		return false, nil
	}
	switch m[1] {
	case "new file mode":
		h.created = true
		err = h.setMode(m[2])
	case "new mode":
		err = h.setMode(m[2])
	case "deleted file mode":
		h.deleted = true
	case "copy from":
		h.copied = true
	case "rename from":
		h.from, err = name(number, m[2])
	case "rename to":
		h.to, err = name(number, m[2])
	case "Binary files", "GIT binary patch":
		h.binary = true
	}
	return true, err
}

func (h *header) setMode(value string) error {
	mode, err := strconv.ParseUint(strings.TrimSpace(value), 8, 32)
	if err != nil {
		return mistake(h.line, "the mode %s is not a number", shown(value))
	}
	h.link = mode>>12 != 0o10
	h.mode = fs.FileMode(mode) & 0o777
	return nil
}

// change parses the hunks after the headers.
func (h *header) change(l *lines) (*Change, error) {
	switch {
	case h.binary:
		return nil, mistake(h.line, "the change of a binary file cannot be applied")
	case h.copied:
		return nil, mistake(h.line, "the copy of a file cannot be applied")
	case h.link:
		return nil, mistake(h.line, "only regular files can be changed, no links and submodules")
	}
	c := &Change{Line: h.line, Mode: h.mode}
	var err error
	if c.Hunks, err = unifiedHunks(l); err != nil {
		return nil, err
	}
	if err := h.place(c); err != nil {
		return nil, err
	}
	if c.Op == Add {
		c.Content, err = contentOf(c.Hunks)
		c.Hunks = nil
	}
	return c, err
}

// place sets the paths and the operation of a change.
func (h *header) place(c *Change) error {
	before, after := h.paths()
	switch {
	case h.from != "" && h.to != "":
		c.Op, c.Path, c.NewPath = Update, h.from, h.to
	case h.created || before == devNull:
		c.Op, c.Path = Add, after
	case h.deleted || after == devNull:
		c.Op, c.Path = Delete, before
	default:
		c.Op, c.Path = Update, before
		if before != after {
			c.NewPath = after
		}
		if len(c.Hunks) == 0 && c.Mode == 0 && c.NewPath == "" {
			return mistake(h.line, "the change of %s has no hunk", shown(c.Path))
		}
	}
	if c.Path == "" || c.Path == devNull {
		return mistake(h.line, "the name of the file is missing")
	}
	return nil
}

// paths returns the names without the prefixes a/ and b/. git always writes the prefixes;
// other programs may not, so they are removed only if both names have them.
func (h *header) paths() (before, after string) {
	before, after = h.before, h.after
	if before == "" && after == "" {
		return split(h.both)
	}
	a, hasA := strings.CutPrefix(before, "a/")
	b, hasB := strings.CutPrefix(after, "b/")
	if (hasA || before == devNull) && (hasB || after == devNull) {
		if hasA {
			before = a
		}
		if hasB {
			after = b
		}
	}
	return before, after
}

// split returns the two names of "diff --git a/x b/x". They are equal, because no other
// line names the file.
func split(both string) (before, after string) {
	if strings.HasPrefix(both, `"`) {
		if first, err := strconv.QuotedPrefix(both); err == nil {
			before, _ = name(0, first)
			after, _ = name(0, strings.TrimSpace(both[len(first):]))
			return strings.TrimPrefix(before, "a/"), strings.TrimPrefix(after, "b/")
		}
	}
	for i := range len(both) {
		if both[i] != ' ' {
			continue
		}
		before, after = strings.TrimPrefix(both[:i], "a/"), strings.TrimPrefix(both[i+1:], "b/")
		if before == after {
			return before, after
		}
	}
	return "", ""
}

// name parses a file name: quoted as in C, or up to a tab, which precedes a time.
func name(number int, text string) (string, error) {
	text = strings.TrimSuffix(text, "\r")
	if !strings.HasPrefix(text, `"`) {
		text, _, _ = strings.Cut(text, "\t")
		return strings.TrimRight(text, " "), nil
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err == nil {
		text, err = strconv.Unquote(quoted)
	}
	if err != nil {
		return "", mistake(number, "the quoted name %s cannot be read", shown(text))
	}
	return text, nil
}

// unifiedHunks parses the hunks of a file.
func unifiedHunks(l *lines) (hunks []Hunk, err error) {
	for l.has("@@") {
		r, ok := parseRange(l.line())
		if !ok {
			return nil, mistake(l.number(), `expected a line such as "@@ -1,3 +1,4 @@", found %s`, shown(l.line()))
		}
		h := Hunk{Line: l.number(), At: r.start, Known: true}
		l.next()
		if h.Lines, err = hunkLines(l, r); err != nil {
			return nil, err
		}
		if !h.changes() {
			return nil, mistake(h.Line, "the hunk changes nothing")
		}
		hunks = append(hunks, h)
	}
	return hunks, nil
}

// span holds the numbers in the header of a hunk.
type span struct{ start, before, after int }

func parseRange(line string) (r span, ok bool) {
	m := numbered().FindStringSubmatch(strings.TrimSuffix(line, "\r"))
	if m == nil {
		return r, false
	}
	r.before, r.after = 1, 1
	for i, to := range map[int]*int{1: &r.start, 2: &r.before, 4: &r.after} {
		if m[i] == "" {
			continue
		}
		n, err := strconv.Atoi(m[i])
		if err != nil || n > maxSize {
			return r, false
		}
		*to = n
	}
	return r, true
}

// hunkLines parses as many lines as the header of the hunk announces. Models often
// miscount: if the hunk does not end there, all lines up to the next header belong to it.
func hunkLines(l *lines, r span) ([]Line, error) {
	start := l.at
	if found, err := counted(l, r); err == nil && l.hunkEnds() {
		return found, nil
	}
	l.at = start
	var found []Line
	for l.more() && !l.nextHeader() {
		line, ok := hunkLine(l.line())
		switch {
		case ok:
			found = append(found, line)
		case openMark(l.line()) && len(found) > 0:
			found[len(found)-1].Open = true
		default:
			return nil, mistake(l.number(), `the lines of a hunk begin with " ", "+" or "-", found %s`, shown(l.line()))
		}
		l.next()
	}
	for n := len(found); n > 0 && found[n-1] == (Line{Op: ' '}); n-- {
		found = found[:n-1] // blank lines before the next header
	}
	return found, nil
}

// counted parses the number of lines that the header announces.
func counted(l *lines, r span) (found []Line, err error) {
	for r.before > 0 || r.after > 0 {
		if !l.more() {
			return nil, mistake(l.number(), "the hunk ends too early")
		}
		if openMark(l.line()) && len(found) > 0 {
			found[len(found)-1].Open = true
			l.next()
			continue
		}
		line, ok := hunkLine(l.line())
		if !ok {
			return nil, mistake(l.number(), "the line %s is no part of a hunk", shown(l.line()))
		}
		if line.Op != '+' {
			r.before--
		}
		if line.Op != '-' {
			r.after--
		}
		found = append(found, line)
		l.next()
	}
	if r.before < 0 || r.after < 0 {
		return nil, mistake(l.number(), "the hunk has more lines than announced")
	}
	if l.more() && openMark(l.line()) && len(found) > 0 {
		found[len(found)-1].Open = true
		l.next()
	}
	return found, nil
}

// hunkLine parses a line of a hunk. Some programs strip the blank of empty lines.
func hunkLine(text string) (Line, bool) {
	if text == "" || text == "\r" {
		return Line{Op: ' ', Text: text}, true
	}
	if strings.IndexByte(" +-", text[0]) < 0 {
		return Line{}, false
	}
	return Line{Op: text[0], Text: text[1:]}, true
}

// openMark reports whether a line says that the line before it has no line break. The text
// behind the backslash depends on the user's language.
func openMark(text string) bool { return strings.HasPrefix(text, `\ `) }

// hunkEnds reports whether a hunk may end here: the next line that is not blank does not
// belong to a hunk.
func (l *lines) hunkEnds() bool {
	start := l.at
	defer func() { l.at = start }()
	l.skipBlank()
	if !l.more() || l.nextHeader() || l.plainHeader() || l.line() == "-- " { // "-- " begins an e-mail signature
		return true
	}
	_, inHunk := hunkLine(l.line())
	return !inHunk
}

func (l *lines) nextHeader() bool {
	return l.has("@@ ") || l.has("diff --git ") || l.plainHeader() && strings.HasPrefix(l.ahead(2), "@@ ")
}

// contentOf returns the content of a new file.
func contentOf(hunks []Hunk) (string, error) {
	var text strings.Builder
	for _, h := range hunks {
		for i, line := range h.Lines {
			if line.Op != '+' {
				return "", mistake(h.Line+1+i, `the lines of a new file begin with "+"`)
			}
			text.WriteString(line.Text)
			if !line.Open {
				text.WriteByte('\n')
			}
		}
	}
	return text.String(), nil
}
