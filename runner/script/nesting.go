package script

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNesting bounds the nesting of brackets and prefix operators. With 65,000 levels the
// compiler needs 480 MB of stack; usual scripts have fewer than 100 levels.
const maxNesting = 2000

// tooDeep returns the offset at which brackets and prefix operators nest deeper than
// maxNesting, and -1 for all other sources. It runs before any parser, because a parser
// recurses: some kilobytes of brackets overflow its stack, which ends the process.
func tooDeep(src string) int {
	s := &scanner{src: src}
	if strings.HasPrefix(src, "#!") {
		s.skipLine()
	}
	for {
		newline := s.skipSpace()
		if s.pos == len(src) {
			return -1
		}
		t := token{start: s.pos, newline: newline}
		s.next(&t)
		t.end = s.pos
		s.tokens = append(s.tokens, t)
		s.operand = s.endsExpression(t)
		if s.run++; s.operand {
			s.run = 0
		}
		if len(s.open)+s.run > maxNesting {
			return t.start
		}
	}
}

// token is a piece of source other than space and comments.
type token struct {
	kind       kind
	start, end int  // bytes in the source
	newline    bool // a line terminator precedes it
}

type kind uint8

const (
	word     kind = iota // identifier, keyword or #private name
	number               //
	text                 // string literal, or template without substitutions
	template             // template text next to a substitution
	regex                //
	punct                // longest match; brackets stand alone
)

// scanner splits TypeScript into tokens without parsing it. It accepts all texts. If only
// a parser can distinguish a regular expression from a division, the scanner guesses.
type scanner struct {
	src    string
	pos    int
	tokens []token
	open   []bracket
	closed bracket // the bracket that the last closing bracket closed

	operand bool // the last token ends an expression: a slash after it divides
	run     int  // tokens since the last operand: prefix operators nest too
}

type bracket struct {
	char      byte // ( [ { or $ for the ${ of a template
	statement bool // comes after if, while, for or with: a regular expression may follow its end
}

// next consumes one token.
func (s *scanner) next(t *token) {
	c := s.src[s.pos]
	switch {
	case c == '"' || c == '\'':
		t.kind = text
		s.quoted(c)
	case c == '`':
		t.kind = s.templateText()
	case c == '}' && s.inTemplate():
		s.close()
		s.templateText()
		t.kind = template
	case c >= '0' && c <= '9', c == '.' && s.pos+1 < len(s.src) && isDigit(s.src[s.pos+1]):
		t.kind = number
		s.number()
	case isWordByte(c) || c == '#' || c == '\\':
		t.kind = word
		s.word()
	case c == '/' && s.startsRegex(t.newline):
		t.kind = regex
		s.regex()
	default:
		t.kind = punct
		s.punct()
	}
}

func (s *scanner) quoted(quote byte) {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case '\\':
			s.pos++
			if strings.HasPrefix(s.src[min(s.pos, len(s.src)):], "\r\n") {
				s.pos++
			}
		case '\n', '\r': // an unfinished string ends at the end of the line
			return
		case quote:
			s.pos++
			return
		}
	}
	s.pos = min(s.pos, len(s.src))
}

// templateText consumes template text from a backquote or closing brace to the
// closing backquote or the next substitution.
func (s *scanner) templateText() kind {
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch {
		case s.src[s.pos] == '\\':
			s.pos++
		case s.src[s.pos] == '`':
			s.pos++
			return text
		case strings.HasPrefix(s.src[s.pos:], "${"):
			s.pos += 2
			s.open = append(s.open, bracket{char: '$'})
			return template
		}
	}
	s.pos = min(s.pos, len(s.src))
	return text
}

func (s *scanner) inTemplate() bool {
	return len(s.open) > 0 && s.open[len(s.open)-1].char == '$'
}

// number consumes digits with their fraction, exponent and suffix, but not the dot of
// a member access such as 1..toString.
func (s *scanner) number() {
	alphanumeric := func() {
		for s.pos < len(s.src) && (isWordByte(s.src[s.pos]) || isDigit(s.src[s.pos])) {
			s.pos++
		}
	}
	alphanumeric()
	if s.pos < len(s.src) && s.src[s.pos] == '.' {
		s.pos++
		alphanumeric()
	}
	if exponent := s.src[s.pos-1]; (exponent == 'e' || exponent == 'E') && s.pos < len(s.src) &&
		(s.src[s.pos] == '+' || s.src[s.pos] == '-') {
		s.pos++
		alphanumeric()
	}
}

func (s *scanner) word() {
	for s.pos < len(s.src) {
		r, size := utf8.DecodeRuneInString(s.src[s.pos:])
		switch {
		case r == '\\', r == '#' || r < utf8.RuneSelf && (isWordByte(byte(r)) || isDigit(byte(r))):
		case r >= utf8.RuneSelf && !isSpace(r):
		default:
			return
		}
		s.pos += size
	}
}

func (s *scanner) regex() {
	class := false
	for s.pos++; s.pos < len(s.src); s.pos++ {
		switch c := s.src[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '\n' || c == '\r': // a division, because a regular expression has no line ends
			return
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			s.pos++
			s.word() // flags
			return
		}
	}
	s.pos = min(s.pos, len(s.src))
}

// operators of more than one character, the longer ones first.
var operators = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	"<<", ">>", "**", "?.",
}

func (s *scanner) punct() {
	rest := s.src[s.pos:]
	for _, operator := range operators {
		optionalNumber := operator == "?." && len(rest) > 2 && isDigit(rest[2]) // a?.5:b
		if strings.HasPrefix(rest, operator) && !optionalNumber {
			s.pos += len(operator)
			return
		}
	}
	s.pos++
	switch rest[0] {
	case '(', '[', '{':
		s.open = append(s.open, bracket{char: rest[0], statement: s.afterStatementWord()})
	case ')', ']', '}':
		if len(s.open) > 0 && !s.inTemplate() {
			s.close()
		}
	}
}

func (s *scanner) close() {
	last := len(s.open) - 1
	s.open, s.closed = s.open[:last], s.open[last]
}

// skipSpace consumes space and comments and reports whether a line ended.
func (s *scanner) skipSpace() (newline bool) {
	for s.pos < len(s.src) {
		rest := s.src[s.pos:]
		switch {
		case strings.HasPrefix(rest, "//"):
			s.skipLine()
		case strings.HasPrefix(rest, "/*"):
			length := len(rest)
			if end := strings.Index(rest[2:], "*/"); end >= 0 {
				length = end + len("/**/")
			}
			newline = newline || strings.ContainsAny(rest[:length], lineTerminators)
			s.pos += length
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if !isSpace(r) {
				return newline
			}
			newline = newline || strings.ContainsRune(lineTerminators, r)
			s.pos += size
		}
	}
	return newline
}

const lineTerminators = "\n\r\u2028\u2029"

func (s *scanner) skipLine() {
	end := strings.IndexAny(s.src[s.pos:], lineTerminators)
	if end < 0 {
		end = len(s.src) - s.pos
	}
	s.pos += end
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= utf8.RuneSelf
}

func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\uFEFF' || unicode.Is(unicode.Zs, r) || strings.ContainsRune(lineTerminators, r)
}
