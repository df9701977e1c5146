package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/toolscript/toolscript/actors/search/index"
)

// setting holds the parameters of the ranking that can be tuned.
type setting struct {
	alpha float64
	index.Weights
}

// shipped is the setting that the program uses.
var shipped = setting{index.DefaultAlpha, index.DefaultWeights}

// tunedWeights are the parameters that cross-validation chooses, with the values that it tries.
var tunedWeights = []struct {
	name   string
	of     func(*setting) *float64
	values []float64
}{
	{"alpha", func(s *setting) *float64 { return &s.alpha }, []float64{0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8}},
	{"full", func(s *setting) *float64 { return &s.Full }, []float64{0.3, 3.0 / 7, 0.6, 0.8}},
	{"named", func(s *setting) *float64 { return &s.Named }, []float64{0, 0.25, 0.5, 1}},
	{"server", func(s *setting) *float64 { return &s.Server }, []float64{0, 1.0 / 12, 1.0 / 6, 0.25, 1.0 / 3}},
	{"name", func(s *setting) *float64 { return &s.Words.Name }, []float64{1, 2, 3, 4}},
	{"parameter", func(s *setting) *float64 { return &s.Words.Parameter }, []float64{0.25, 0.5, 1}},
	{"synonym", func(s *setting) *float64 { return &s.Words.Synonym }, []float64{0, 0.3, 0.5, 0.7}},
}

// source is one of the public sets.
type source struct {
	name      string
	questions []question
	known     map[setting]result
}

func sources(questions []question) []*source {
	var all []*source
	for _, q := range questions {
		if len(all) == 0 || all[len(all)-1].name != q.in.name {
			all = append(all, &source{name: q.in.name, known: map[setting]result{}})
		}
		last := all[len(all)-1]
		last.questions = append(last.questions, q)
	}
	return all
}

// ask runs all questions of a source with a setting.
func (s *source) ask(by setting) result {
	if r, known := s.known[by]; known {
		return r
	}
	in := *s.questions[0].in
	in.index = in.index.Weighted(by.Weights)
	r := ask(ranker{"", func(q question) []string {
		q.in = &in
		return searchFor(q, by.alpha, true)
	}}, s.questions)
	s.known[by] = r
	return r
}

// judged returns the figures of several sources together, each source with its own setting.
func judged(all []*source, by func(*source) setting) (hit1, hit3, hit5 float64) {
	var questions []question
	var joint result
	for _, s := range all {
		questions = append(questions, s.questions...)
		joint.answers = append(joint.answers, s.ask(by(s)).answers...)
	}
	_, members := kinds(questions)
	return macro(pick(joint, columns[0].pick), members), macro(pick(joint, columns[1].pick), members), macro(pick(joint, columns[2].pick), members)
}

// choose returns the best setting for some sources: it tries one parameter after another until no
// value improves the result.
func choose(from []*source) setting {
	value := func(s setting) float64 {
		hit1, _, hit5 := judged(from, func(*source) setting { return s })
		return hit1 + hit5
	}
	best := shipped
	most := value(best)
	for improved := true; improved; {
		improved = false
		for _, k := range tunedWeights {
			for _, v := range k.values {
				other := best
				*k.of(&other) = v
				if now := value(other); now > most+0.01 {
					best, most, improved = other, now, true
				}
			}
		}
	}
	return best
}

// crossValidate omits each source in turn, chooses a setting by the others, and prints the figures
// of the omitted source with that setting and with the shipped one.
func crossValidate(out io.Writer, questions []question) error {
	all := sources(questions)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "weights chosen without\thit@1 there\thit@3\thit@5\tshipped: hit@1\thit@3\thit@5\t%s\t\n", "what was chosen otherwise") //nolint:errcheck // reported by Flush
	chosen := map[*source]setting{}
	row := func(name string, of []*source, what string) {
		hit1, hit3, hit5 := judged(of, func(s *source) setting { return chosen[s] })
		own1, own3, own5 := judged(of, func(*source) setting { return shipped })
		fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%s\t\n", name, hit1, hit3, hit5, own1, own3, own5, what) //nolint:errcheck // reported by Flush
	}
	for i, s := range all {
		var others []*source
		others = append(append(others, all[:i]...), all[i+1:]...)
		chosen[s] = choose(others)
		row(s.name, []*source{s}, differences(chosen[s]))
	}
	row("each", all, "")
	best := choose(all)
	for _, s := range all {
		chosen[s] = best
	}
	row("none", all, differences(best))
	return table.Flush()
}

func differences(s setting) string {
	var all []string
	for _, k := range tunedWeights {
		if v := *k.of(&s); v != *k.of(&shipped) {
			all = append(all, fmt.Sprintf("%s %.2g", k.name, v))
		}
	}
	return strings.Join(all, ", ")
}
