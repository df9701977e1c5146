package terminal

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

// Table is a table with a header, readable by people and grep.
type Table struct {
	Header  []string
	Command string   // name of the column with commands to copy, whose cells are not wrapped
	Less    []string // names of columns that a narrow terminal omits
	Numbers bool     // the columns after the first are numbers
	rows    [][]string
}

// Add adds a row. Each cell becomes one line.
func (t *Table) Add(cells ...string) {
	for i, cell := range cells {
		cells[i] = OneLine(cell)
	}
	t.rows = append(t.rows, cells)
}

const (
	gap      = 2  // spaces between columns
	indent   = 2  // spaces before the later lines of a record
	narrow   = 12 // minimum width of a column that has more than one word
	lastWide = 24 // minimum width of the last column before other columns are narrowed
)

// Write writes the table for a terminal of a width. Width 0 means output for programs: each
// row is one line, and tabs separate its cells. On a terminal, columns are aligned, and
// cells are wrapped between words, those of the last column first. If the table does not
// fit, columns without content are omitted, then those in Less. If that is not enough, each
// row becomes a record of its fields with their names. Words, such as a URI, are never
// divided. paint adds colour to a line of a cell; it may be nil.
func (t *Table) Write(w io.Writer, width int, paint func(column int, cell string) string) error {
	if paint == nil {
		paint = func(_ int, cell string) string { return cell }
	}
	var b strings.Builder
	switch columns, widths := t.layout(width); {
	case width <= 0:
		for _, row := range t.all() {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	case widths == nil:
		for _, row := range t.rows {
			t.writeRecord(&b, row, width, paint)
		}
	default:
		t.writeRow(&b, columns, widths, t.Header, func(_ int, cell string) string { return cell })
		for _, row := range t.rows {
			t.writeRow(&b, columns, widths, row, paint)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// all returns the header and the rows.
func (t *Table) all() [][]string { return append([][]string{t.Header}, t.rows...) }

// layout chooses columns that fit, and their widths. widths is nil if no choice fits.
func (t *Table) layout(total int) (columns, widths []int) {
	for i := range t.Header {
		columns = append(columns, i)
	}
	for _, leave := range []func(column int) bool{
		func(int) bool { return false },
		func(i int) bool { return !slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != "" }) },
		func(i int) bool { return slices.Contains(t.Less, t.Header[i]) },
	} {
		columns = slices.DeleteFunc(columns, leave)
		if widths = t.widths(columns, total); widths != nil {
			break
		}
	}
	return columns, widths
}

// widths returns the widths of columns, or nil if they do not fit.
func (t *Table) widths(columns []int, total int) []int {
	last := len(columns) - 1
	if last < 1 {
		return []int{total}[:len(columns)]
	}
	widths, least := make([]int, len(columns)), make([]int, len(columns))
	over := gap*last - total
	for at, i := range columns {
		for _, row := range t.all() {
			widths[at] = max(widths[at], Width(row[i]))
			if words := t.words(i, row[i]); at < last || len(words) == 1 { // in the last column, a long word can have its own line
				for _, word := range words {
					least[at] = max(least[at], Width(word.text))
				}
			}
		}
		floor := narrow
		if at == last {
			floor = lastWide
		}
		least[at] = max(least[at], min(widths[at], floor))
		over += widths[at]
	}
	for over > 0 {
		widest := last
		if widths[last] == least[last] {
			widest = 0
			for at := 1; at < last; at++ {
				if widths[at] > least[at] && (widest == 0 || widths[at] > widths[widest]) {
					widest = at
				}
			}
		}
		if widths[widest] == least[widest] {
			return nil
		}
		widths[widest]--
		over--
	}
	return widths
}

// words returns the parts of a cell that are not divided.
func (t *Table) words(column int, cell string) []word {
	if t.whole(column) {
		return []word{{text: cell}}
	}
	return words(cell)
}

// whole reports whether the cells of a column are not wrapped.
func (t *Table) whole(column int) bool {
	return t.Numbers && column > 0 || t.Command != "" && t.Header[column] == t.Command
}

// wrap returns the lines of a cell. A line longer than width is a single word.
func (t *Table) wrap(column int, cell string, width int) []string {
	if t.whole(column) {
		return []string{cell}
	}
	return Wrap(cell, width)
}

// writeRow writes a row in as many lines as its cells need.
func (t *Table) writeRow(b *strings.Builder, columns, widths []int, row []string, paint func(int, string) string) {
	cells := make([][]string, len(columns))
	height, last := 0, len(columns)-1
	for at, i := range columns {
		cells[at] = t.wrap(i, row[i], widths[at])
		long := slices.IndexFunc(cells[at], func(line string) bool { return Width(line) > widths[at] })
		if at == last && long >= 0 && long < height { // it is moved below the other cells
			cells[at] = slices.Insert(cells[at], long, make([]string, height-long)...)
		}
		height = max(height, len(cells[at]))
	}
	for line := range height {
		blanks := 0
		for at, cell := range cells {
			if line < len(cell) && cell[line] != "" {
				wide := Width(cell[line])
				before := blanks
				switch {
				case wide > widths[at]:
					before = min(blanks, indent)
				case t.Numbers && columns[at] > 0:
					before += widths[at] - wide
				}
				b.WriteString(strings.Repeat(" ", before) + paint(columns[at], cell[line]))
				blanks -= before + wide
			}
			blanks += widths[at] + gap
		}
		b.WriteByte('\n')
	}
}

// writeRecord writes the non-empty fields of a row. Short fields share a line.
func (t *Table) writeRecord(b *strings.Builder, row []string, width int, paint func(int, string) string) {
	used := 0 // columns used in the current line
	for i, cell := range row {
		name := t.Header[i] + ":"
		wide := Width(name) + 1 + Width(cell)
		switch {
		case i > 0 && cell == "":
			continue
		case i > 0 && used+gap+wide <= width:
			b.WriteString(strings.Repeat(" ", gap))
			used += gap + wide
		case i > 0:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent + wide
		default:
			used = wide
		}
		if used <= width {
			b.WriteString(strings.TrimSuffix(name+" "+paint(i, cell), " "))
			continue
		}
		lines := []string{name, cell}
		if !t.whole(i) {
			lines = Wrap(name+" "+cell, max(width-2*indent, 1))
		}
		b.WriteString(strings.Join(lines, "\n"+strings.Repeat(" ", 2*indent)))
		used = width
	}
	b.WriteByte('\n')
}

// word is a part of a text that is not divided.
type word struct {
	text  string
	joins bool // no space precedes it
}

// words splits a text where a line can end: between words and, except in a URI or path,
// between the letters of scripts without spaces.
func words(text string) (all []word) {
	for part := range strings.FieldsSeq(text) {
		from := 0
		if !strings.Contains(part, "/") {
			before := 0
			for at, r := range part {
				wide := runewidth.RuneWidth(r)
				if at > from && wide > 1 && before > 1 {
					all = append(all, word{part[from:at], from > 0})
					from = at
				}
				before = wide
			}
		}
		all = append(all, word{part[from:], from > 0})
	}
	return all
}

// Wrap breaks a line between words into lines of at most width columns. A longer word gets
// its own line.
func Wrap(text string, width int) []string {
	if Width(text) <= width || width <= 0 {
		return []string{text}
	}
	var lines []string
	line := ""
	for _, w := range words(text) {
		space := " "
		if w.joins {
			space = ""
		}
		switch {
		case line == "":
			line = w.text
		case Width(line)+len(space)+Width(w.text) <= width:
			line += space + w.text
		default:
			lines = append(lines, line)
			line = w.text
		}
	}
	return append(lines, line)
}

// Break is like Wrap, but also breaks longer words.
func Break(text string, width int) (lines []string) {
	for _, line := range Wrap(text, width) {
		for width > 0 && Width(line) > width {
			head := runewidth.Truncate(line, width, "")
			if head == "" { // a character that is wider than the screen
				break
			}
			lines = append(lines, head)
			line = line[len(head):]
		}
		lines = append(lines, line)
	}
	return lines
}

// LocalTime returns a time in the zone of the reader, to the second.
func LocalTime(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// OrDash returns a number, or a dash in place of zero.
func OrDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}
