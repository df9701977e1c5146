package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// cut shortens compact JSON to about the given length, and keeps it valid. It omits
// elements and members beyond the limit, and adds a marker with their number to each open
// array and object. A string is cut between characters. read is the number of bytes of text
// that the result has unchanged.
func cut(text []byte, most int) (short []byte, read int) {
	if len(text) <= most {
		return text, len(text)
	}
	c := cutter{text: text, most: most}
	c.prefix()
	c.count()
	if len(c.out) == 0 { // the limit is too low for any part
		return fmt.Appendf(nil, `"… [%d bytes]"`, len(text)), 0
	}
	return c.out, c.read
}

// container is an array or object that is open at the cut.
type container struct {
	object bool
	filled bool // an element is in the result
	left   int  // number of omitted elements or members
}

// cutter cuts one text. The text is valid JSON, so a simple scan is enough.
type cutter struct {
	text []byte
	most int
	at   int // offset of the next byte
	out  []byte
	read int
	open []container
}

// prefix copies whole elements up to the limit, and the beginning of a long string.
func (c *cutter) prefix() {
	key := 0 // offset in out of the key of the current member
	for c.at < len(c.text) {
		switch b := c.text[c.at]; b {
		case '[', '{':
			if len(c.out)+2 > c.most {
				c.drop(key)
				return
			}
			c.fill()
			c.open = append(c.open, container{object: b == '{'})
			c.copy(1)
		case ']', '}':
			c.open = c.open[:len(c.open)-1]
			c.copy(1)
		case ',', ':':
			c.copy(1)
		default:
			n := tokenLength(c.text[c.at:])
			isKey := c.at+n < len(c.text) && c.text[c.at+n] == ':'
			if isKey {
				key = len(c.out)
			}
			switch {
			case len(c.out)+n <= c.most:
			case b == '"' && !isKey && c.most-len(c.out) >= shortString:
				c.cutString(n)
				return
			default:
				c.drop(key)
				return
			}
			if !isKey {
				c.fill()
			}
			c.copy(n)
		}
	}
}

func (c *cutter) copy(n int) {
	c.out = append(c.out, c.text[c.at:c.at+n]...)
	c.at += n
	c.read = c.at
}

// fill records that the innermost container has an element.
func (c *cutter) fill() {
	if len(c.open) > 0 {
		c.open[len(c.open)-1].filled = true
	}
}

// drop removes the comma, or the key and the colon, before an element that does not fit.
func (c *cutter) drop(key int) {
	if n := len(c.out); n > 0 && c.out[n-1] == ':' {
		c.at -= n - key
		c.out = c.out[:key]
	}
	if n := len(c.out); n > 0 && c.out[n-1] == ',' {
		c.at--
		c.out = c.out[:n-1]
	}
	c.read = c.at
}

// shortString is the minimum space for a part of a string. With less space, the string is omitted.
const shortString = 40

// cutString copies the beginning of a string of n bytes and adds a marker.
func (c *cutter) cutString(n int) {
	token := c.text[c.at : c.at+n]
	end := min(c.most-len(c.out), n-1)
	for end > 1 && !utf8.RuneStart(token[end]) {
		end--
	}
	if start := escapeBefore(token, end); start >= 0 {
		end = start
	}
	c.fill()
	c.out = append(c.out, token[:end]...)
	c.out = append(c.out, fmt.Sprintf(`… [%d more bytes]"`, n-1-end)...)
	c.read = c.at + end
	c.at += n
}

// escapeBefore returns the offset of an escape sequence that a cut at end would split, or
// -1. A surrogate pair counts as one sequence.
func escapeBefore(token []byte, end int) int {
	for i := 1; i < end; {
		if token[i] != '\\' {
			i++
			continue
		}
		length := 2
		if token[i+1] == 'u' {
			length = 6
			if strings.ContainsRune("89abAB", rune(token[i+3])) && (token[i+2] == 'd' || token[i+2] == 'D') && token[i+6] == '\\' {
				length = 12
			}
		}
		if i+length > end {
			return i
		}
		i += length
	}
	return -1
}

// count counts the omitted elements of each open container, and closes the containers.
func (c *cutter) count() {
	if len(c.open) == 0 {
		return
	}
	depth := len(c.open) // number of open containers at the current offset
	// element reports whether the next token begins an element of its container.
	element := c.at >= len(c.text) || c.text[c.at] != ',' && c.text[c.at] != ']' && c.text[c.at] != '}'
	for c.at < len(c.text) {
		n := 1
		switch c.text[c.at] {
		case '[', '{':
			c.leave(depth, element)
			depth++
			element = true
		case ']', '}':
			if depth <= len(c.open) {
				c.close(depth)
			}
			depth--
			element = false
		case ',':
			element = true
		case ':':
			element = false
		default:
			n = tokenLength(c.text[c.at:])
			c.leave(depth, element)
			element = false
		}
		c.at += n
	}
}

// leave counts an omitted element of an open container.
func (c *cutter) leave(depth int, element bool) {
	if element && depth == len(c.open) && depth > 0 {
		c.open[depth-1].left++
	}
}

// close closes the innermost container, with a marker if elements were omitted.
func (c *cutter) close(depth int) {
	last := c.open[depth-1]
	end := byte(']')
	if last.object {
		end = '}'
	}
	if last.left > 0 {
		if last.filled {
			c.out = append(c.out, ',')
		}
		if last.object {
			c.out = append(c.out, fmt.Sprintf(`"…":"%d more"`, last.left)...)
		} else {
			c.out = append(c.out, fmt.Sprintf(`"… %d more"`, last.left)...)
		}
	}
	c.out = append(c.out, end)
	c.open = c.open[:depth-1]
}

// tokenLength returns the length of the string, number or literal at the beginning of text.
func tokenLength(text []byte) int {
	if text[0] != '"' {
		for i, b := range text {
			switch b {
			case ',', ':', ']', '}':
				return i
			}
		}
		return len(text)
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}
