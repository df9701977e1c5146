// Package lexical finds tools by the words of a query, with BM25 over the fields of a
// tool. Unknown words of a query are corrected, completed or split, and synonyms are
// matched. The package needs no model.
package lexical

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// Document is the text of a tool.
type Document struct {
	Server, Name, Description string
	Parameters                []Parameter
}

// Parameter is one parameter of a tool.
type Parameter struct {
	Name, Description string
	Values            []string // values of an enumeration
}

// Weights are the weights of one occurrence of a word in each field, and of a
// synonym.
type Weights struct {
	Name, Server, Description, Parameter, ParameterDescription float64
	Synonym                                                    float64
}

// DefaultWeights are the weights of New.
var DefaultWeights = Weights{
	Name: 3, Server: 1.5, Description: 1, Parameter: 0.5, ParameterDescription: 0.3, // ParameterDescription also applies to values
	Synonym: 0.7,
}

// Parameters of BM25: k1 limits the weight of repeated words, b is the influence of
// the document's length.
const (
	k1 = 1.2
	b  = 0.75
)

// Index is immutable and safe for concurrent use.
type Index struct {
	weights   Weights
	documents int
	terms     map[string]int32 // by stem, and by name without separators
	shown     []string         // readable forms of the terms; a stem is often not a word
	postings  [][]posting      // by term
	names     []float64        // by document: sum of the idf of the words of its name
	words     vocabulary       // to correct and complete unknown words of a query
	parts     map[string]bool  // words of names, to split unknown words of a query
}

type posting struct {
	document int32
	score    float32 // BM25 of the stem in the document, without the idf
	place    place
}

// place is the set of fields of a document that contain a stem.
type place uint8

const (
	inName place = 1 << iota
	inServer
)

// New indexes documents. Results refer to them by position.
func New(documents []Document, w Weights) *Index {
	x := &Index{
		weights:   w,
		documents: len(documents), terms: map[string]int32{}, parts: map[string]bool{},
		names: make([]float64, len(documents)),
	}
	lengths := make([]float64, len(documents))
	var total float64
	written := map[string]bool{}
	for i, d := range documents {
		found := counter{frequencies: map[string]*occurrence{}, written: written}
		found.count(d, w)
		for stem, o := range found.frequencies {
			x.add(stem, posting{document: int32(i), score: float32(o.weight), place: o.place})
			lengths[i] += o.weight
		}
		total += lengths[i]
	}
	seen := map[int32]bool{}
	for _, word := range slices.Sorted(maps.Keys(written)) {
		t := x.terms[normal(word)]
		x.words.add(word, t, 0)
		if !seen[t] || len(word) < len(x.shown[t]) {
			seen[t], x.shown[t] = true, word
		}
	}
	average := total / float64(max(len(documents), 1))
	for _, list := range x.postings {
		for i, p := range list {
			list[i].score = saturated(float64(p.score), lengths[p.document], average)
		}
	}
	for i, d := range documents {
		x.indexName(int32(i), d, w, lengths[i], average)
	}
	x.words.sort()
	return x
}

// saturated returns the factor of BM25 that depends on the document.
func saturated(tf, length, average float64) float32 {
	return float32(tf * (k1 + 1) / (tf + k1*(1-b+b*length/average)))
}

// add adds a posting for a term and returns the term. Each document is added once per
// term.
func (x *Index) add(stem string, p posting) int32 {
	t, known := x.terms[stem]
	if !known {
		t = int32(len(x.shown))
		x.terms[stem], x.shown, x.postings = t, append(x.shown, stem), append(x.postings, nil)
	}
	x.postings[t] = append(x.postings[t], p)
	return t
}

// maxJoined is the maximum number of words of a name that are indexed as one word.
const maxJoined = 5

// maxNameWords bounds the work for a name, whose length has no limit in MCP.
const maxNameWords = 32

// indexName indexes several consecutive words of a name as one word, such as readfile
// or listpullrequests. These terms do not count for the length of the document.
func (x *Index) indexName(document int32, d Document, w Weights, length, average float64) {
	server, name := split(d.Server), split(d.Name)
	seen := map[string]bool{}
	for _, word := range name {
		word = strings.ToLower(word)
		x.parts[word] = true
		s := normal(word)
		if t, known := x.terms[s]; known && !seen[s] { // stop words are not in terms
			seen[s] = true
			x.names[document] += x.idf(len(x.postings[t]))
		}
	}
	words := append(server, name...)
	words = words[:min(len(words), maxNameWords)]
	score := saturated(w.Name, length, average)
	for i := range words {
		joined := strings.ToLower(words[i])
		first := len([]rune(joined))
		for j := i + 1; j < min(i+maxJoined, len(words)); j++ {
			joined += strings.ToLower(words[j])
			if seen[joined] || j < len(server) || len(joined) > maxCorrected {
				continue
			}
			seen[joined] = true
			_, known := x.terms[joined]
			t := x.add(joined, posting{document: document, score: score, place: inName})
			if !known {
				x.words.add(joined, t, first)
			}
		}
	}
}

// occurrence sums the weight of a stem in a document.
type occurrence struct {
	weight float64
	place  place
}

type counter struct {
	frequencies map[string]*occurrence
	written     map[string]bool // words of all documents
}

// count adds the weighted stems of a document.
func (c counter) count(d Document, w Weights) {
	c.add(d.Name, w.Name, inName)
	c.add(d.Server, w.Server, inServer)
	c.add(d.Description, w.Description, 0)
	for _, p := range d.Parameters {
		c.add(p.Name, w.Parameter, 0)
		c.add(p.Description, w.ParameterDescription, 0)
		for _, value := range p.Values {
			c.add(value, w.ParameterDescription, 0)
		}
	}
}

func (c counter) add(text string, weight float64, at place) {
	for _, t := range tokens(text) {
		o := c.frequencies[t.stem]
		if o == nil {
			o = &occurrence{}
			c.frequencies[t.stem] = o
		}
		o.weight += weight
		o.place |= at
		c.written[t.word] = true
	}
}

// idf returns the inverse document frequency of a stem in df documents.
func (x *Index) idf(df int) float64 {
	n := float64(x.documents)
	return math.Log(1 + (n-float64(df)+0.5)/(float64(df)+0.5))
}
