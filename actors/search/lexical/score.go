package lexical

// Scores are the answer of an index to one query.
type Scores struct {
	// Documents holds a score for each document, 0 for one that has none of
	// the words.
	Documents []float64
	// Ideal is about the score of a document that has every word of the query,
	// often and in little else. A score divided by it tells queries apart in
	// which much is found from those in which little is.
	Ideal float64
	// Max is the largest of the scores.
	Max float64

	terms []term
}

// term is a word of the query and the stems that it is looked up by.
type term struct {
	word    string
	matches []match
}

// Score looks up all words of a query.
func (x *Index) Score(query string) Scores {
	s := Scores{Documents: make([]float64, x.documents)}
	best := make([]float64, x.documents) // of the stems of one word
	seen := map[string]bool{}
	for _, t := range tokens(query) {
		if seen[t.stem] {
			continue
		}
		seen[t.stem] = true
		matches := x.lookUp(t.stem)
		s.terms = append(s.terms, term{t.word, matches})
		s.Ideal += x.ideal(matches)
		x.addBest(s.Documents, best, matches)
	}
	for _, score := range s.Documents {
		s.Max = max(s.Max, score)
	}
	return s
}

func (x *Index) lookUp(stem string) []match {
	if len(x.postings[stem]) > 0 {
		return []match{{stem, 1}}
	}
	return x.words.resembling(stem)
}

// ideal is the most that a word can give: a word that nothing resembles counts
// as one that no document has.
func (x *Index) ideal(matches []match) float64 {
	if len(matches) == 0 {
		return x.idf(0) * (k1 + 1)
	}
	var most float64
	for _, m := range matches {
		most = max(most, x.idf(len(x.postings[m.stem]))*(k1+1))
	}
	return most
}

// addBest adds the best of a word's stems to each document. best is all zero,
// before and after.
func (x *Index) addBest(scores, best []float64, matches []match) {
	var touched []int32
	for _, m := range matches {
		list := x.postings[m.stem]
		worth := m.weight * x.idf(len(list))
		for _, p := range list {
			if best[p.document] == 0 {
				touched = append(touched, p.document)
			}
			best[p.document] = max(best[p.document], worth*float64(p.score))
		}
	}
	for _, d := range touched {
		scores[d] += best[d]
		best[d] = 0
	}
}

// Matched are the words of the query that were found in a document, as the
// query has them; those of which the document has only something like it are
// followed by that in parentheses.
func (x *Index) Matched(s Scores, document int) []string {
	var words []string
	for _, t := range s.terms {
		if m, found := x.found(t, int32(document)); found {
			if m.weight < 1 {
				words = append(words, t.word+" ("+m.stem+")")
			} else {
				words = append(words, t.word)
			}
		}
	}
	return words
}

// found is the best of a word's stems that the document has.
func (x *Index) found(t term, document int32) (best match, found bool) {
	for _, m := range t.matches {
		if m.weight <= best.weight {
			continue
		}
		for _, p := range x.postings[m.stem] {
			if p.document == document {
				best, found = m, true
				break
			}
		}
	}
	return best, found
}
