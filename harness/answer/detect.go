package answer

// Detector finds the scripts in a message that arrives in parts. Scripts are the blocks
// between <tool-calls> and </tool-calls>. A Detector returns each block as soon as its
// closing tag is complete. The way in which a message is split has no influence on the
// blocks; only text between blocks may be returned in different pieces (see Join). The
// zero value is ready to use. A Detector is not safe for concurrent use.
//
// A Detector does not fully parse Markdown or TypeScript. It parses only as much as it
// needs to know which tags are quoted. It works in linear time, without recursion, and
// with memory in proportion to the text.
//
// Tags are exact: lower case, without attributes or spaces. Outside of a block, a tag in a
// Markdown fence, in inline code or after a backslash is text. In a block, a tag in a
// string, template, comment or regular expression belongs to the script. A block is a
// PieceMalformed if a second opening tag comes before the closing tag, or if there is no
// closing tag. A closing tag without an opening tag is text.
type Detector struct {
	buf    []byte // text that is not in a piece yet
	pos    int    // buf[:pos] has been read
	begun  bool   // at is set
	at     cursor // position of buf[0]
	final  bool   // no more text follows
	mode   mode
	pieces []Piece // found since the last take

	quotes    int       // number of block quotes around the current line
	fence     fence     // for inFence and inFenceLine
	run       int       // for inSpan: length so far of the run of backticks at pos
	paragraph paragraph // what was read ahead of pos
	searched  lineSearch

	block block // for inBlock
}

// NewDetector returns a Detector for text that begins at position start of its message.
func NewDetector(start Position) *Detector {
	return &Detector{begun: true, at: newCursor(start)}
}

// mode is the kind of text at pos.
type mode uint8

const (
	atLine      mode = iota // the start of a line outside of fences
	inText                  // the rest of such a line
	inSpan                  // a run of backticks that may open inline code
	inFence                 // the start of a line in a fence
	inFenceLine             // the rest of a line in a fence
	inBlock                 // a block
)

// Write reads the next part of the message and returns the pieces that are complete now.
func (d *Detector) Write(text []byte) []Piece {
	d.buf = append(d.buf, text...)
	return d.read()
}

// Close ends the message and returns the last pieces. The Detector cannot be used afterwards.
func (d *Detector) Close() []Piece {
	d.final = true
	pieces := d.read()
	if d.mode == inBlock {
		d.unclosed()
		pieces = append(pieces, d.take()...)
	}
	return pieces
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

// emitText appends buf[:end] as a piece of text, if it is not empty.
func (d *Detector) emitText(end int) {
	if end == 0 {
		return
	}
	d.emit(Piece{Kind: PieceText}, end)
}

// emit appends p with the text buf[:end] and removes that text from buf.
func (d *Detector) emit(p Piece, end int) {
	p.Raw, p.Start = string(d.buf[:end]), d.at.Position
	d.at = d.at.over(d.buf[:end])
	p.End = d.at.Position
	d.pieces = append(d.pieces, p)
	d.buf = d.buf[end:]
	d.pos -= end
}

// base returns the offset of buf[0] in the message. Offsets that must stay valid when text
// leaves buf are relative to the message.
func (d *Detector) base() int { return d.at.Offset }

// place returns the position of buf[i].
func (d *Detector) place(i int) Position { return d.at.over(d.buf[:i]).Position }

// lineSearch holds how far a line was searched for its end, so that each byte of a long line
// is read only once if the line arrives in small parts.
type lineSearch struct{ line, read int }
