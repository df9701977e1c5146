package cli_test

import (
	"regexp"
	"strconv"
	"strings"
)

// emulated is the state of a terminal after it has read an output: its text and its modes.
type emulated struct {
	cells             [][]rune
	x, y, top, bottom int
	last              rune
	kept              [2]int // position of the cursor that ESC 7 saves
	alternate, hidden bool
}

var sequence = regexp.MustCompile("^\x1b\\[([?>=<]?)([0-9;:]*)([ -/]*)([@-~])|^\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)|^\x1b[78=>cM]")

// emulate returns the state of a terminal after it has read the whole text.
func emulate(text string, width, height int) *emulated {
	e := &emulated{cells: make([][]rune, height), bottom: height - 1}
	for i := range e.cells {
		e.cells[i] = blank(width)
	}
	for text != "" {
		if m := sequence.FindStringSubmatch(text); m != nil {
			e.escape(m[0])
			e.control(m[1], m[2], m[4])
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text[:min(len(text), 4)])[0]
		text = strings.TrimPrefix(text, string(r))
		e.put(r)
	}
	return e
}

func blank(width int) []rune { return []rune(strings.Repeat(" ", width)) }

func (e *emulated) put(r rune) {
	switch {
	case r == '\r':
		e.x = 0
	case r == '\n':
		if e.y == e.bottom {
			e.scroll(1)
		} else {
			e.y++
		}
	case r == '\b':
		e.x = max(0, e.x-1)
	case r == '\t':
		e.x = min(len(e.cells[e.y])-1, (e.x/8+1)*8)
	case r >= ' ' && e.x < len(e.cells[e.y]):
		e.cells[e.y][e.x], e.last = r, r
		e.x++
	}
}

// scroll moves the lines of the scrolling region up by n, or down if n is negative.
func (e *emulated) scroll(n int) {
	width := len(e.cells[0])
	for ; n > 0; n-- {
		copy(e.cells[e.top:e.bottom], e.cells[e.top+1:e.bottom+1])
		e.cells[e.bottom] = blank(width)
	}
	for ; n < 0; n++ {
		copy(e.cells[e.top+1:e.bottom+1], e.cells[e.top:e.bottom])
		e.cells[e.top] = blank(width)
	}
}

// escape interprets the sequences of two characters: move a line up, save the cursor, and restore the cursor.
func (e *emulated) escape(sequence string) {
	switch sequence {
	case "\x1bM":
		if e.y == e.top {
			e.scroll(-1)
		} else {
			e.y--
		}
	case "\x1b7":
		e.kept = [2]int{e.x, e.y}
	case "\x1b8":
		e.x, e.y = e.kept[0], e.kept[1]
	}
}

func (e *emulated) control(private, numbers, final string) {
	width, height := len(e.cells[0]), len(e.cells)
	var n []int
	for _, text := range strings.FieldsFunc(numbers, func(r rune) bool { return r == ';' || r == ':' }) {
		v, _ := strconv.Atoi(text) // only digits
		n = append(n, v)
	}
	arg := func(i, otherwise int) int {
		if i < len(n) && n[i] > 0 {
			return n[i]
		}
		return otherwise
	}
	if private != "" {
		for _, mode := range n {
			e.alternate = e.alternate && mode != 1049 || mode == 1049 && final == "h"
			e.hidden = e.hidden && mode != 25 || mode == 25 && final == "l"
		}
		return
	}
	line := e.cells[e.y]
	switch final {
	case "H", "f":
		e.y, e.x = min(arg(0, 1), height)-1, min(arg(1, 1), width)-1
	case "A":
		e.y = max(0, e.y-arg(0, 1))
	case "B":
		e.y = min(height-1, e.y+arg(0, 1))
	case "C":
		e.x = min(width-1, e.x+arg(0, 1))
	case "D":
		e.x = max(0, e.x-arg(0, 1))
	case "G":
		e.x = min(arg(0, 1), width) - 1
	case "d":
		e.y = min(arg(0, 1), height) - 1
	case "r":
		e.top, e.bottom, e.x, e.y = arg(0, 1)-1, min(arg(1, height), height)-1, 0, 0
	case "S":
		e.scroll(arg(0, 1))
	case "T":
		e.scroll(-arg(0, 1))
	case "J":
		if arg(0, 0) == 0 {
			copy(line[min(e.x, width):], blank(width))
		}
		for y := range e.cells {
			if y > e.y || arg(0, 0) >= 2 {
				e.cells[y] = blank(width)
			}
		}
	case "K":
		from, to := min(e.x, width), width
		if mode := arg(0, 0); mode > 0 {
			from = 0
			if mode == 1 {
				to = min(e.x+1, width)
			}
		}
		copy(line[from:to], blank(width))
	case "X":
		copy(line[min(e.x, width):min(e.x+arg(0, 1), width)], blank(width))
	case "b":
		for range arg(0, 1) {
			e.put(e.last)
		}
	case "I":
		for range arg(0, 1) {
			e.put('\t')
		}
	case "Z":
		for range arg(0, 1) {
			e.x = max(0, e.x-1) / 8 * 8
		}
	case "P":
		from := min(e.x+arg(0, 1), width)
		copy(line[e.x:], append(append([]rune{}, line[from:]...), blank(from-e.x)...))
	case "@":
		n := min(arg(0, 1), width-e.x)
		copy(line[e.x:], append(blank(n), line[e.x:width-n]...))
	case "L", "M":
		top := e.top
		e.top = e.y
		if final == "L" {
			e.scroll(-arg(0, 1))
		} else {
			e.scroll(arg(0, 1))
		}
		e.top = top
	}
}

func (e *emulated) String() string {
	var b strings.Builder
	for _, line := range e.cells {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return b.String()
}
