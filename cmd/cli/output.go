package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// say writes lines for people to stderr, with what others wrote in them made
// visible. That nobody can read it is no reason to stop: the exit code says what
// matters.
func (a *app) say(format string, args ...any) {
	_, _ = io.WriteString(a.Stderr, visibleText(fmt.Sprintf(format, args...))+"\n")
}

// warn says something that the user should know and that stops nothing.
func (a *app) warn(format string, args ...any) { a.say("toolscript: warning: "+format, args...) }

// print writes a line of data to stdout.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.Stdout, format+"\n", args...)
	return err
}

// writeJSON writes a value on one line, as the gateway does. Angle brackets stay
// as they are: this is no HTML.
func writeJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// table is rows under a header, for people and for grep: one line a row.
type table struct {
	header []string
	rows   [][]string
}

func (t *table) add(cells ...string) {
	for i, cell := range cells {
		cells[i] = oneLine(cell)
	}
	t.rows = append(t.rows, cells)
}

// write aligns the columns with two blanks between them. paint may colour a
// cell after its width was taken; it is nil where there is no colour.
func (t *table) write(w io.Writer, paint func(column int, cell string) string) error {
	width := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	line := func(row []string, paint func(int, string) string) {
		var blanks int
		for i, cell := range row {
			if cell != "" {
				b.WriteString(strings.Repeat(" ", blanks))
				blanks = 0
			}
			blanks += width[i] - utf8.RuneCountInString(cell) + 2
			if paint != nil {
				cell = paint(i, cell)
			}
			b.WriteString(cell)
		}
		b.WriteByte('\n')
	}
	line(t.header, nil)
	for _, row := range t.rows {
		line(row, paint)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return visible(strings.Join(strings.Fields(text), " ")) }

// visible shows a line that somebody else wrote as it is: what could write over
// the terminal, hide characters or turn their order round becomes U+FFFD.
func visible(text string) string { return strings.Map(visibleRune, text) }

// visibleText is visible for lines.
func visibleText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return visibleRune(r)
	}, text)
}

func visibleRune(r rune) rune {
	if r != '\t' && !unicode.IsGraphic(r) || unicode.Is(unicode.Bidi_Control, r) {
		return unicode.ReplacementChar
	}
	return r
}

// coloured reports whether colour may go to w: a terminal, and nobody set
// NO_COLOR (no-color.org: "when present and not an empty string").
func (a *app) coloured(w io.Writer) bool {
	return isTerminal(w) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// isTerminal takes every character device for a terminal. /dev/null is one too,
// and harmless: nobody reads what is written to it, and it gives no answer.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
