package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/toolscript/toolscript/test/retrieval"
)

// measures holds the quality of one ranking, each figure from 0 to 1.
type measures struct {
	hit1 float64 // 1 if the first result is right
	hit3 float64 // 1 if one of the first three is right; for a task, which needs several tools, the share of them in there
	hit5 float64 // the same for the first five
	mrr  float64 // 1 / rank of the first right result among ten, or 0
	ndcg float64 // NDCG of the first ten
}

type result struct {
	name    string
	answers []measures // one for each question
}

func ask(r ranker, questions []question) result {
	out := result{name: r.name}
	for _, q := range questions {
		out.answers = append(out.answers, judge(q.Query, r.rank(q)))
	}
	return out
}

func judge(q retrieval.Query, ranking []string) measures {
	var m measures
	var three, found, gain, ideal float64
	for place, id := range ranking[:min(top, len(ranking))] {
		if !slices.Contains(q.Relevant, id) {
			continue
		}
		if place == 0 {
			m.hit1 = 1
		}
		if place < 3 {
			three++
		}
		if place < 5 {
			found++
		}
		m.mrr = max(m.mrr, 1/float64(place+1))
		gain += 1 / math.Log2(float64(place+2))
	}
	for place := range min(top, len(q.Relevant)) {
		ideal += 1 / math.Log2(float64(place+2))
	}
	m.hit3, m.hit5, m.ndcg = min(three, 1), min(found, 1), gain/ideal
	if q.Kind == "task" {
		m.hit3, m.hit5 = three/float64(len(q.Relevant)), found/float64(len(q.Relevant))
	}
	return m
}

// kinds returns the kinds of questions, and the indexes of the questions of each kind.
func kinds(questions []question) (names []string, members map[string][]int) {
	members = map[string][]int{}
	for i, q := range questions {
		if members[q.Kind] == nil {
			names = append(names, q.Kind)
		}
		members[q.Kind] = append(members[q.Kind], i)
	}
	return names, members
}

// macro returns the mean of the means of the kinds, in percent.
func macro(values []float64, members map[string][]int) float64 {
	var sum float64
	for _, of := range members {
		sum += mean(values, of)
	}
	return 100 * sum / float64(len(members))
}

func mean(values []float64, of []int) float64 {
	var sum float64
	for _, i := range of {
		sum += values[i]
	}
	return sum / float64(len(of))
}

// interval returns the 95 % bootstrap interval of macro: the questions of each kind are drawn with
// replacement.
func interval(values []float64, names []string, members map[string][]int) (low, high float64) {
	const samples = 2000
	random := rand.New(rand.NewPCG(1, 2)) // a fixed seed, for the same figures in every run
	macros := make([]float64, samples)
	for s := range macros {
		drawn := map[string][]int{}
		for _, name := range names {
			of := members[name]
			for range of {
				drawn[name] = append(drawn[name], of[random.IntN(len(of))])
			}
		}
		macros[s] = macro(values, drawn)
	}
	slices.Sort(macros)
	return macros[samples*25/1000], macros[samples*975/1000]
}
