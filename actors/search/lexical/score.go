package lexical

import "slices"

// Scores are the result of a query.
type Scores struct {
	// Documents has the score of each document, 0 if the document has no word of the
	// query.
	Documents []float64
	// Covered has, for each document, the fraction of the query's words that it has, from
	// 0 to 1. Rare words have a larger weight. Corrected words count, guessed words do not.
	Covered []float64
	// Named has, for each document, the similarity of the query and its name, from 0 to 1.
	// It is 1 if the query has all words of the name and no others except words of the
	// server's name.
	Named []float64
	// NameCovered has, for each document, the fraction of its name's words that the query
	// has, from 0 to 1. Rare words have a larger weight.
	NameCovered []float64
	// Ideal is about the score of a short document that has every word of the query
	// often. Document scores divided by Ideal can be compared between queries.
	Ideal float64
	// Max is the largest value of Documents.
	Max float64

	terms []term
}

// term is a word of the query with its matching terms.
type term struct {
	word    string
	matches []match
}

// Score scores all documents for a query.
func (x *Index) Score(query string) Scores {
	n := x.documents
	s := Scores{Documents: make([]float64, n), Covered: make([]float64, n), Named: make([]float64, n), NameCovered: make([]float64, n), terms: x.lookUp(query)}
	a := adder{Index: x, best: make([]float64, n), match: make([]match, n), servers: make([]float64, n)}
	var total float64
	for _, t := range s.terms {
		worth := x.worth(t.matches)
		total += worth
		s.Ideal += worth * (k1 + 1)
		a.add(&s, t.matches, worth)
	}
	for i, score := range s.Documents {
		if score > 0 {
			s.Max = max(s.Max, score)
			s.Covered[i] /= total
			if x.names[i] > 0 {
				s.NameCovered[i] = min(s.Named[i]/x.names[i], 1)
			}
			s.Named[i] /= total - a.servers[i] + x.names[i] - s.Named[i]
		}
	}
	return s
}

// worth returns the idf of a word: the largest idf of its matches. A word without
// matches counts like a word in no document.
func (x *Index) worth(matches []match) float64 {
	if len(matches) == 0 {
		return x.idf(0)
	}
	if matches[0].kind == exact {
		return x.idf(len(x.postings[matches[0].term]))
	}
	var most float64
	for _, m := range matches {
		most = max(most, x.idf(len(x.postings[m.term])))
	}
	return most
}

// adder adds up the scores of a query's words.
type adder struct {
	*Index
	best    []float64 // best score of the current word, by document; all zero between words
	match   []match   // match with the best score, by document
	servers []float64 // idf of words that only the server's name has, by document
	touched []int32
}

// add adds the best match of a word to the scores of each document.
func (a *adder) add(s *Scores, matches []match, worth float64) {
	a.touched = a.touched[:0]
	for _, m := range matches {
		list := a.postings[m.term]
		value := m.weight * min(a.idf(len(list)), worth)
		for _, p := range list {
			if a.best[p.document] == 0 {
				a.touched = append(a.touched, p.document)
			}
			if score := value * float64(p.score); score > a.best[p.document] {
				a.best[p.document] = score
				m.place = p.place
				a.match[p.document] = m
			}
		}
	}
	for _, d := range a.touched {
		m := a.match[d]
		s.Documents[d] += a.best[d]
		a.best[d] = 0
		part := worth
		switch m.kind {
		case synonym, completed:
			part *= m.weight
		case guessed:
			part = 0
		case exact, corrected:
		}
		s.Covered[d] += part
		switch {
		case m.place&inName != 0:
			s.Named[d] += m.weight * worth
		case m.place&inServer != 0:
			a.servers[d] += worth
		}
	}
}

// lookUp returns the matching terms of each word of a query.
func (x *Index) lookUp(query string) []term {
	all := tokens(query)
	var terms []term
	seen := map[string]bool{}
	for i, t := range all {
		if seen[t.stem] {
			continue
		}
		seen[t.stem] = true
		matches := x.matches(t)
		if len(matches) == 0 {
			if parts := x.split(t.word); parts != nil {
				terms = append(terms, parts...)
				continue
			}
		}
		if i > 0 {
			matches = x.joined(matches, all[i-1].word+t.word)
		}
		if i+1 < len(all) {
			matches = x.joined(matches, t.word+all[i+1].word)
		}
		terms = append(terms, term{t.word, matches})
	}
	return terms
}

// matches returns the terms that match one word.
func (x *Index) matches(t token) []match {
	var found []match
	if id, known := x.terms[t.stem]; known {
		found = append(found, match{term: id, weight: 1, kind: exact})
	} else if id, known := x.terms[t.word]; known { // a name without separators
		found = append(found, match{term: id, weight: 1, kind: exact})
	}
	for _, stem := range synonyms()[t.stem] {
		if id, known := x.terms[stem]; known {
			found = append(found, match{term: id, weight: x.weights.Synonym, kind: synonym})
		}
	}
	if len(found) == 0 {
		found = x.words.resembling(t.word)
	}
	return found
}

// joined adds the term that two words of a query form when written as one.
func (x *Index) joined(matches []match, word string) []match {
	if id, known := x.terms[normal(word)]; known && !slices.ContainsFunc(matches, func(m match) bool { return m.term == id }) {
		matches = append(matches, match{term: id, weight: joinedWeight, kind: corrected})
	}
	return matches
}

// Matched returns the words of the query that match a document. If the document's
// word differs, it follows in parentheses.
func (x *Index) Matched(s Scores, document int) []string {
	var words []string
	for _, t := range s.terms {
		if m, found := x.found(t, int32(document)); found {
			if shown := x.shown[m.term]; m.kind != exact && shown != t.word {
				words = append(words, t.word+" ("+shown+")")
			} else {
				words = append(words, t.word)
			}
		}
	}
	return words
}

// found returns the best match that the document has. Among equal matches, the match with
// the longest common prefix wins.
func (x *Index) found(t term, document int32) (best match, found bool) {
	for _, m := range t.matches {
		if m.weight < best.weight || m.weight == best.weight && !x.likelier(t.word, m, best) {
			continue
		}
		for _, p := range x.postings[m.term] {
			if p.document == document {
				m.place = p.place
				best, found = m, true
				break
			}
		}
	}
	return best, found
}

func (x *Index) likelier(word string, a, b match) bool {
	one, other := x.shown[a.term], x.shown[b.term]
	if m, n := commonPrefix(word, one), commonPrefix(word, other); m != n {
		return m > n
	}
	return one < other
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
