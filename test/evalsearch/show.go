package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

var columns = []struct {
	name string
	pick func(measures) float64
}{
	{"hit@1", func(m measures) float64 { return m.hit1 }},
	{"hit@5", func(m measures) float64 { return m.hit5 }},
	{"MRR@10", func(m measures) float64 { return m.mrr }},
	{"nDCG@10", func(m measures) float64 { return m.ndcg }},
}

// show prints a table for each measure, then what hybrid gains over decision.
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
			return // nobody reads any more
		}
		fmt.Fprintln(out) //nolint:errcheck // nobody may read any more
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

// gain compares question by question, which leaves out how hard each is.
func gain(out io.Writer, results []result, names []string, members map[string][]int) {
	byName := map[string]result{}
	for _, r := range results {
		byName[r.name] = r
	}
	for _, column := range columns[:2] {
		values := pick(byName["hybrid"], column.pick)
		for i, v := range pick(byName["decision"], column.pick) {
			values[i] -= v
		}
		low, high := interval(values, names, members)
		fmt.Fprintf(out, "hybrid over decision, %s: %+.1f points (95 %%: %+.1f to %+.1f)\n", column.name, macro(values, members), low, high) //nolint:errcheck // nobody may read any more
	}
}
