package texts

// Tokens estimates the number of tokens of a text. For English texts, JSON and source code, it is within
// ten percent of the number in OpenAI's vocabulary o200k_base. The vocabulary itself would take 3.2 MB
// of the program. See docs/design/operators.md.
func Tokens[T ~string | ~[]byte](text T) int {
	s := scanner{text: []byte(text)}
	for s.at < len(s.text) {
		s.next()
	}
	return (s.sum + 50) / 100
}

// class is the class of a byte of UTF-8.
type class uint8

const (
	symbol class = iota
	blank
	digit
	wide  // the first byte of a character of three or four bytes
	upper // letters in upper case
	lower // other letters, also the bytes of characters of two bytes
)

var classes = func() (all [256]class) {
	for i := range all {
		switch c := byte(i); {
		case c >= 'a' && c <= 'z':
			all[i] = lower
		case c >= 'A' && c <= 'Z':
			all[i] = upper
		case c >= '0' && c <= '9':
			all[i] = digit
		case c == ' ' || c >= '\t' && c <= '\r':
			all[i] = blank
		case c >= 0xe0:
			all[i] = wide
		case c >= 0x80:
			all[i] = lower
		}
	}
	return all
}()

// scanner splits a text at the places where o200k_base always begins a new token. The costs of the
// pieces are in hundredths of a token. They are means over the tools of public MCP servers,
// documents and source code.
type scanner struct {
	text   []byte
	at     int
	sum    int
	before byte // the blank or the symbol that becomes a part of the next word; 0 if there is none
}

// run consumes characters of a class and returns their number.
func (s *scanner) run(of class) int {
	from := s.at
	for s.at < len(s.text) && classes[s.text[s.at]] == of {
		s.at++
	}
	return s.at - from
}

// next consumes one piece.
func (s *scanner) next() {
	before := s.before
	s.before = 0
	if n := random(s.text[s.at:]); n > 0 {
		s.at += n
		s.sum += 64 * n
		return
	}
	switch classes[s.text[s.at]] {
	case upper, lower:
		s.word(before)
	case digit: // a blank or a symbol before it is a token
		if before != 0 {
			s.sum += 100
		}
		s.sum += 100 * ((s.run(digit) + 2) / 3)
	case blank:
		s.blanks()
	case symbol:
		s.symbols(before)
	default:
		s.wide()
	}
}

// word consumes letters in upper case and then letters in lower case. Most words after a blank are one
// token.
func (s *scanner) word(before byte) {
	from := s.at
	caps := s.run(upper)
	s.run(lower)
	n := 0
	for _, c := range s.text[from:s.at] {
		if c >= 0xc0 { // a character of two bytes
			s.sum += 12
		} else {
			n++
		}
	}
	switch {
	case caps == n && n > 1:
		s.sum += 100 + 17*(n-2)
	case caps > 1:
		s.sum += 20 + 30*n
	case before == ' ':
		s.sum += 100 + 6*max(0, n-9) + 24*max(0, n-14)
	case before != 0:
		s.sum += 100 + 11*max(0, n-2) + 15*max(0, n-14)
	default:
		s.sum += 102 + 5*max(0, n-6) + 20*max(0, n-12)
	}
}

// blanks consumes white space: one token up to the last line end, and one for the rest. The last
// blank belongs to the word or symbol after it.
func (s *scanner) blanks() {
	n := s.run(blank)
	for i := 1; i <= n; i++ {
		if s.text[s.at-i] == '\n' {
			s.sum += 100
			n = i - 1
			break
		}
	}
	if n > 0 && s.at < len(s.text) {
		s.before = ' '
		n--
	}
	if n > 0 {
		s.sum += 100
	}
}

// symbols consumes symbols and the line ends after them. A single symbol before a word belongs to the word.
func (s *scanner) symbols(before byte) {
	from := s.at
	n := s.run(symbol)
	if n == 1 && before == 0 && s.at < len(s.text) && classes[s.text[s.at]] >= upper {
		s.before = s.text[from]
		return
	}
	n = 1
	for i := from + 1; i < s.at; i++ {
		if s.text[i] != s.text[i-1] { // a line of equal symbols is one token
			n++
		}
	}
	switch {
	case n < 3, n == 4 && s.text[s.at-3] == ':': // ":{" and ":[" of JSON are one token
		s.sum += 100
	case n == 3:
		s.sum += 112
	default:
		s.sum += 190 + 55*(n-4)
	}
	for s.at < len(s.text) && (s.text[s.at] == '\n' || s.text[s.at] == '\r') {
		s.at++
	}
}

// wide consumes a character of three or four bytes.
func (s *scanner) wide() {
	size := 3
	switch c := s.text[s.at]; {
	case c >= 0xf0: // emoji
		size = 4
		s.sum += 150
	case c == 0xe2: // punctuation
		s.sum += 100
	case c <= 0xe3: // the syllables of Japanese, and scripts of India and Thailand
		s.sum += 60
	default:
		s.sum += 75
	}
	s.at = min(s.at+size, len(s.text))
}

// random returns the length of the base64, or of other characters without words, at the start of text;
// 0 if there are none. It reads at most 64 bytes, so that an estimate takes linear time.
func random(text []byte) int {
	n, changes := 0, 0
	for n < min(len(text), 64) {
		of := classes[text[n]]
		if of == blank || of == wide || of == symbol && text[n] != '+' && text[n] != '/' {
			break
		}
		if n > 0 && of != classes[text[n-1]] {
			changes++
		}
		n++
	}
	if n < 24 || 3*changes < n {
		return 0
	}
	return n
}
