package runs

import (
	"fmt"
	"io"
	"strings"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// MostWaterfallRows is the maximum number of calls that Waterfall.Text shows.
const MostWaterfallRows = 40

// Widths of the table that Text writes.
const (
	narrowest = 60 // minimum width of the table
	wideID    = 7
	wideTook  = 8
)

// glyphs maps a state to the cell of a bar.
var glyphs = map[string]rune{work: '█', slot: '░', approval: '?'}

const failure = 'x'

// Text writes the first calls, one per line of at most columns, but at least 60 columns.
func (w *Waterfall) Text(to io.Writer, columns int) error {
	columns = max(columns, narrowest)
	shown := w.bars[:min(len(w.bars), MostWaterfallRows)]
	id, tool := len("Call"), len("Tool")
	for i := range shown {
		id = max(id, terminal.Width(terminal.OneLine(shown[i].Call)))
		tool = max(tool, terminal.Width(terminal.OneLine(shown[i].Tool)))
	}
	id, tool = min(id, wideID), min(tool, columns/3)
	track := columns - id - tool - wideTook - 3
	var b strings.Builder
	end := duration(w.ms)
	fmt.Fprintf(&b, "%s %s %-*s%s %*s\n", pad("Call", id), pad("Tool", tool), track-len(end), "0", end, wideTook, "Took")
	for i := range shown {
		c := &shown[i]
		fmt.Fprintf(&b, "%s %s %s %*s\n", pad(c.Call, id), pad(c.Tool, tool), w.cells(c, track), wideTook, duration(c.to-c.from))
	}
	b.WriteString(w.counts() + "\n█ call  ░ waits for its turn  ? for an approval  x failed\n")
	_, err := io.WriteString(to, b.String())
	return err
}

// cells draws a bar on a track. A call has at least one cell.
func (w *Waterfall) cells(b *bar, width int) string {
	scale := 0.0
	if w.ms > 0 {
		scale = float64(width) / w.ms
	}
	first := min(int(b.from*scale), width-1)
	last := max(first, min(int(b.to*scale), width-1))
	if last > first && float64(last) == b.to*scale { // the bar ends where this cell begins
		last--
	}
	cells := []rune(strings.Repeat(" ", width))
	for i := first; i <= last; i++ {
		state := work
		for _, p := range b.parts {
			if middle := float64(i) + 0.5; middle >= p.from*scale && middle < p.to*scale {
				state = p.state
			}
		}
		cells[i] = glyphs[state]
	}
	if b.failed() {
		cells[last] = failure
	}
	return string(cells)
}

// pad returns a server's text cut or padded to a number of columns.
func pad(text string, width int) string {
	text = terminal.Cut(terminal.OneLine(text), width)
	return text + strings.Repeat(" ", max(0, width-terminal.Width(text)))
}
