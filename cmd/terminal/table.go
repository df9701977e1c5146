package terminal

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Table has rows and a Header. It suits people and grep.
type Table struct {
	Header []string
	rows   [][]string
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
	narrow   = 12 // minimum width of a column
	lastWide = 24 // width of the last column before other columns are made narrower
)

// Write aligns the columns for a terminal. width is the width of the terminal; 0 means
// that the output is for programs: each row is one line, and tabs separate its cells.
// On a terminal, cells are wrapped to fit: cells of the last column first, and cells of
// the first column, which names the row, last. paint adds colour to a line of a cell; it
// may be nil.
func (t *Table) Write(w io.Writer, width int, paint func(column int, cell string) string) error {
	var b strings.Builder
	if width <= 0 {
		for _, row := range append([][]string{t.Header}, t.rows...) {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
		_, err := io.WriteString(w, b.String())
		return err
	}
	widths := t.widths(width)
	writeRow(&b, widths, t.Header, nil)
	for _, row := range t.rows {
		writeRow(&b, widths, row, paint)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// widths are the widths of the columns.
func (t *Table) widths(total int) []int {
	widths := make([]int, len(t.Header))
	for _, row := range append([][]string{t.Header}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	last := len(widths) - 1
	if last == 0 {
		return widths
	}
	for {
		room, widest := total, 0
		for i := range last {
			room -= widths[i] + gap
			if i > 0 && widths[i] > max(narrow, widths[widest]) || i > 0 && widest == 0 && widths[i] > narrow {
				widest = i
			}
		}
		if room >= min(widths[last], lastWide) || widest == 0 && widths[0] <= total/2 {
			widths[last] = min(widths[last], max(room, narrow))
			return widths
		}
		widths[widest]--
	}
}

// writeRow writes a row in as many lines as its cells need.
func writeRow(b *strings.Builder, widths []int, row []string, paint func(int, string) string) {
	cells := make([][]string, len(row))
	height := 0
	for i, cell := range row {
		cells[i] = Wrap(cell, widths[i])
		height = max(height, len(cells[i]))
	}
	for line := range height {
		blanks := 0
		for i, cell := range cells {
			if line < len(cell) && cell[line] != "" {
				text := cell[line]
				if paint != nil {
					text = paint(i, text)
				}
				b.WriteString(strings.Repeat(" ", blanks) + text)
				blanks = -runewidth.StringWidth(cell[line])
			}
			blanks += widths[i] + gap
		}
		b.WriteByte('\n')
	}
}

// Wrap breaks a line at spaces into lines of at most width columns. Longer words are
// broken too.
func Wrap(text string, width int) []string {
	if runewidth.StringWidth(text) <= width || width <= 0 {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && runewidth.StringWidth(line)+1+runewidth.StringWidth(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for runewidth.StringWidth(word) > width {
			head := runewidth.Truncate(word, width, "")
			if head == "" { // a character that is wider than the column
				break
			}
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	return append(lines, line)
}
