package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/actors/search/lexical"
	"github.com/toolscript/toolscript/test/retrieval"
)

// collection is a set with an index of its tools.
type collection struct {
	name  string
	tools []toolscript.Tool
	index *index.Index
	words *lexical.Index
	first [][]float32 // vectors of the tools' first texts, for the ranker decision
}

// question is a query with the data that the rankers need.
type question struct {
	retrieval.Query
	in     *collection
	vector []float32
}

// prepare embeds a set and its queries, and prints the cost to stderr.
func prepare(ctx context.Context, e *embedder, s retrieval.Set) ([]question, error) {
	catalog := toolscript.NewCatalog(1, nil, s.Tools)
	in := &collection{name: s.Name, tools: catalog.Tools(), index: index.New(catalog, nil)}
	if err := in.embed(ctx, e); err != nil {
		return nil, err
	}
	before, computed := cpuTime(), e.computed
	var questions []question
	for _, q := range s.Queries {
		vector, err := index.EmbedQuery(ctx, e, q.Query)
		if err != nil {
			return nil, err
		}
		questions = append(questions, question{q, in, vector})
	}
	if n := e.computed - computed; n > 0 {
		fmt.Fprintf(os.Stderr, "%s: %d queries, %.1f ms of CPU each\n", s.Name, n, ms(cpuTime()-before)/float64(n))
	}
	return questions, e.save(ctx)
}

func (c *collection) embed(ctx context.Context, e *embedder) error {
	var texts []string
	var fields []lexical.Document
	for _, t := range c.tools {
		d := index.Describe(t)
		texts, fields = append(texts, d.Texts[0]), append(fields, d.Fields)
	}
	before, tokens := cpuTime(), e.tokens
	vectors, err := index.Embed(ctx, e, c.index.Missing())
	if err != nil {
		return err
	}
	if n := e.tokens - tokens; n > 0 {
		fmt.Fprintf(os.Stderr, "%s: %d tools, %d tokens, %.2f ms of CPU a token\n", c.name, len(c.tools), n, ms(cpuTime()-before)/float64(n))
	}
	c.index, c.words = c.index.With(vectors).Weighted(weights), lexical.New(fields, lexical.DefaultWeights)
	if c.first, err = e.whole(ctx, texts); err != nil {
		return err
	}
	return e.save(ctx)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
