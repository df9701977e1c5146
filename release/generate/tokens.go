package main

import (
	"encoding/binary"
	"flag"
	"strings"

	"github.com/tiktoken-go/tokenizer"
)

// These constants are the same in package tokens.
const (
	slots    = 1 << 18
	rankBits = 18
	words    = 199998
)

// tokens writes the vocabulary that package tokens embeds, from that in the library
// tiktoken-go/tokenizer.
func tokens() error {
	out := flag.String("o", "o200k_base.bin", "the file to write")
	check := checkOnly()
	flag.Parse()
	return writeTokens(*out, *check)
}

func writeTokens(out string, check bool) error {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	packed, err := packTokens(codec)
	if err != nil {
		return err
	}
	return store(out, packed, check, "the library", "internal/tokens")
}

// packTokens returns the content of the file, whose three parts package tokens describes.
func packTokens(codec tokenizer.Codec) ([]byte, error) {
	table, starts := make([]byte, 4*slots), make([]byte, 0, 4*(words+1))
	var texts strings.Builder
	for rank := range uint32(words) {
		token, err := codec.Decode([]uint{uint(rank)})
		if err != nil {
			return nil, err
		}
		starts = binary.LittleEndian.AppendUint32(starts, uint32(texts.Len()))
		texts.WriteString(token)
		h := hashToken(token)
		slot := h % slots
		for binary.LittleEndian.Uint32(table[4*slot:]) != 0 {
			slot = (slot + 1) % slots
		}
		binary.LittleEndian.PutUint32(table[4*slot:], h>>rankBits<<rankBits|(rank+1))
	}
	starts = binary.LittleEndian.AppendUint32(starts, uint32(texts.Len()))
	return append(append(table, starts...), texts.String()...), nil
}

// hash is the same as in package tokens.
func hashToken(token string) uint32 {
	h := uint64(14695981039346656037)
	for i := range len(token) {
		h = (h ^ uint64(token[i])) * 1099511628211
	}
	return uint32(h>>32) ^ uint32(h)
}
