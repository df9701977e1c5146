package answer

import "bytes"

// fence is the opening line of a fenced code block.
type fence struct {
	char   byte // ` or ~
	size   int  // length of the run
	indent int  // columns before the run
	quotes int  // block quotes around the fence
}

// lineHead describes the start of a line.
type lineHead struct {
	prefix
	blank bool
	fence fence // fence that the line opens; size 0 if there is none
	end   int   // for a fence: offset after the line in buf
}

// line reads the start of a line outside of fences.
func (d *Detector) line() bool {
	head, ok := d.head(d.pos)
	if !ok {
		return false
	}
	d.quotes = head.quotes
	d.mode = inText
	if head.fence.size > 0 {
		d.mode, d.fence, d.pos = inFence, head.fence, head.end
	}
	return true
}

// head reads the start of the line at buf[at]. ok is false if more text is needed, or
// if there is no line.
func (d *Detector) head(at int) (h lineHead, ok bool) {
	rest := d.buf[at:]
	var complete bool
	if h.prefix, complete = readPrefix(rest, d.final); !complete {
		return h, false
	}
	rest = rest[h.length:]
	switch {
	case len(rest) == 0:
		return h, d.final && h.length > 0
	case rest[0] == '\n':
		h.blank = true
		return h, true
	case rest[0] == '\r':
		h.blank = len(rest) > 1 && rest[1] == '\n'
		return h, len(rest) > 1 || d.final
	case rest[0] == '`' || rest[0] == '~':
		return d.fenceHead(h, at)
	}
	return h, true
}

// fenceHead completes the head of a line that begins with a backtick or tilde, which may open a fence.
func (d *Detector) fenceHead(h lineHead, at int) (lineHead, bool) {
	rest := d.buf[at+h.length:]
	if n := runLength(rest[:min(len(rest), minFence)], rest[0]); n < minFence {
		return h, n < len(rest) || d.final
	}
	end, ok := d.lineEnd(at)
	if !ok {
		return h, false
	}
	rest = d.buf[at+h.length : end]
	size := runLength(rest, rest[0])
	if rest[0] == '`' && bytes.IndexByte(rest[size:], '`') >= 0 {
		return h, true // inline code
	}
	h.fence, h.end = fence{char: rest[0], size: size, indent: h.indent, quotes: h.quotes}, end
	return h, true
}

// minFence is the minimum length of a run of backticks or tildes that opens a fence.
const minFence = 3

// lineEnd returns the end of the line at buf[at], after its LF. ok is false if the line
// is incomplete.
func (d *Detector) lineEnd(at int) (end int, ok bool) {
	if d.searched.line != d.base()+at {
		d.searched = lineSearch{line: d.base() + at, read: d.base() + at}
	}
	from := d.searched.read - d.base()
	if i := bytes.IndexByte(d.buf[from:], '\n'); i >= 0 {
		return from + i + 1, true
	}
	d.searched.read = d.base() + len(d.buf)
	return len(d.buf), d.final
}

// special marks the bytes that are not plain text outside of fences.
var special = [256]bool{'\n': true, '`': true, '<': true, '\\': true}

// text reads to the end of the line, or to the start of inline code or a block.
func (d *Detector) text() bool {
	for ; d.pos < len(d.buf); d.pos++ {
		c := d.buf[d.pos]
		if !special[c] {
			continue
		}
		switch c {
		case '\n':
			d.pos++
			d.mode = atLine
			return true
		case '`':
			d.mode, d.run = inSpan, 0
			return true
		case '\\':
			if d.pos+1 == len(d.buf) && !d.final {
				return false
			}
			if d.pos+1 < len(d.buf) && escapable(d.buf[d.pos+1]) {
				d.pos++
			}
		case '<':
			switch d.tag(d.pos, openTag) {
			case present:
				d.openBlock()
				return true
			case undecided:
				return false
			default:
			}
		}
	}
	return false
}

func escapable(c byte) bool { return c == '\\' || c == '`' || c == '<' }

// presence says whether a certain text is at a position.
type presence uint8

const (
	absent presence = iota
	present
	undecided // more text is needed
)

// tag reports whether tag begins at buf[at].
func (d *Detector) tag(at int, tag string) presence {
	rest := d.buf[at:]
	n := min(len(rest), len(tag))
	switch {
	case string(rest[:n]) != tag[:n]:
		return absent
	case n == len(tag):
		return present
	case d.final:
		return absent
	}
	return undecided
}

// fenced reads the start of a line in a fence. The fence ends at a run that is at least
// as long as its own, and at the end of the block quote around it.
func (d *Detector) fenced() bool {
	rest := d.buf[d.pos:]
	indent, quotes, i := 0, 0, 0
	for ; i < len(rest) && i < maxPrefix; i++ {
		if rest[i] == '>' && quotes < d.fence.quotes {
			quotes++
			indent = 0
			continue
		}
		width := columns(rest[i], indent)
		if width == 0 {
			break
		}
		indent += width
	}
	switch {
	case i == len(rest) && !d.final, len(rest) == 0:
		return false
	case quotes < d.fence.quotes:
		d.mode = atLine
		return true
	case i == len(rest) || rest[i] != d.fence.char || indent > max(3, d.fence.indent):
		d.mode = inFenceLine
		return true
	}
	end, ok := d.lineEnd(d.pos)
	if !ok {
		return false
	}
	line := d.buf[d.pos+i : end]
	size := runLength(line, d.fence.char)
	d.mode = inFenceLine
	if size >= d.fence.size && len(bytes.TrimRight(line[size:], " \t\r\n")) == 0 {
		d.mode, d.pos = atLine, end
	}
	return true
}

// fencedLine skips the rest of a line in a fence.
func (d *Detector) fencedLine() bool {
	i := bytes.IndexByte(d.buf[d.pos:], '\n')
	if i < 0 {
		d.pos = len(d.buf)
		return false
	}
	d.pos += i + 1
	d.mode = inFence
	return true
}

func runLength(text []byte, char byte) int {
	n := 0
	for n < len(text) && text[n] == char {
		n++
	}
	return n
}
