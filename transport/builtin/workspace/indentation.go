package workspace

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
)

// level is the width of one level of indentation, and of a tab, in columns.
const level = 4

// maxBlockLines is the maximum of lines in a file that is read as blocks. Each line takes 32 bytes.
const maxBlockLines = 1 << 20

// readBlock returns the block around a line.
func readBlock(ctx context.Context, f io.Reader, args readFileArgs) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxShownFile))
	if err != nil || ctx.Err() != nil {
		return nil, cmp.Or(err, ctx.Err())
	}
	if bytes.Count(text, []byte("\n")) > maxBlockLines {
		return nil, fmt.Errorf("it has more than %d lines; read it with the mode slice", maxBlockLines)
	}
	anchor := args.AnchorLine
	if anchor == 0 {
		anchor = args.Offset
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if len(text) == 0 || anchor > len(lines) {
		return nil, fmt.Errorf("anchorLine is %d, and the file has %d lines", anchor, bytes.Count(text, []byte("\n")))
	}
	first, last := block(lines, anchor-1, args.MaxLevels, args.Limit)
	var out []byte
	for i := first; i <= last; i++ {
		if out = appendLine(out, i+1, lines[i]); len(out) > maxContent {
			return nil, errTooMuch
		}
	}
	return out, nil
}

// block returns the first and the last line of the block around the line anchor: the
// adjacent lines that are indented at least as far as the outermost level. On that level
// itself, the block includes only the nearest line above, with the comment lines directly
// above it, and the nearest line below. A block of more than limit lines is cut at both
// ends.
func block(lines [][]byte, anchor, levels, limit int) (first, last int) {
	indents := indentation(lines)
	outermost := 0
	if levels > 0 {
		outermost = max(0, indents[anchor]-levels*level)
	}
	up, down := &blockEnd{at: anchor, step: -1, comments: true}, &blockEnd{at: anchor, step: 1}
	for down.at-up.at+1 < limit {
		moved := up.extend(lines, indents, outermost)
		if down.at-up.at+1 < limit && down.extend(lines, indents, outermost) {
			moved = true
		}
		if !moved {
			break
		}
	}
	first, last = up.at, down.at
	for first < anchor && blank(lines[first]) {
		first++
	}
	for last > anchor && blank(lines[last]) {
		last--
	}
	return first, last
}

// blockEnd is one end of a block.
type blockEnd struct {
	at       int // index of the line at this end
	step     int // -1: upward, 1: downward
	comments bool
	outer    bool // a line of the outermost level was taken
	ended    bool
}

// extend takes the next line if it belongs to the block.
func (s *blockEnd) extend(lines [][]byte, indents []int, outermost int) bool {
	next := s.at + s.step
	if s.ended || next < 0 || next >= len(lines) || indents[next] < outermost {
		s.ended = true
		return false
	}
	if indents[next] == outermost {
		if s.outer && (!s.comments || !comment(lines[next])) {
			s.ended = true
			return false
		}
		s.outer = true
	}
	s.at = next
	return true
}

// indentation returns the indentation of each line in columns. A blank line has the
// indentation of the line before it.
func indentation(lines [][]byte) []int {
	indents := make([]int, len(lines))
	previous := 0
	for i, line := range lines {
		if !blank(line) {
			previous = columns(line)
		}
		indents[i] = previous
	}
	return indents
}

func columns(line []byte) (n int) {
	for _, b := range line {
		switch b {
		case ' ':
			n++
		case '\t':
			n += level
		default:
			return n
		}
	}
	return n
}

func blank(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// comment reports whether a line is a comment of a common language.
func comment(line []byte) bool {
	line = bytes.TrimSpace(line)
	for _, begin := range []string{"#", "//", "--", "/*", "*"} {
		if bytes.HasPrefix(line, []byte(begin)) {
			return true
		}
	}
	return false
}
