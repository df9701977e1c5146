package lexical

import (
	"math"
	"sync"
)

// Evidence is a word of a query that a document has.
type Evidence struct {
	Exact    bool    // the document has the word itself, not a synonym or a similar word
	Named    bool    // the word is in the name of the tool or of its server
	Everyday bool    // the word is in many texts about programs; see everyday
	Worth    float64 // how rare the word is among the documents, from 0 to 1; see typical
}

// typical is the least number of documents against which rareness is measured: in a short list
// even common words are in only one document, or a name is in all documents.
const typical = 120

// Evidence returns the words of a query that a document has.
func (x *Index) Evidence(s Scores, document int) []Evidence {
	var all []Evidence
	n := float64(x.documents) + 1
	more := math.Log(max(n, typical) / n) // added to an idf, which is log(n/(df+0.5)); see Index.idf
	rarest := x.idf(0) + more
	for _, t := range s.terms {
		if m, found := x.found(t, int32(document)); found {
			all = append(all, Evidence{
				Exact: m.kind == exact, Named: m.place != 0, Everyday: everyday()[normal(t.word)],
				Worth: (x.worth(t.matches) + more) / rarest,
			})
		}
	}
	return all
}

// everyday are words of texts about any program. They are also in names of tools, but say
// little about the tool that a longer text needs.
var everyday = sync.OnceValue(func() map[string]bool {
	return stems(`add change check code count create default delete document edit error execute explain field file find fix
	function get handle implement index key level line list load log make merge message move name number object open page parameter query
	read remove rename replace return run script search set show size sort start stop string table test text time type update use user
	value variable write class comment component config configuration data directory folder environment hour id input item method module
	new old option output package path port process program project record request response result row save select send server service
	step tool version view work wrong print parse press build call case close column commit branch last first next previous latest
	current all each link label image template worker thread memory node tree tag state status event`)
})

func stems(words string) map[string]bool {
	all := map[string]bool{}
	for word := range set(words) {
		all[normal(word)] = true
	}
	return all
}
