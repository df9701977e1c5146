package answer

import "bytes"

// last describes the end of the code before pos. The lexer needs it for slashes: a slash after
// an operand is a division, and any other slash begins a regular expression.
type last struct {
	operand   bool
	newline   bool // a line end follows the last token
	member    bool // a dot: the next word is a name, even if it is a keyword
	statement bool // if, while, for or with: a statement follows the closing parenthesis
	number    bool
	sign      byte // + or -
	signAt    int  // offset of the sign
	before    bool // an operand precedes the sign
}

// lex reads one part of the script. It returns false if more text is needed, and at the
// end of the block.
func (d *Detector) lex() bool {
	switch d.block.state {
	case inCode:
		return d.lexCode()
	case inWord:
		return d.lexWord()
	case inString:
		return d.lexString(d.buf[d.block.from-d.base()])
	case inTemplate:
		return d.lexTemplate()
	case inLineComment:
		return d.lexLineComment()
	case inBlockComment:
		return d.lexBlockComment()
	case inRegexp, inClass:
		return d.lexRegexp()
	case inTail:
		return d.lexTail()
	}
	return false
}

func (d *Detector) lexCode() bool {
	b := &d.block
	c := d.buf[d.pos]
	if b.fence.size > 0 && b.line >= 0 && c == b.fence.char {
		if found := d.closingFence(); found != absent {
			return found == present
		}
	}
	switch {
	case c == '\n' || c == '\r':
		b.last.newline = true
		d.pos++
		b.line = d.base() + d.pos
		return true
	case isSpace(c):
		d.pos++
		return true
	}
	b.line = -1
	switch {
	case c == '/':
		return d.lexSlash()
	case c == '<':
		return d.lexAngle()
	case isWord(c):
		b.state, b.word = inWord, d.base()+d.pos
	case c == '"' || c == '\'':
		b.enter(inString, d.base()+d.pos)
		d.pos++
	case c == '`':
		b.enter(inTemplate, d.base()+d.pos)
		d.pos++
	default:
		b.punctuation(c, d.base()+d.pos)
		d.pos++
	}
	return true
}

// enter starts a string, template, comment or regular expression at an offset.
func (b *block) enter(s state, from int) { b.state, b.from = s, from }

// lexAngle reads an angle bracket: the start of a tag, or an operator.
func (d *Detector) lexAngle() bool {
	b := &d.block
	opening, closing := d.tag(d.pos, openTag), d.tag(d.pos, closeTag)
	switch {
	case closing == present:
		d.closeBlock()
		return false
	case opening == undecided || closing == undecided:
		return false
	case opening == present:
		b.fail(nestedProblem, d.base()+d.pos)
		d.pos += len(openTag) - 1
	}
	b.punctuation('<', d.base()+d.pos)
	d.pos++
	return true
}

// lexSlash reads a slash: the start of a comment or regular expression, or a division.
func (d *Detector) lexSlash() bool {
	b := &d.block
	if d.pos+1 == len(d.buf) && !d.final {
		return false
	}
	var next byte
	if d.pos+1 < len(d.buf) {
		next = d.buf[d.pos+1]
	}
	at := d.base() + d.pos
	d.pos++
	switch {
	case next == '/':
		b.enter(inLineComment, at)
		d.pos++
	case next == '*':
		b.enter(inBlockComment, at)
		d.pos++
	case !b.last.operand:
		b.enter(inRegexp, at)
	default:
		b.punctuation('/', at)
	}
	return true
}

// closingFence reports whether the line at pos closes the fence around the code: only
// white space or the closing tag may follow the run.
func (d *Detector) closingFence() presence {
	b := &d.block
	rest := d.buf[d.pos:]
	n := runLength(rest[:min(len(rest), maxPrefix)], b.fence.char)
	i := n
	for i < min(len(rest), maxPrefix) && (rest[i] == ' ' || rest[i] == '\t') {
		i++
	}
	switch {
	case i == maxPrefix:
		return absent
	case i == len(rest) && !d.final:
		return undecided
	case n < b.fence.size:
		return absent
	case i < len(rest) && rest[i] != '\n' && rest[i] != '\r':
		if found := d.tag(d.pos+i, closeTag); found != present {
			return found
		}
	}
	b.closed = b.line
	b.state = inTail
	d.pos += i
	return present
}

