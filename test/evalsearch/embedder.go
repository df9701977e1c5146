package main

import (
	"context"
	"crypto/sha256"
	"maps"

	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
	"github.com/toolscript/toolscript/actors/search/index"
)

// embedder is the embedding model with a cache. It embeds no text twice.
type embedder struct {
	*minilm.Engine
	model    *minilm.Model      // counts tokens
	file     *search.VectorFile // nil: no cache
	known    map[index.Key][]float32
	fresh    index.Vectors
	computed int // number of texts that were embedded
	tokens   int // number of their tokens
}

func newEmbedder(cache string) *embedder {
	e := &embedder{Engine: minilm.NewEngine(0, nil), known: map[index.Key][]float32{}, fresh: index.Vectors{}}
	if cache != "" {
		e.file = &search.VectorFile{Dir: cache, Model: minilm.ID, Dim: minilm.Dim}
	}
	return e
}

func (e *embedder) close() { e.Close() }

// Embed embeds the part of each document that the model can read.
func (e *embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	readable := make([]string, len(texts))
	for i, text := range texts {
		readable[i] = minilm.Readable(text)
	}
	return e.whole(ctx, readable)
}

// EmbedQuery embeds whole queries.
func (e *embedder) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	all, err := e.whole(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// whole embeds whole texts, including words that the model cannot read.
func (e *embedder) whole(ctx context.Context, texts []string) ([][]float32, error) {
	keys := make([]index.Key, len(texts))
	for i, text := range texts {
		keys[i] = sha256.Sum256([]byte("text\x00" + text))
	}
	if e.file != nil {
		found, err := e.file.Read(keys)
		if err != nil {
			return nil, err
		}
		maps.Copy(e.known, found.Vectors)
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		if e.known[keys[i]] == nil {
			v, err := e.compute(ctx, text)
			if err != nil {
				return nil, err
			}
			e.known[keys[i]], e.fresh[keys[i]] = v, v
		}
		out[i] = e.known[keys[i]]
	}
	return out, nil
}

func (e *embedder) compute(ctx context.Context, text string) ([]float32, error) {
	if e.model == nil {
		var err error
		if e.model, err = minilm.Open(); err != nil {
			return nil, err
		}
	}
	e.computed++
	e.tokens += e.model.Tokens(text, minilm.Options{})
	return e.Engine.EmbedQuery(ctx, text)
}

// save writes the new vectors to the cache.
func (e *embedder) save(ctx context.Context) error {
	if e.file == nil || len(e.fresh) == 0 {
		return nil
	}
	fresh := e.fresh
	e.fresh = index.Vectors{}
	return e.file.Add(ctx, fresh, nil)
}
