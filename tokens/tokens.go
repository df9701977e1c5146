// Package tokens counts the tokens of texts with the vocabulary o200k_base of OpenAI,
// byte for byte as tiktoken does. The vocabulary is embedded in the form in which it is
// read, so that counting needs neither a start nor memory.
package tokens

import "unicode/utf8"

// MostExact is the length in bytes up to which Count counts a whole text.
const MostExact = 64 << 10

// A longer text is counted in samples.
const (
	samples    = 16
	sampleSize = MostExact / samples
)

// Count returns the tokens of a text. Of a text longer than MostExact it counts samples at
// equal distances, MostExact bytes in all, and takes them for the rest too; exact is then
// false.
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
	if read == 0 { // no character begins in the samples: the text is not UTF-8
		return len(text), false
	}
	return int(float64(counted) / float64(read) * float64(len(text))), false
}

// count returns the tokens of a text of any length.
func count(text []byte) (n int) {
	for len(text) > 0 {
		size := piece(text)
		n += pieceTokens(text[:size])
		text = text[size:]
	}
	return n
}

// pieceTokens returns the tokens of a piece, which no token crosses the ends of.
func pieceTokens(piece []byte) int {
	if _, known := rank(piece); known {
		return 1
	}
	if len(piece) <= shortPiece {
		return mergeShort(piece)
	}
	return mergeLong(piece)
}
