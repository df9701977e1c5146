package answer

import (
	"bytes"
	"fmt"
)

// Position is a position in a message.
type Position struct {
	Offset int `json:"offset"` // number of bytes before it
	Line   int `json:"line"`   // from 1; LF, CR and CR LF end a line
	Column int `json:"column"` // from 1, in UTF-16 units
}

// String returns "line:column".
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// cursor is a position that advances over text that arrives in parts.
type cursor struct {
	Position
	cr bool // the last byte was CR, so an LF after it belongs to the same line end
}

func newCursor(start Position) cursor {
	start.Line, start.Column = max(1, start.Line), max(1, start.Column)
	return cursor{Position: start}
}

// over returns the cursor advanced over text.
func (c cursor) over(text []byte) cursor {
	if len(text) == 0 {
		return c
	}
	c.Offset += len(text)
	tail := text
	if last := bytes.LastIndexByte(text, '\n'); last >= 0 {
		c.Line += bytes.Count(text, []byte{'\n'})
		if c.cr && text[0] == '\n' {
			c.Line--
		}
		c.Line += loneCR(text[:last+1])
		c.Column, tail = 1, text[last+1:]
	}
	if lone := bytes.Count(tail, []byte{'\r'}); lone > 0 { // after the last LF
		c.Line += lone
		c.Column, tail = 1, tail[bytes.LastIndexByte(tail, '\r')+1:]
	}
	c.Column += units(tail)
	c.cr = text[len(text)-1] == '\r'
	return c
}

// loneCR counts the CRs that are not followed by LF. The text ends with LF.
func loneCR(text []byte) int {
	all := bytes.Count(text, []byte{'\r'})
	if all == 0 {
		return 0
	}
	return all - bytes.Count(text, []byte("\r\n"))
}

// units returns the number of UTF-16 units of UTF-8 text. A rune cut by the end of the
// text counts with its first byte.
func units(text []byte) int {
	n := 0
	for _, b := range text {
		switch {
		case b >= 0xF0:
			n += 2
		case b&0xC0 != 0x80:
			n++
		}
	}
	return n
}
