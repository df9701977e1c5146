// Command pack writes o200k_base.bin, the vocabulary that package tokens embeds, from
// the vocabulary in the library tiktoken-go/tokenizer:
//
//	go generate ./internal/tokens
//
// With -check it writes nothing and fails if the file would change.
package main

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/tiktoken-go/tokenizer"
)

// These constants are the same in package tokens.
const (
	slots    = 1 << 18
	rankBits = 18
	words    = 199998
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("pack: ")
	out := flag.String("o", "o200k_base.bin", "the file to write")
	check := flag.Bool("check", false, "fail when the file is not what would be written")
	flag.Parse()
	if err := run(*out, *check); err != nil {
		log.Fatal(err)
	}
}

func run(out string, check bool) error {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	packed, err := pack(codec)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(out, packed, 0o644) //nolint:gosec // a source file, readable like all others
	}
	got, err := os.ReadFile(out) //nolint:gosec // the developer names it
	if err == nil && !bytes.Equal(got, packed) {
		err = fmt.Errorf("%s is not what the library gives; run: go generate ./internal/tokens", out)
	}
	return err
}

// pack returns the content of the file, whose three parts package tokens describes.
func pack(codec tokenizer.Codec) ([]byte, error) {
	table, starts := make([]byte, 4*slots), make([]byte, 0, 4*(words+1))
	var texts strings.Builder
	for rank := range uint32(words) {
		token, err := codec.Decode([]uint{uint(rank)})
		if err != nil {
			return nil, err
		}
		starts = binary.LittleEndian.AppendUint32(starts, uint32(texts.Len()))
		texts.WriteString(token)
		h := hash(token)
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
func hash(token string) uint32 {
	h := uint64(14695981039346656037)
	for i := range len(token) {
		h = (h ^ uint64(token[i])) * 1099511628211
	}
	return uint32(h>>32) ^ uint32(h)
}
