package index

import (
	"errors"
	"fmt"
	"slices"

	"github.com/toolscript/toolscript"
)

// What a query is given that leaves these out.
const (
	DefaultLimit     = 3
	DefaultThreshold = 0.35
	DefaultAlpha     = 0.7
)

// MaxLimit is the largest limit of a query.
const MaxLimit = 100

// Query is what somebody wants tools for.
type Query struct {
	Text string
	// Vector is that of EmbedQuery. Without one the answer is lexical.
	Vector []float32
	// Limit is how many tools are wanted, from 1 to MaxLimit.
	Limit int
	// Threshold is the lowest score of a hit, from 0 to 1.
	Threshold float64
	// Alpha is the part that meaning has in a score, from 0 to 1; the rest is
	// that of the words.
	Alpha float64
	// Servers are the only ones whose tools are wanted; none means all.
	Servers []string
	// ReadOnly leaves out each tool whose server does not say that it changes
	// nothing.
	ReadOnly bool
	// Allow selects the only tools that are wanted.
	Allow toolscript.Filter
}

// NewQuery is a query with the defaults.
func NewQuery(text string) Query {
	return Query{Text: text, Limit: DefaultLimit, Threshold: DefaultThreshold, Alpha: DefaultAlpha}
}

// Validate says which value is out of its range.
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

func (q Query) wants(t toolscript.Tool) bool {
	if len(q.Servers) > 0 && !slices.Contains(q.Servers, t.Server) || !q.Allow.Match(t) {
		return false
	}
	return !q.ReadOnly || t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly
}

// maxQuery bounds the work that a query can cause.
const maxQuery = 4 << 10

func clip(query string) string { return cut(query, maxQuery) }

// Result is the answer to a query.
type Result struct {
	Mode Mode
	// Hits are the best first; of equal ones that with the lower id.
	Hits []Hit
	// Considered is how many tools passed the filters.
	Considered int
}

// Hit is a tool that fits a query.
type Hit struct {
	Tool  toolscript.Tool
	Score float64 // from 0 to 1, about
	// Semantic is the cosine between query and tool, 0 in a lexical answer, and
	// Lexical from 0 to 1 how much of the query's words the tool has.
	Semantic, Lexical float64
	// Words are those of the query that the tool has.
	Words []string
	// Reason says in words what Score rests on.
	Reason string
}
