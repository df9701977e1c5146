package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/toolscript/toolscript/actors/search/index"
)

// ranker orders the tools of a question's set.
type ranker struct {
	name string
	rank func(question) []string // returns tool ids, the best first
}

var rankers = []ranker{
	{"levenshtein", levenshteinNames},
	{"lexical", func(q question) []string { return searchFor(q, 0, false) }},
	{"semantic", func(q question) []string { return searchFor(q, 1, true) }},
	{"decision", decision},
	{"hybrid", func(q question) []string { return searchFor(q, index.DefaultAlpha, true) }},
}

// top is the number of results that are evaluated.
const top = 10

// searchFor ranks with the index of the program.
func searchFor(q question, alpha float64, meaning bool) []string {
	ask := index.Query{Text: q.Query.Query, Limit: top, Alpha: alpha}
	if meaning {
		ask.Vector = q.vector
	}
	var ids []string
	for _, hit := range q.in.index.Search(ask).Hits {
		ids = append(ids, hit.Tool.ID())
	}
	return ids
}

// decision is the baseline for the program's formula: 0.7 × the cosine with the first text of a
// document, plus 0.3 × BM25 relative to the best tool.
func decision(q question) []string {
	words := q.in.words.Score(q.Query.Query)
	scores := make([]float64, len(q.in.tools))
	for i := range scores {
		scores[i] = 0.7 * dot(q.vector, q.in.first[i])
		if words.Max > 0 {
			scores[i] += 0.3 * words.Documents[i] / words.Max
		}
	}
	return best(q, scores)
}

// levenshteinNames compares each word of a tool's name with the most similar word of the query, like
// a list that is filtered.
func levenshteinNames(q question) []string {
	asked := strings.FieldsFunc(strings.ToLower(q.Query.Query), func(r rune) bool { return strings.ContainsRune(" _-.,?!\"'", r) })
	scores := make([]float64, len(q.in.tools))
	for i, t := range q.in.tools {
		words := strings.FieldsFunc(strings.ToLower(t.Name), func(r rune) bool { return strings.ContainsRune("_-. ", r) })
		for _, word := range words {
			scores[i] += nearest(word, asked) / float64(len(words))
		}
	}
	return best(q, scores)
}

func nearest(word string, others []string) float64 {
	var near float64
	for _, other := range others {
		longer := max(len(word), len(other))
		near = max(near, 1-float64(levenshtein.ComputeDistance(word, other))/float64(longer))
	}
	return near
}

func best(q question, scores []float64) []string {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var ids []string
	for _, i := range order[:min(top, len(order))] {
		ids = append(ids, q.in.tools[i].ID())
	}
	return ids
}

func dot(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
