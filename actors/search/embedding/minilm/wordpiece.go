package minilm

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/toolscript/toolscript/internal/texts"
)

// Ids of special tokens in the vocabulary.
const (
	unknownID = iota
	startID
	endID
)

const (
	maxWordRunes = 100       // longer words are unknown
	maxTextBytes = 32 * 1024 // enough to fill the longest input with any text
)

// wordpiece is the tokenizer of uncased BERT: it splits words greedily into the
// longest pieces of the vocabulary. Names of special tokens in a text are treated as
// text, because descriptions come from untrusted servers.
type wordpiece struct {
	ids map[string]int32 // pieces inside a word begin with ##
}

// Reachable reports whether the tokenizer can produce a piece of BERT's vocabulary that is not special.
// It cannot produce pieces with punctuation or ideographs inside a word.
func Reachable(piece string) bool {
	text := piece
	if inner, ok := strings.CutPrefix(piece, "##"); ok && inner != "" {
		text = "a" + inner
	}
	for word := range words(text) {
		return string(word) == text
	}
	return false
}

func newWordpiece(vocabulary string) wordpiece {
	w := wordpiece{ids: make(map[string]int32, strings.Count(vocabulary, "\n"))}
	var id int32
	for line := range strings.Lines(vocabulary) {
		w.ids[strings.TrimSuffix(line, "\n")] = id
		id++
	}
	return w
}

// encode returns at most limit ids: start, the ids of text, end. Longer text is
// truncated.
func (w wordpiece) encode(text string, limit int) []int32 {
	ids := []int32{startID}
	for word := range words(text) {
		if len(ids) >= limit-1 {
			break
		}
		ids = w.appendPieces(ids, word)
	}
	return append(ids[:min(len(ids), limit-1)], endID)
}

func (w wordpiece) appendPieces(ids []int32, word []rune) []int32 {
	if len(word) > maxWordRunes {
		return append(ids, unknownID)
	}
	before, prefix := len(ids), ""
	for start := 0; start < len(word); prefix = "##" {
		id, length := w.longest(prefix, word[start:])
		if length == 0 {
			return append(ids[:before], unknownID) // the whole word
		}
		ids = append(ids, id)
		start += length
	}
	return ids
}

// longest finds the longest prefix of word in the vocabulary and returns its id and
// its length in runes, 0 if there is none.
func (w wordpiece) longest(prefix string, word []rune) (id int32, length int) {
	piece := prefix + string(word)
	for n := len(word); n > 0; n-- {
		if id, known := w.ids[piece]; known {
			return id, n
		}
		piece = piece[:len(piece)-len(string(word[n-1]))]
	}
	return 0, 0
}

// words yields the words of text in lower case, without accents. Each punctuation
// mark and each CJK ideograph is a word. A yielded slice is valid until the next one.
func words(text string) func(yield func([]rune) bool) {
	text = texts.Cut(text, maxTextBytes) // this bounds the work
	if !isASCII(text) {
		text = norm.NFD.String(text)
	}
	return func(yield func([]rune) bool) {
		var word []rune
		flush := func() bool {
			done := word
			word = word[:0]
			return len(done) == 0 || yield(done)
		}
		for _, r := range text {
			switch {
			case unicode.IsSpace(r):
				if !flush() {
					return
				}
			case dropped(r):
			case isPunctuation(r) || isIdeograph(r):
				if !flush() || !yield([]rune{r}) {
					return
				}
			default:
				word = append(word, unicode.ToLower(r))
			}
		}
		flush()
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// dropped reports whether a rune is ignored: control and format characters,
// replacement characters, and accents split off by decomposition.
func dropped(r rune) bool {
	return r == 0 || r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Mn)
}

func isPunctuation(r rune) bool {
	if r > ' ' && r < 0x7f { // ASCII: symbols count as punctuation too
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}

// ideographs are the ranges whose runes BERT treats as single words.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1}, {Lo: 0xf900, Hi: 0xfaff, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x2a6df, Stride: 1}, {Lo: 0x2a700, Hi: 0x2ceaf, Stride: 1}, {Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1}},
}

func isIdeograph(r rune) bool { return unicode.Is(ideographs, r) }
