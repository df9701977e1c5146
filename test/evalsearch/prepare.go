package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/actors/search/lexical"
	"github.com/toolscript/toolscript/actors/search/minilm"
	"github.com/toolscript/toolscript/test/retrieval"
)

// collection is an indexed set.
type collection struct {
	tools []toolscript.Tool
	index *index.Index
	words *lexical.Index
	first [][]float32 // the vectors of the tools' first texts, for the ranker of the decision
}

// question is a query with what all rankers need of it.
type question struct {
	retrieval.Query
	in     *collection
	vector []float32
}

// prepare embeds a set and its queries, and prints on stderr what that costs.
func prepare(ctx context.Context, s retrieval.Set) ([]question, error) {
	engine := minilm.NewEngine(0, nil)
	defer engine.Close()
	embedder := memo{engine, map[string][]float32{}}
	catalog := toolscript.NewCatalog(1, nil, s.Tools)
	in := &collection{tools: catalog.Tools(), index: index.New(catalog, nil)}
	if err := in.embed(ctx, embedder, s.Name); err != nil {
		return nil, err
	}
	before := cpuTime()
	var questions []question
	for _, q := range s.Queries {
		vector, err := index.EmbedQuery(ctx, engine, q.Query)
		if err != nil {
			return nil, err
		}
		questions = append(questions, question{q, in, vector})
	}
	fmt.Fprintf(os.Stderr, "%s: %d queries, %.1f ms of CPU each\n", s.Name, len(questions), ms(cpuTime()-before)/float64(max(len(questions), 1)))
	return questions, nil
}

func (c *collection) embed(ctx context.Context, embedder memo, name string) error {
	model, err := minilm.Open()
	if err != nil {
		return err
	}
	var texts []string
	var fields []lexical.Document
	tokens := 0
	before := cpuTime()
	for _, t := range c.tools {
		d := index.Describe(t)
		for _, text := range d.Texts {
			tokens += model.Tokens(minilm.Readable(text), minilm.Options{})
		}
		texts, fields = append(texts, d.Texts[0]), append(fields, d.Fields())
	}
	vectors, err := index.Embed(ctx, embedder, c.index.Missing())
	if err != nil {
		return err
	}
	spent := ms(cpuTime() - before)
	fmt.Fprintf(os.Stderr, "%s: %d tools, %d tokens, %.2f ms of CPU a token\n", name, len(c.tools), tokens, spent/float64(max(tokens, 1)))
	c.index, c.words = c.index.With(vectors), lexical.New(fields)
	c.first, err = embedder.whole(ctx, texts)
	return err
}

// memo embeds no text twice.
type memo struct {
	*minilm.Engine
	known map[string][]float32
}

func (m memo) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var unknown []string
	for _, text := range texts {
		if m.known[text] == nil {
			unknown = append(unknown, text)
		}
	}
	embedded, err := m.Engine.Embed(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for i, text := range unknown {
		m.known[text] = embedded[i]
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = m.known[text]
	}
	return vectors, nil
}

// whole embeds all of the texts, also what the model cannot read.
func (m memo) whole(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if minilm.Readable(text) == text && m.known[text] != nil {
			vectors[i] = m.known[text]
			continue
		}
		var err error
		if vectors[i], err = m.EmbedQuery(ctx, text); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
