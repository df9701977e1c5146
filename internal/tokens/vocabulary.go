package tokens

import (
	_ "embed" // the vocabulary
)

//go:generate go run ../../release/generate tokens

// vocabulary has three parts, all numbers little-endian:
//
//   - slots numbers of 32 bits, a hash table with linear probing: the upper bits of the hash
//     of a token, and below them its rank + 1 in rankBits bits; 0 is an empty slot
//   - words + 1 numbers of 32 bits: where the text of the token of each rank begins, and
//     where the last one ends
//   - the texts of the tokens
//
//go:embed o200k_base.bin
var vocabulary string

const (
	slots    = 1 << 18
	rankBits = 18
	rankMask = 1<<rankBits - 1
	words    = 199998
	starts   = 4 * slots
	texts    = starts + 4*(words+1)
)

// rank returns the rank of a token. Parts of a text are joined in the order of their ranks.
func rank(token []byte) (uint32, bool) {
	h := hash(token)
	for slot := h % slots; ; slot = (slot + 1) % slots {
		found := number(4 * int(slot))
		if found == 0 {
			return 0, false
		}
		if (found^h)&^rankMask != 0 {
			continue
		}
		r := found&rankMask - 1
		at := starts + 4*int(r)
		if vocabulary[texts+int(number(at)):texts+int(number(at+4))] == string(token) {
			return r, true
		}
	}
}

func number(at int) uint32 {
	b := vocabulary[at : at+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// hash returns the 64-bit FNV-1a hash, folded to 32 bits. internal/pack has the same function.
func hash(token []byte) uint32 {
	h := uint64(14695981039346656037)
	for _, b := range token {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return uint32(h>>32) ^ uint32(h)
}
