// Package detect finds the scripts in the answer of a model: the blocks between
// <tool-calls> and </tool-calls>. It parses neither Markdown nor TypeScript. It reads as
// much of both as is needed to know which tags are quoted, in linear time, without
// recursion, and with memory in proportion to the text.
//
// Tags are exact: lower case, no attributes, no space. Outside of a block, a tag in a
// Markdown fence or in inline code is text, and so is one after a backslash. In a block,
// a tag in a string, template, comment or regular expression belongs to the script. A
// second opening tag before the closing one, or no closing tag, makes the block
// Malformed. A closing tag without an opening one is text.
package detect

// Detector finds blocks in a message that arrives in parts. It returns each block as soon
// as its closing tag is complete. The result depends on the whole text alone, not on
// its parts, except that text may be cut anywhere (see Join). The zero value is ready
// for use. A Detector belongs to one goroutine.
type Detector struct {
	buf    []byte // text that is in no piece yet
	pos    int    // the text before it, in buf, has been read
	begun  bool   // at is set
	at     cursor // the place of buf[0]
	final  bool   // no more text comes
	mode   mode
	pieces []Piece // found in this Write

	quotes    int       // block quotes around the current line
	fence     fence     // in inFence and inFenceLine
	run       int       // length so far of the run of backticks at pos, in inSpan
	paragraph paragraph // what is known about the text after pos
	searched  lineSearch

	block block // in inBlock
}

// New returns a Detector for text that begins at start: the second text of a message
// continues the positions of the first.
func New(start Position) *Detector {
	return &Detector{begun: true, at: newCursor(start)}
}

// mode is what the text at pos is part of.
type mode uint8

const (
	atLine      mode = iota // the begin of a line outside of fences
	inText                  // a line
	inSpan                  // a run of backticks that may open inline code
	inFence                 // the begin of a line in a fence
	inFenceLine             // the rest of a line in a fence
	inBlock                 // a block
)

// Write reads the next part of the message and returns the pieces that are certain.
func (d *Detector) Write(text []byte) []Piece {
	d.buf = append(d.buf, text...)
	return d.read()
}

// Close returns the last pieces. The Detector cannot be used afterwards.
func (d *Detector) Close() []Piece {
	d.final = true
	pieces := d.read()
	if d.mode == inBlock {
		d.unclosed()
		pieces = append(pieces, d.take()...)
	}
	return pieces
}

// Detect returns the pieces of a whole message. Two pieces of text are never adjacent.
func Detect(message string) []Piece {
	var d Detector
	return Join(append(d.Write([]byte(message)), d.Close()...))
}

func (d *Detector) read() []Piece {
	if !d.begun {
		d.begun, d.at = true, newCursor(Position{})
	}
	steps := [...]func() bool{
		atLine: d.line, inText: d.text, inSpan: d.span,
		inFence: d.fenced, inFenceLine: d.fencedLine, inBlock: d.script,
	}
	for steps[d.mode]() {
	}
	if d.mode != inBlock {
		d.emitText(d.pos)
	}
	return d.take()
}

func (d *Detector) take() []Piece {
	pieces := d.pieces
	d.pieces = nil
	return pieces
}

// emitText ends a piece of text before buf[end].
func (d *Detector) emitText(end int) {
	if end == 0 {
		return
	}
	d.emit(Piece{Kind: Text}, end)
}

// emit ends a piece before buf[end].
func (d *Detector) emit(p Piece, end int) {
	p.Raw, p.Start = string(d.buf[:end]), d.at.Position
	d.at = d.at.over(d.buf[:end])
	p.End = d.at.Position
	d.pieces = append(d.pieces, p)
	d.buf = d.buf[end:]
	d.pos -= end
}

// base is the offset of buf[0] in the text of this Detector. Offsets that stay valid
// when text leaves buf are relative to the message.
func (d *Detector) base() int { return d.at.Offset }

// place returns the position of buf[i].
func (d *Detector) place(i int) Position { return d.at.over(d.buf[:i]).Position }

// lineSearch remembers how far a line was searched for its end, so that a long line that
// arrives byte by byte is read once.
type lineSearch struct{ line, read int }
