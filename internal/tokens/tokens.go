// Package tokens counts the tokens of texts with OpenAI's vocabulary o200k_base,
// exactly as tiktoken does. The vocabulary is embedded in the form in which it is read,
// so that counting needs no initialization and no memory for tables. See docs/design/operators.md.
package tokens

import "unicode/utf8"

// MostExact is the maximum length, in bytes, of texts that Count counts as a whole.
const MostExact = 64 << 10

// The number and the size of the samples of longer texts.
const (
	samples    = 16
	sampleSize = MostExact / samples
)

// Count returns the number of tokens in a text. For a text longer than MostExact, it
// counts samples at equal distances, MostExact bytes in all, and extrapolates; exact is
// then false.
func Count[T ~string | ~[]byte](text T) (n int, exact bool) {
	if len(text) <= MostExact {
		return count([]byte(text)), true
	}
	counted, read := 0, 0
	for i := range samples {
		sample := []byte(text[(len(text)-sampleSize)/(samples-1)*i:])[:sampleSize]
		for len(sample) > 0 && !utf8.RuneStart(sample[0]) {
			sample = sample[1:]
		}
		counted, read = counted+count(sample), read+len(sample)
	}
	if read == 0 { // no character begins in a sample, because the text is not UTF-8
		return len(text), false
	}
	return int(float64(counted) / float64(read) * float64(len(text))), false
}

// count returns the number of tokens in a text of any length.
func count(text []byte) (n int) {
	for len(text) > 0 {
		size := piece(text)
		n += pieceTokens(text[:size])
		text = text[size:]
	}
	return n
}

// pieceTokens returns the number of tokens in a piece. Tokens never cross the ends of a piece.
func pieceTokens(piece []byte) int {
	if _, known := rank(piece); known {
		return 1
	}
	if len(piece) <= shortPiece {
		return mergeShort(piece)
	}
	return mergeLong(piece)
}
