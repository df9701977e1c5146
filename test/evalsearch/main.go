// Command evalsearch measures how good search is: it asks the queries of public
// sets, each with the tools that are right answers, of five rankers and prints
// how they do.
//
//	go run ./test/evalsearch ../shared/data/retrieval
//
// The folder holds NAME.tools.jsonl, the tools of a set, a line each:
//
//	{"id": "server__tool", "server": "server", "tool": "tool", "description": "…", "params": [["name", "description"]]}
//
// and NAME.queries.ANYTHING.jsonl:
//
//	{"query": "…", "relevant": ["server__tool"], "kind": "step"}
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/toolscript/toolscript/test/retrieval"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("evalsearch: ")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, dir string) error {
	if dir == "" {
		return errors.New("name the folder of the sets: evalsearch DIR")
	}
	sets, err := retrieval.Read(dir)
	if err != nil {
		return err
	}
	var asked []question
	for _, s := range sets {
		questions, err := prepare(ctx, s)
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
	return nil
}