// lexTail looks for the closing tag after the fence. If other text comes first, the
// fence is part of the script.
func (d *Detector) lexTail() bool {
	b := &d.block
	for ; d.pos < len(d.buf); d.pos++ {
		c := d.buf[d.pos]
		if isSpace(c) {
			continue
		}
		if c == '<' {
			opening, closing := d.tag(d.pos, openTag), d.tag(d.pos, closeTag)
			if closing == present {
				d.closeBlock()
				return false
			}
			if opening == undecided || closing == undecided {
				return false
			}
			if opening == present {
				b.fail(nestedProblem, d.base()+d.pos)
			}
		}
		if b.closed >= 0 {
			b.closed, b.code = -1, b.start+len(openTag)
		}
	}
	return true
}

// operatorWords are the keywords after which an expression or a type may follow.
var operatorWords = map[string]bool{
	"await": true, "case": true, "default": true, "delete": true, "do": true, "else": true, "extends": true, "in": true,
	"instanceof": true, "keyof": true, "new": true, "of": true, "return": true, "throw": true, "typeof": true, "void": true,
	"yield": true, "as": true, "satisfies": true,
}

// lexWord reads a word or a number.
func (d *Detector) lexWord() bool {
	b := &d.block
	for d.pos < len(d.buf) && isWord(d.buf[d.pos]) {
		d.pos++
	}
	if d.pos == len(d.buf) && !d.final {
		return false
	}
	word := string(d.buf[b.word-d.base() : min(d.pos, b.word-d.base()+maxKeyword)])
	statement := word == "if" || word == "while" || word == "for" || word == "with" || word == "await" && b.last.statement
	b.last = last{
		operand:   b.last.member || !operatorWords[word],
		statement: statement && !b.last.member,
		number:    word[0] >= '0' && word[0] <= '9',
	}
	b.state = inCode
	return true
}

// maxKeyword exceeds the length of every keyword.
const maxKeyword = 16

// punctuation reads a byte that is not part of a word, space, string, comment or
// regular expression.
func (b *block) punctuation(c byte, at int) {
	was := b.last
	b.last = last{}
	switch c {
	case '(', '[', '{':
		if len(b.brackets) == maxBrackets {
			b.fail(nestingProblem, at)
			b.state = inTail
			return
		}
		b.brackets = append(b.brackets, bracket{char: c, statement: was.statement && c == '('})
	case ')', ']', '}':
		b.closeBracket(c)
	case '+', '-': // a++ / b
		b.last.sign, b.last.signAt, b.last.before = c, at, was.operand
		if was.sign == c && was.signAt == at-1 {
			b.last = last{operand: was.before}
		}
	case '!': // a! / b
		b.last.operand = was.operand && !was.newline
	case '<': // a slash after < does not begin a regular expression: </tool-calls > is a misspelt tag
		b.last.operand = true
	case '.':
		b.last.member = true
		b.last.operand = was.number // 1./2
	}
}

func (b *block) closeBracket(c byte) {
	b.last.operand = true
	n := len(b.brackets)
	if n == 0 {
		return
	}
	top := b.brackets[n-1]
	switch {
	case top.char != '$':
		b.brackets = b.brackets[:n-1]
		b.last.operand = !top.statement
	case c == '}':
		b.brackets = b.brackets[:n-1]
		b.enter(inTemplate, top.from)
	}
}

