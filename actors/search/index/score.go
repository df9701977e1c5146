package index

import (
	"slices"
	"strings"

	"github.com/toolscript/toolscript/actors/search/lexical"
)

// Weights are the parameters of a ranking.
type Weights struct {
	// Full is the fraction of the ideal lexical score that counts as a match of all words.
	// Real tools have each word only once or twice, and other words too.
	Full float64
	// Named is the weight of a query that equals the tool's name.
	Named float64
	// Server is the weight of the best tool of the same server.
	Server float64
	// Words are the weights of the fields.
	Words lexical.Weights
}

// DefaultWeights are the weights of New.
var DefaultWeights = Weights{Full: 3.0 / 7, Named: 0.5, Server: 1.0 / 6, Words: lexical.DefaultWeights}

// typicalCosine is the cosine of a tool that has all words of a query. It is used for
// tools without a vector.
const typicalCosine = 0.5

// enoughCovered is the fraction of a query's words that makes a tool a hit at any score.
const enoughCovered = 0.5

// scored is a tool with its score.
type scored struct {
	tool                     int
	score, semantic, lexical float64
}

// Search ranks all tools. It panics if the vector of q and those of the index have
// different lengths: both must come from one Embedder.
func (x *Index) Search(q Query) Result {
	mode := Lexical
	if q.Vector != nil {
		mode = x.Mode()
	}
	words := x.words.Score(clip(q.Text))
	all := x.score(q, mode, words)
	if mode == Hybrid {
		x.leanOnServers(all)
	}
	result := Result{Mode: mode}
	allow := q.Allow.Matcher()
	all = slices.DeleteFunc(all, func(s scored) bool { _, is := x.of(q, allow, x.tools[s.tool]); return !is })
	result.Considered = len(all)
	matches := func(s scored) bool {
		return s.score > 0 && (s.sure(q.Alpha, words) >= q.Threshold || words.Covered[s.tool] >= enoughCovered)
	}
	for _, s := range all {
		if matches(s) {
			result.Matches++
		}
	}
	top := q.shorten(best(all, min(q.Limit+moreNear, len(all))))
	for _, s := range top {
		if matches(s) {
			result.Hits = append(result.Hits, x.hit(q, s, words))
		}
	}
	if len(result.Hits) == 0 {
		result.Hits, result.Foreign = x.nearest(q, top, words), lexical.Foreign(q.Text)
	}
	return result
}

const (
	moreNear = 2   // hits that Near adds at most
	near     = 0.9 // their least score, as a fraction of the score of the last hit within the limit
)

// shorten removes the tools over the limit that are not near.
func (q Query) shorten(top []scored) []scored {
	n := min(q.Limit, len(top))
	for q.Near && n < len(top) && top[n].score >= near*top[q.Limit-1].score {
		n++
	}
	return top[:n]
}

// sure returns the score, without the words if all matching words were only guessed.
func (s scored) sure(alpha float64, words lexical.Scores) float64 {
	if s.lexical > 0 && words.Covered[s.tool] == 0 {
		return alpha * s.semantic
	}
	return s.score
}

// best returns the n best tools. Tools with equal scores keep their order.
func best(all []scored, n int) []scored {
	var top []scored
	for _, s := range all {
		if len(top) == n && s.score <= top[n-1].score {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, s.score, func(t scored, score float64) int {
			if t.score >= score {
				return -1
			}
			return 1
		})
		if len(top) == n {
			top = top[:n-1]
		}
		top = slices.Insert(top, at, s)
	}
	return top
}

// score combines meaning and words for each tool. Words are measured against the ideal
// score, not against the best tool, so that a few matching words score low if no tool
// has all words.
func (x *Index) score(q Query, mode Mode, words lexical.Scores) []scored {
	all := make([]scored, len(x.tools))
	for i := range all {
		s := scored{tool: i}
		if words.Ideal > 0 {
			s.lexical = words.Documents[i]/(x.weights.Full*words.Ideal) + x.weights.Named*words.Named[i]*words.Named[i]
		}
		s.score = s.lexical
		if mode == Hybrid {
			s.semantic = typicalCosine * min(s.lexical, 1)
			if v := x.vectors[i]; v != nil {
				s.semantic = dot(q.Vector, v)
			}
			s.score = q.Alpha*s.semantic + (1-q.Alpha)*s.lexical
		}
		all[i] = s
	}
	return all
}

// leanOnServers raises the scores of tools whose server has a good tool, because tools for
// one task are often on one server. The best tool of each server keeps its score.
func (x *Index) leanOnServers(all []scored) {
	best := make([]float64, x.servers)
	for _, s := range all {
		server := x.serverOf[s.tool]
		best[server] = max(best[server], s.score)
	}
	for i := range all {
		s := &all[i]
		s.score += x.weights.Server * (best[x.serverOf[s.tool]] - s.score)
	}
}

func (x *Index) hit(q Query, s scored, words lexical.Scores) Hit {
	tool := x.tools[s.tool]
	if len(x.accounts) > 0 {
		tool, _ = x.of(q, q.Allow.Matcher(), tool)
	}
	h := Hit{
		Tool: tool, Words: x.words.Matched(words, s.tool),
		Score: min(s.score, 1), Semantic: s.semantic, Lexical: min(s.lexical, 1),
	}
	h.Reason = reason(h)
	return h
}

// reason explains the score of a hit. It names meaning first, which has the larger weight.
func reason(h Hit) string {
	var parts []string
	switch {
	case h.Semantic > 0.5:
		parts = append(parts, "semantic match")
	case h.Semantic > 0:
		parts = append(parts, "partial semantic match")
	}
	switch {
	case h.Lexical > 0.7:
		parts = append(parts, "strong keyword match")
	case h.Lexical > 0.3:
		parts = append(parts, "keyword match")
	}
	if len(parts) == 0 {
		parts = append(parts, "weak match")
	}
	text := strings.Join(parts, ", ")
	if len(h.Words) > 0 {
		text += ": " + strings.Join(h.Words, ", ")
	}
	return text
}
