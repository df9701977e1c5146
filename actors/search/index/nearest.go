package index

import (
	"strings"

	"github.com/toolscript/toolscript/actors/search/lexical"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/texts"
)

// maxUnsure is the number of tools in an answer without a hit.
const maxUnsure = 3

// nearest returns the best tools for a query without a hit. If no tool has a word of the
// query, it returns the tools whose names are spelled most like the query.
func (x *Index) nearest(q Query, top []scored, words lexical.Scores) []Hit {
	if len(top) > 0 && top[0].score == 0 {
		top = x.alike(q)
	}
	var hits []Hit
	for _, s := range top[:min(len(top), maxUnsure)] {
		if s.score > 0 {
			h := x.hit(q, s, words)
			h.Unsure = true
			hits = append(hits, h)
		}
	}
	return hits
}

// alikeScore is the score of a tool whose name is spelled exactly like the query. It is low, because such a name has
// no word of the query: the search by words has found nothing.
const alikeScore = 0.3

// maxAlike bounds the texts that are compared letter by letter.
const maxAlike = 64

// alike returns the tools whose names are spelled most like the query.
func (x *Index) alike(q Query) []scored {
	asked := strings.Join(strings.Fields(texts.Cut(q.Text, maxAlike)), "_")
	var all []scored
	allow := q.Allow.Matcher()
	for i, t := range x.tools {
		if _, is := x.of(q, allow, t); is {
			all = append(all, scored{tool: i, score: alikeScore * naming.Similarity(asked, texts.Cut(nameOf(t), maxAlike))})
		}
	}
	return best(all, maxUnsure)
}
