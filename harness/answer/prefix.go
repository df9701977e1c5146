package answer

// prefix is the white space and the markers of block quotes and lists at the start of a
// line.
type prefix struct {
	length int // bytes
	indent int // columns after the last marker of a block quote
	quotes int // number of block quote markers
	list   bool
}

// maxPrefix is the maximum length of a prefix. With this limit, a line that arrives byte by byte
// is read in linear time. A longer prefix counts as text.
const maxPrefix = 1000

// readPrefix reads the prefix of a line. complete is false if the text may end within the prefix.
func readPrefix(text []byte, final bool) (p prefix, complete bool) {
	for p.length < min(len(text), maxPrefix) {
		rest := text[p.length:]
		width := columns(rest[0], p.indent)
		size := 1
		switch {
		case width > 0:
		case rest[0] == '>':
			p.quotes++
			p.indent = 0
		default:
			size = listMarker(rest)
			if size < 0 && !final {
				return p, false
			}
			if size <= 0 {
				return p, true
			}
			p.list = true
			width = size
		}
		p.length += size
		p.indent += width
	}
	return p, final || p.length >= maxPrefix
}

// columns returns the width of a white space byte at column indent; 0 for other bytes.
func columns(c byte, indent int) int {
	switch c {
	case ' ':
		return 1
	case '\t':
		return 4 - indent%4
	}
	return 0
}

// listMarker returns the length of a list marker without the space after it; 0 if there
// is no marker, and -1 if more text is needed.
func listMarker(text []byte) int {
	n := 1
	switch c := text[0]; {
	case c == '-' || c == '*' || c == '+':
	case c >= '0' && c <= '9':
		for n < len(text) && n < 9 && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		if n < len(text) && text[n] != '.' && text[n] != ')' {
			return 0
		}
		n++
	default:
		return 0
	}
	switch {
	case n >= len(text):
		return -1
	case text[n] == ' ' || text[n] == '\t':
		return n
	}
	return 0
}
