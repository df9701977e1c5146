//go:build (linux || darwin || windows) && (amd64 || arm64)

// Command toolscript-llama computes embeddings with a GGUF model for a gateway, which
// starts it; see actors/search/embedding for the protocol. No other package may
// import kelindar/search: it panics before main if its C library is missing, and makes a
// program depend on the system's C library.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/kelindar/search"

	"github.com/toolscript/toolscript/actors/search/embedding"
	"github.com/toolscript/toolscript/internal/texts"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("toolscript-llama is started by a gateway, with --search-model FILE.gguf")
	}
	requests := make(chan embedding.Request)
	go read(in, requests) // from the start, because the gateway may end while the model loads
	model, err := search.NewVectorizer(args[0], 0)
	if err != nil {
		return err
	}
	probe, err := embed(model, "hello")
	if err != nil {
		return err
	}
	if err := embedding.WriteFrame(out, embedding.Hello{Dim: len(probe)}); err != nil {
		return err
	}
	for r := range requests {
		if err := embedding.WriteFrame(out, answer(model, r)); err != nil {
			return err
		}
	}
	return nil
}

// read reads requests, and ends the process when the gateway closes the pipe.
func read(in io.Reader, requests chan<- embedding.Request) {
	for {
		var r embedding.Request
		if err := embedding.ReadFrame(in, &r); err != nil {
			if errors.Is(err, io.EOF) {
				os.Exit(0)
			}
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		requests <- r
	}
}

func answer(model *search.Vectorizer, r embedding.Request) embedding.Answer {
	vector, err := embed(model, r.Text)
	if err != nil {
		return embedding.Answer{Error: err.Error()}
	}
	return embedding.Answer{Vector: vector}
}

// embed halves a text with too many tokens until it fits, because the library does not
// report the limit.
func embed(model *search.Vectorizer, text string) ([]float32, error) {
	for {
		vector, err := model.EmbedText(text)
		if err == nil || len(text) < 2 || !strings.Contains(err.Error(), "exceeds batch size") {
			return vector, err
		}
		text = texts.Cut(text, len(text)/2)
	}
}
