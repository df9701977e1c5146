package answer

import "bytes"

// block is an open block. Its offsets are relative to the message; the text from start
// on is in the buffer.
type block struct {
	start  int // offset of the opening tag
	code   int // offset of the code: after the opening tag, or after the opening line of the fence
	closed int // offset of the closing line of the fence; -1 if there is none yet
	fence  fence
	headed bool // the search for the opening line of a fence has ended
	begun  bool // the code has begun

	problem string
	at      int // offset of the text that causes problem

	state    state
	brackets []bracket
	line     int // offset of the current line if only white space precedes pos, otherwise -1
	word     int // offset of the current word
	from     int // offset of the current string, template, comment or regular expression, if state is one
	last     last
}

// state is the part of the script that pos is in.
type state uint8

const (
	inCode state = iota
	inWord
	inString // in single or double quotes
	inTemplate
	inLineComment
	inBlockComment
	inRegexp
	inClass // character class of a regular expression
	inTail  // after the closing line of the fence, or after a problem that ends lexing
)

// bracket is an open bracket.
type bracket struct {
	char      byte // ( [ { or, for the ${ of a template, $
	statement bool // a statement follows the closing bracket: if (…) /a/.test(b)
	from      int  // for $: offset of the template
}

// maxBrackets is the maximum number of open brackets, to limit the memory. The compiler accepts fewer.
const maxBrackets = 10_000

func (d *Detector) openBlock() {
	d.emitText(d.pos)
	start := d.base()
	d.pos = len(openTag)
	d.block = block{start: start, code: start + len(openTag), closed: -1, line: -1, brackets: d.block.brackets[:0]}
	d.mode = inBlock
}

// script reads the rest of the buffer as a script. It reports whether the block has ended.
func (d *Detector) script() bool {
	if !d.block.begun && !d.beginCode() {
		return false
	}
	for d.pos < len(d.buf) {
		if !d.lex() {
			return d.mode != inBlock
		}
	}
	return false
}

// beginCode skips white space, the opening line of a fence, and a line that begins with #!.
func (d *Detector) beginCode() bool {
	b := &d.block
	if !b.headed {
		if !d.codeHead() {
			return false
		}
		b.headed = true
	}
	rest := d.buf[d.pos:]
	if len(rest) < len(hashBang) && !d.final {
		return false
	}
	b.begun = true
	if bytes.HasPrefix(rest, []byte(hashBang)) {
		b.enter(inLineComment, d.base()+d.pos)
	}
	return true
}

const hashBang = "#!"

// codeHead skips white space and the opening line of a fence.
func (d *Detector) codeHead() bool {
	for d.pos < len(d.buf) && isSpace(d.buf[d.pos]) {
		d.pos++
	}
	rest := d.buf[d.pos:]
	switch {
	case len(rest) == 0:
		return d.final
	case rest[0] != '`' && rest[0] != '~':
		return true
	}
	if n := runLength(rest[:min(len(rest), minFence)], rest[0]); n < minFence {
		return n < len(rest) || d.final
	}
	end, ok := d.lineEnd(d.pos)
	if ok {
		d.openFence(rest[:end-d.pos], end)
	}
	return ok
}

// openFence records the fence around the code, if line opens one.
func (d *Detector) openFence(line []byte, end int) {
	char, size := line[0], runLength(line, line[0])
	info := bytes.TrimSpace(line[size:])
	if line[len(line)-1] != '\n' || bytes.IndexByte(info, char) >= 0 || bytes.ContainsAny(info, "<;()") {
		return
	}
	d.block.fence = fence{char: char, size: size}
	d.pos = end
	d.block.code, d.block.line = d.base()+end, d.base()+end
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// closeBlock ends the block whose closing tag begins at pos.
func (d *Detector) closeBlock() {
	b := &d.block
	end := d.pos + len(closeTag)
	codeEnd := d.pos
	if b.closed >= 0 {
		codeEnd = b.closed - d.base()
	}
	p := Piece{Kind: PieceScript}
	if b.problem != "" {
		p = Piece{Kind: PieceMalformed, Problem: b.problem, At: d.place(b.at - d.base())}
	} else {
		p.Code, p.CodeStart = d.code(b.code-d.base(), codeEnd)
	}
	d.pos = end
	d.emit(p, end)
	d.mode = inText
}

// code returns a part of the buffer without surrounding white space, and its position.
func (d *Detector) code(begin, end int) (string, Position) {
	for begin < end && isSpace(d.buf[begin]) {
		begin++
	}
	for begin < end && isSpace(d.buf[end-1]) {
		end--
	}
	return string(d.buf[begin:end]), d.place(begin)
}

// unclosed ends a block whose closing tag is missing at the end of the message.
func (d *Detector) unclosed() {
	b := &d.block
	p := Piece{Kind: PieceMalformed, At: d.at.Position, Problem: unclosed}
	switch part, from := b.inside(); {
	case b.problem != "":
		p.Problem, p.At = b.problem, d.place(b.at-d.base())
	case part != "":
		p.Problem = unclosedIn(part, d.place(from-d.base()))
	}
	d.emit(p, len(d.buf))
	d.pos, d.mode = 0, inText
}

// inside returns the kind of the unfinished part of the script that may hide a closing tag, such as a string, and its
// offset.
func (b *block) inside() (part string, from int) {
	switch b.state {
	case inTemplate:
		return "template", b.from
	case inBlockComment:
		return "comment", b.from
	default:
	}
	for _, open := range b.brackets {
		if open.char == '$' {
			return "template", open.from
		}
	}
	return "", 0
}

// fail marks the block as malformed because of the text at offset at. Only the first problem counts.
func (b *block) fail(problem string, at int) {
	if b.problem == "" {
		b.problem, b.at = problem, at
	}
}
