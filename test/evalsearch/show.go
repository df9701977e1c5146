package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/toolscript/toolscript/actors/search/index"
)

var columns = []struct {
	name string
	pick func(measures) float64
}{
	{"hit@1", func(m measures) float64 { return m.hit1 }},
	{"hit@3", func(m measures) float64 { return m.hit3 }},
	{"hit@5", func(m measures) float64 { return m.hit5 }},
	{"MRR@10", func(m measures) float64 { return m.mrr }},
	{"nDCG@10", func(m measures) float64 { return m.ndcg }},
}

// show prints a table for each measure, and then the gain of hybrid over decision.
func show(out io.Writer, results []result, questions []question) {
	names, members := kinds(questions)
	for _, column := range columns {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(table, "%s, %%\t", column.name) //nolint:errcheck // reported by Flush
		for _, name := range names {
			fmt.Fprintf(table, "%s (%d)\t", name, len(members[name])) //nolint:errcheck // reported by Flush
		}
		fmt.Fprint(table, "macro\t95 %\t\n") //nolint:errcheck // reported by Flush
		for _, r := range results {
			fmt.Fprintf(table, "%s\t", r.name) //nolint:errcheck // reported by Flush
			values := pick(r, column.pick)
			for _, name := range names {
				fmt.Fprintf(table, "%.1f\t", 100*mean(values, members[name])) //nolint:errcheck // reported by Flush
			}
			low, high := interval(values, names, members)
			fmt.Fprintf(table, "%.1f\t%.1f to %.1f\t\n", macro(values, members), low, high) //nolint:errcheck // reported by Flush
		}
		if err := table.Flush(); err != nil {
			return // nobody reads the output
		}
		fmt.Fprintln(out) //nolint:errcheck // the reader may have ended
	}
	gain(out, results, names, members)
}

func pick(r result, of func(measures) float64) []float64 {
	values := make([]float64, len(r.answers))
	for i, m := range r.answers {
		values[i] = of(m)
	}
	return values
}

// gain compares question by question, so that the difficulty of questions does not matter.
func gain(out io.Writer, results []result, names []string, members map[string][]int) {
	byName := map[string]result{}
	for _, r := range results {
		byName[r.name] = r
	}
	for _, column := range columns[:3] {
		values := pick(byName["hybrid"], column.pick)
		for i, v := range pick(byName["decision"], column.pick) {
			values[i] -= v
		}
		low, high := interval(values, names, members)
		fmt.Fprintf(out, "hybrid over decision, %s: %+.1f points (95 %%: %+.1f to %+.1f)\n", column.name, macro(values, members), low, high) //nolint:errcheck // the reader may have ended
	}
}

// showOwn prints the results for each kind of own queries: for the half by which weights and word
// lists are chosen, and for the held-out half.
func showOwn(out io.Writer, name string, questions []question) error {
	names, members := kinds(questions)
	fmt.Fprintf(out, "\n%s; hit@1, hit@3 and hit@5, %%\n", name) //nolint:errcheck // the reader may have ended
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "ranker\tkind\ttuning half\t@1\t@3\t@5\theld out\t@1\t@3\t@5\t\n") //nolint:errcheck // reported by Flush
	for _, r := range rankers {
		if r.name != "lexical" && r.name != "hybrid" {
			continue
		}
		answers := ask(r, questions)
		for _, kind := range names {
			fmt.Fprintf(table, "%s\t%s\t", r.name, kind) //nolint:errcheck // reported by Flush
			for _, half := range halves(members[kind]) {
				fmt.Fprintf(table, "%d\t", len(half)) //nolint:errcheck // reported by Flush
				for _, column := range columns[:3] {
					fmt.Fprintf(table, "%.1f\t", 100*mean(pick(answers, column.pick), half)) //nolint:errcheck // reported by Flush
				}
			}
			fmt.Fprintln(table) //nolint:errcheck // reported by Flush
		}
	}
	return table.Flush()
}

// halves returns the questions with even and with odd indexes.
func halves(of []int) (both [2][]int) {
	for i, q := range of {
		both[i%2] = append(both[i%2], q)
	}
	return both
}

// showMisses prints the queries that hybrid answers wrongly, except those of the held-out half.
func showMisses(out io.Writer, questions []question) {
	names, members := kinds(questions)
	for _, kind := range names {
		for _, i := range halves(members[kind])[0] {
			q := questions[i]
			ids := searchFor(q, index.DefaultAlpha, true)
			if judge(q.Query, ids).hit3 == 0 {
				fmt.Fprintf(out, "%s %q: %s, want %s\n", kind, q.Query.Query, strings.Join(ids[:min(5, len(ids))], " "), strings.Join(q.Relevant, " ")) //nolint:errcheck // the reader may have ended
			}
		}
	}
}