// lexString skips the rest of a string.
func (d *Detector) lexString(quote byte) bool {
	i := bytes.IndexAny(d.buf[d.pos:], "\\\r\n\"'")
	if i < 0 {
		d.pos = len(d.buf)
		return true
	}
	d.pos += i
	switch c := d.buf[d.pos]; c {
	case '\\':
		return d.escape()
	case quote, '\n', '\r': // an unfinished string ends at the end of its line
		d.block.leave(true)
		if c != quote {
			return true
		}
	}
	d.pos++
	return true
}

// leave ends a string, template or regular expression.
func (b *block) leave(operand bool) {
	b.state = inCode
	b.last = last{operand: operand}
}

// escape skips a backslash and the byte after it, or CR LF after it.
func (d *Detector) escape() bool {
	rest := d.buf[d.pos:]
	n := 2
	if len(rest) > 1 && rest[1] == '\r' {
		if len(rest) == 2 && !d.final {
			return false
		}
		if len(rest) > 2 && rest[2] == '\n' {
			n = 3
		}
	}
	if len(rest) < 2 && !d.final {
		return false
	}
	d.pos += min(n, len(rest))
	return true
}

func (d *Detector) lexTemplate() bool {
	b := &d.block
	i := bytes.IndexAny(d.buf[d.pos:], "\\`$")
	if i < 0 {
		d.pos = len(d.buf)
		return true
	}
	d.pos += i
	switch d.buf[d.pos] {
	case '\\':
		return d.escape()
	case '`':
		b.leave(true)
	case '$':
		if d.pos+1 == len(d.buf) && !d.final {
			return false
		}
		if d.pos+1 < len(d.buf) && d.buf[d.pos+1] == '{' {
			from := b.from
			b.leave(false)
			b.punctuation('{', d.base()+d.pos)
			if n := len(b.brackets); b.state == inCode {
				b.brackets[n-1].char, b.brackets[n-1].from = '$', from
			}
			d.pos++
		}
	}
	d.pos++
	return true
}

func (d *Detector) lexLineComment() bool {
	i := bytes.IndexAny(d.buf[d.pos:], "\r\n\u2028\u2029")
	switch {
	case i >= 0:
		d.pos += i
		d.block.state = inCode
		return true
	case d.final:
		d.pos = len(d.buf)
		return true
	}
	// The end of the text may cut U+2028 or U+2029.
	for n := 1; n <= 2 && d.pos < len(d.buf)-n+1; n++ {
		if d.buf[len(d.buf)-n] == 0xE2 {
			d.pos = len(d.buf) - n
			return false
		}
	}
	d.pos = len(d.buf)
	return true
}

func (d *Detector) lexBlockComment() bool {
	rest := d.buf[d.pos:]
	i := bytes.Index(rest, []byte("*/"))
	switch {
	case i >= 0:
		d.pos += i + 2
		d.block.state = inCode
	case rest[len(rest)-1] == '*' && !d.final:
		d.pos = len(d.buf) - 1
		return false
	default:
		d.pos = len(d.buf)
	}
	return true
}

func (d *Detector) lexRegexp() bool {
	b := &d.block
	i := bytes.IndexAny(d.buf[d.pos:], "\\[]/\r\n")
	if i < 0 {
		d.pos = len(d.buf)
		return true
	}
	d.pos += i
	switch c := d.buf[d.pos]; {
	case c == '\\':
		if next := d.pos + 1; next < len(d.buf) && (d.buf[next] == '\r' || d.buf[next] == '\n') {
			d.pos++ // handle the line end next
			return true
		}
		return d.escape()
	case c == '\n' || c == '\r': // the slash was a division: a regular expression has no line ends
		b.leave(false)
		return true
	case c == '[':
		b.state = inClass
	case c == ']':
		b.state = inRegexp
	case b.state == inRegexp:
		b.leave(true)
		b.last.member = true // the flags are not a keyword
	}
	d.pos++
	return true
}

// isWord reports whether a byte can be part of a word or number.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '#' || c == '@' || c == '\\' || c >= 0x80
}
