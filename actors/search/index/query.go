package index

import (
	"errors"
	"fmt"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
)

// Defaults of the optional values of a query.
const (
	DefaultLimit     = 3
	DefaultThreshold = 0.35
	DefaultAlpha     = 0.7
)

// MaxLimit is the largest limit of a query.
const MaxLimit = 100

// Query is a search request.
type Query struct {
	Text string
	// Vector comes from EmbedQuery. Without it the answer is lexical.
	Vector []float32
	// Limit is the maximum number of hits, from 1 to MaxLimit.
	Limit int
	// Near adds up to two hits over the limit whose score is near that of the last hit.
	Near bool
	// Threshold is the minimum score of a hit, from 0 to 1. Tools with the words of
	// the query are hits at any score.
	Threshold float64
	// Alpha is the weight of meaning in a score, from 0 to 1; the weight of words is
	// 1-Alpha.
	Alpha float64
	// Servers limits the hits to tools of these servers; empty means all servers.
	Servers []string
	// ReadOnly limits the hits to tools that their server marks as read-only.
	ReadOnly bool
	// Allow limits the hits to the tools that it matches.
	Allow toolscript.Filter
	// Skills makes the hits skills. Otherwise they are tools.
	Skills bool
}

// NewQuery returns a query with the defaults.
func NewQuery(text string) Query {
	return Query{Text: text, Limit: DefaultLimit, Threshold: DefaultThreshold, Alpha: DefaultAlpha}
}

// Validate returns an error if a value is out of range.
func (q Query) Validate() error {
	switch {
	case q.Text == "":
		return errors.New("the query is empty: say what the tool should do")
	case q.Limit < 1 || q.Limit > MaxLimit:
		return fmt.Errorf("limit %d is not between 1 and %d", q.Limit, MaxLimit)
	case !(q.Threshold >= 0 && q.Threshold <= 1):
		return fmt.Errorf("threshold %v is not between 0 and 1", q.Threshold)
	case !(q.Alpha >= 0 && q.Alpha <= 1):
		return fmt.Errorf("alpha %v is not between 0 and 1", q.Alpha)
	}
	return nil
}

// selects reports whether a tool may be a hit.
func (q Query) selects(allow *toolscript.Matcher, t toolscript.Tool) bool {
	if (t.Skill != nil) != q.Skills || !allow.Selects(t) {
		return false
	}
	if len(q.Servers) > 0 && !slices.Contains(q.Servers, t.Server) && !slices.Contains(q.Servers, toolscript.WithoutAccount(t.Server)) {
		return false
	}
	return !q.ReadOnly || t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly
}

// of returns the tool of the first account of its server that the query selects.
func (x *Index) of(q Query, allow *toolscript.Matcher, t toolscript.Tool) (toolscript.Tool, bool) {
	if q.selects(allow, t) {
		return t, true
	}
	for _, account := range x.accounts[toolscript.WithoutAccount(t.Server)] {
		if t.Server = account; q.selects(allow, t) {
			return t, true
		}
	}
	return t, false
}

// maxQuery bounds the work of a query, in bytes.
const maxQuery = 4 << 10

func clip(query string) string { return texts.Cut(query, maxQuery) }

// Result is the answer to a query.
type Result struct {
	Mode Mode
	// Hits are sorted by falling score, then by rising id.
	Hits []Hit
	// Foreign reports that the query has no hits and is not in English.
	Foreign bool
	// Matches is the number of tools that would be hits without a limit.
	Matches int
	// Considered is the number of tools that passed the filters.
	Considered int
}

// Hit is a tool that matches a query.
type Hit struct {
	Tool  toolscript.Tool
	Score float64 // about 0 to 1
	// Semantic is the cosine between query and tool, 0 in a lexical answer. Lexical is the
	// fraction of the query's words that the tool has, from 0 to 1.
	Semantic, Lexical float64
	// Words are the words of the query that the tool has.
	Words []string
	// Reason explains Score for people.
	Reason string
	// Unsure marks the nearest tools for a query without a hit.
	Unsure bool
}
