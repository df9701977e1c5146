package hook

import (
	"cmp"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/lexical"
	"github.com/toolscript/toolscript/internal/texts"
)

const (
	// SuggestionThreshold is the lowest score of a suggested tool. `task eval-suggestions` shows the
	// precision at this and other thresholds.
	SuggestionThreshold = 0.95
	// MostSuggestions is the maximum number of suggested tools.
	MostSuggestions = 3
	// near is the minimum score of further tools, as a fraction of the best score.
	near = 0.93
	// candidates is the number of best matches by words that are weighed.
	candidates = 8
)

// Weights for a word that a prompt and a tool have in common.
const (
	everydayWeight    = 0.5
	alikeWeight       = 0.4 // the words are synonyms or similarly spelled
	descriptionWeight = 0.4 // the word is not in the name of the tool or its server
	partOfName        = 0.4 // the prompt has no word of the tool's name
)

// maxDescription and maxPrompt bound the input, in bytes.
const (
	maxDescription = 1 << 10
	maxPrompt      = 4 << 10
)

// Suggestion is a tool that fits a prompt.
type Suggestion struct {
	Tool  toolscript.Tool
	Score float64 // about the number of rare words that the prompt and the tool have in common
}

// Index is an immutable list of tools that can be searched. The search is by words alone, because
// loading a model would take seconds.
type Index struct {
	tools []toolscript.Tool
	words *lexical.Index
}

// NewIndex indexes the names and descriptions of tools.
func NewIndex(tools []toolscript.Tool) *Index {
	documents := make([]lexical.Document, len(tools))
	for i, t := range tools {
		documents[i] = lexical.Document{Server: t.Server, Name: t.Name, Description: texts.Cut(t.Description, maxDescription)}
	}
	return &Index{tools, lexical.New(documents, lexical.DefaultWeights)}
}

// Find returns the tools that fit a prompt, at most MostSuggestions, the best first.
func (x *Index) Find(prompt string) []Suggestion { return x.Above(prompt, SuggestionThreshold) }

// Above is like Find, with another threshold.
func (x *Index) Above(prompt string, threshold float64) []Suggestion {
	scores := x.words.Score(texts.Cut(prompt, maxPrompt))
	var all []Suggestion
	for _, i := range best(scores.Documents) {
		score := weigh(x.words.Evidence(scores, i)) * (partOfName + (1-partOfName)*scores.NameCovered[i])
		if score >= threshold {
			all = append(all, Suggestion{x.tools[i], score})
		}
	}
	return BestSuggestions(all)
}

// BestSuggestions returns the best of all suggestions, at most MostSuggestions. It returns each
// tool once, and none that is much worse than the best.
func BestSuggestions(all []Suggestion) []Suggestion {
	slices.SortStableFunc(all, func(a, b Suggestion) int { return cmp.Compare(b.Score, a.Score) })
	var chosen []Suggestion
	for _, s := range all {
		again := slices.ContainsFunc(chosen, func(c Suggestion) bool { return c.Tool.ID() == s.Tool.ID() })
		if len(chosen) < MostSuggestions && !again && s.Score >= near*all[0].Score {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// best returns the indices of the documents with the best scores.
func best(scores []float64) []int {
	var numbers []int
	for i, score := range scores {
		if score > 0 {
			numbers = append(numbers, i)
		}
	}
	slices.SortStableFunc(numbers, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return numbers[:min(len(numbers), candidates)]
}

func weigh(words []lexical.Evidence) float64 {
	var sum float64
	for _, w := range words {
		weight := w.Worth
		if w.Everyday {
			weight *= everydayWeight
		}
		if !w.Exact {
			weight *= alikeWeight
		}
		if !w.Named {
			weight *= descriptionWeight
		}
		sum += weight
	}
	return sum
}
