package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/actors/search/lexical"
)

const (
	// fullMatch is the part of the ideal lexical score that counts as a match
	// of all words: real tools have the words once or twice, and others too.
	fullMatch = 3.0 / 7
	// serverPart is how much the best tool of its server counts for a tool.
	serverPart = 1.0 / 6
	// typicalCosine is that of a tool which has all words of a query. A tool
	// whose vector is not known is judged by it.
	typicalCosine = 0.5
)

// scored is a tool on its way to a Hit.
type scored struct {
	tool                     int
	score, semantic, lexical float64
}

// Search ranks all tools. It panics when the vector of q is of another length
// than those of the index: both come from one Embedder.
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
	all = slices.DeleteFunc(all, func(s scored) bool { return !q.wants(x.tools[s.tool]) })
	result.Considered = len(all)
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	for _, s := range all[:min(q.Limit, len(all))] {
		if s.score >= q.Threshold && s.score > 0 {
			result.Hits = append(result.Hits, x.hit(s, words))
		}
	}
	return result
}

// score combines meaning and words for each tool. The words are measured
// against the most that they could give, not against the best tool: when no tool
// has them, having some of them says little.
func (x *Index) score(q Query, mode Mode, words lexical.Scores) []scored {
	all := make([]scored, len(x.tools))
	for i := range all {
		s := scored{tool: i}
		if words.Ideal > 0 {
			s.lexical = words.Documents[i] / (fullMatch * words.Ideal)
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

// leanOnServers raises tools whose server has a good one: what belongs to one
// task is often at one place. The best tool of each server keeps its score.
func (x *Index) leanOnServers(all []scored) {
	best := map[string]float64{}
	for _, s := range all {
		server := x.tools[s.tool].Server
		best[server] = max(best[server], s.score)
	}
	for i := range all {
		s := &all[i]
		s.score += serverPart * (best[x.tools[s.tool].Server] - s.score)
	}
}

func (x *Index) hit(s scored, words lexical.Scores) Hit {
	h := Hit{
		Tool: x.tools[s.tool], Words: x.words.Matched(words, s.tool),
		Score: min(s.score, 1), Semantic: s.semantic, Lexical: min(s.lexical, 1),
	}
	h.Reason = reason(h)
	return h
}

// reason speaks of meaning first, which has the larger part in a score.
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
