// Command evalsearch measures the quality of search with public sets of queries, each with its right
// tools, and with the project's own queries over the tools of real
// servers.
//
//	go run ./test/evalsearch [-cache FOLDER] ../shared/data/retrieval
//
// The folder contains NAME.tools.jsonl, the tools of a set, one per line:
//
//	{"id": "server__tool", "server": "server", "tool": "tool", "description": "…", "params": [["name", "description"]]}
//
// and NAME.queries.ANYTHING.jsonl:
//
//	{"query": "…", "relevant": ["server__tool"], "kind": "step"}
//
// Without the folder, only the project's own queries, from testdata, are run. Their tools are in the
// folder schemas next to the public sets, or else in the excerpt in this
// repository.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/test/retrieval"
)

// weights are the weights of the ranking that is measured.
var weights = index.DefaultWeights

func main() {
	log.SetFlags(0)
	log.SetPrefix("evalsearch: ")
	cache := flag.String("cache", "", "keep embeddings in this `folder`; a second run then takes seconds")
	misses := flag.Bool("misses", false, "print the own queries of the tuning half whose right tools are not among the first three")
	flag.Func("weights", "rank by other weights: a `JSON` object of what is other", func(text string) error {
		return json.Unmarshal([]byte(text), &weights)
	})
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Arg(0), *cache, *misses); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir, cache string, misses bool) error {
	if dir == "" {
		dir = retrieval.Dir(".")
	}
	e := newEmbedder(cache)
	defer e.close()
	if err := public(ctx, e, dir); err != nil {
		return err
	}
	return own(ctx, e, misses)
}

// public runs the public sets if they exist.
func public(ctx context.Context, e *embedder, dir string) error {
	if _, err := os.Stat(dir); err != nil {
		fmt.Printf("The public sets are not asked: %v\n\n", err)
		return nil
	}
	sets, err := retrieval.Read(dir)
	if err != nil {
		return err
	}
	var asked []question
	for _, s := range sets {
		questions, err := prepare(ctx, e, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		asked = append(asked, questions...)
	}
	var results []result
	for _, r := range rankers {
		results = append(results, ask(r, asked))
	}
	show(os.Stdout, results, asked)
	return crossValidate(os.Stdout, asked)
}
