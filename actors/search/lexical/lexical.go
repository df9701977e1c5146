// Package lexical finds tools by the words of a query: BM25 over the fields of
// a tool, with words that nobody uses taken for misspelt or shortened ones. It
// needs no model and answers from the first moment.
package lexical

import (
	"math"
)

// Document is the text of a tool.
type Document struct {
	Server, Name, Description string
	Parameters                []Parameter
}

// Parameter is one parameter of a tool.
type Parameter struct{ Name, Description string }

// How much one occurrence of a word counts, by where it stands.
const (
	nameWeight                 = 3
	serverWeight               = 1.5
	descriptionWeight          = 1
	parameterWeight            = 0.5
	parameterDescriptionWeight = 0.3
)

// The constants of BM25: how soon further occurrences count less, and how much
// the length of a document matters.
const (
	k1 = 1.2
	b  = 0.75
)

// Index is immutable and safe for concurrent use.
type Index struct {
	documents int
	postings  map[string][]posting // by stem
	words     vocabulary           // the stems, for a query's unknown words
}

type posting struct {
	document int32
	score    float32 // BM25 of the stem in the document, without the idf
}

// New indexes documents; results speak of them by their position.
func New(documents []Document) *Index {
	x := &Index{documents: len(documents), postings: map[string][]posting{}}
	lengths := make([]float64, len(documents))
	var total float64
	for i, d := range documents {
		frequencies := weigh(d)
		for stem, tf := range frequencies {
			x.postings[stem] = append(x.postings[stem], posting{document: int32(i), score: float32(tf)})
			lengths[i] += tf
		}
		total += lengths[i]
	}
	average := total / float64(max(len(documents), 1))
	for stem, list := range x.postings {
		for i, p := range list {
			tf := float64(p.score)
			list[i].score = float32(tf * (k1 + 1) / (tf + k1*(1-b+b*lengths[p.document]/average)))
		}
		x.words.add(stem)
	}
	x.words.sort()
	return x
}

// weigh counts the stems of a document by their weights.
func weigh(d Document) map[string]float64 {
	frequencies := map[string]float64{}
	add := func(text string, weight float64) {
		for _, t := range tokens(text) {
			frequencies[t.stem] += weight
		}
	}
	add(d.Name, nameWeight)
	add(d.Server, serverWeight)
	add(d.Description, descriptionWeight)
	for _, p := range d.Parameters {
		add(p.Name, parameterWeight)
		add(p.Description, parameterDescriptionWeight)
	}
	return frequencies
}

// idf is how much a stem says that stands in df documents.
func (x *Index) idf(df int) float64 {
	n := float64(x.documents)
	return math.Log(1 + (n-float64(df)+0.5)/(float64(df)+0.5))
}
