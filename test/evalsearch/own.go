package main

import (
	"bytes"
	"context"
	_ "embed" // for the queries
	"encoding/json"
	"fmt"
	"os"
	"path"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/test/retrieval"
	"github.com/toolscript/toolscript/test/toolslist"
)

//go:embed testdata/queries.jsonl
var ownQueries []byte

// ownQuery is one line of the project's own queries.
type ownQuery struct {
	Kind, Query string
	Tools       []string // ids of the right tools, or patterns of ids
}

// own runs the project's own queries.
func own(ctx context.Context, e *embedder, misses bool) error {
	tools, name, err := ownTools(".")
	if err != nil {
		return err
	}
	s, err := ownSet(tools, name)
	if err != nil {
		return err
	}
	asked, err := prepare(ctx, e, s)
	if err != nil {
		return err
	}
	if misses {
		showMisses(os.Stdout, asked)
	}
	return showOwn(os.Stdout, s.Name, asked)
}

// ownSet returns the own queries for which the tools contain a right answer.
func ownSet(tools []toolscript.Tool, name string) (retrieval.Set, error) {
	s := retrieval.Set{Tools: tools}
	total := 0
	err := eachOwn(func(q ownQuery) error {
		total++
		if relevant := matching(tools, q.Tools); len(relevant) > 0 {
			s.Queries = append(s.Queries, retrieval.Query{Query: q.Query, Kind: q.Kind, Relevant: relevant})
		}
		return nil
	})
	s.Name = fmt.Sprintf("%d of %d own queries over the %d tools of %s", len(s.Queries), total, len(tools), name)
	return s, err
}

func eachOwn(use func(ownQuery) error) error {
	n := 0
	for line := range bytes.Lines(ownQueries) {
		n++
		var q ownQuery
		if err := json.Unmarshal(line, &q); err != nil {
			return fmt.Errorf("own query %d: %w", n, err)
		}
		if err := use(q); err != nil {
			return err
		}
	}
	return nil
}

func matching(tools []toolscript.Tool, patterns []string) []string {
	var ids []string
	for _, t := range tools {
		for _, p := range patterns {
			if ok, err := path.Match(p, t.ID()); ok && err == nil {
				ids = append(ids, t.ID())
				break
			}
		}
	}
	return ids
}

// ownTools returns the tools of the shared schemas if they exist, or else those of the excerpt in
// this repository.
func ownTools(root string) ([]toolscript.Tool, string, error) {
	dir := toolslist.Shared(root)
	if dir == "" {
		tools, err := toolslist.Excerpt(root)
		return tools, "the repository's excerpt", err
	}
	lists, err := toolslist.Read(dir)
	var tools []toolscript.Tool
	for _, l := range lists {
		tools = append(tools, l.Tools...)
	}
	return tools, "all shared schemas", err
}
