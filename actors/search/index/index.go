// Package index ranks the tools of a catalog for a query, by words and, if vectors are
// known, by meaning. It does no I/O. The caller builds an Index from a catalog and the
// vectors that are known, and replaces it when more vectors are known. See docs/design/search.md.
package index

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/lexical"
)

// Index is immutable and safe for concurrent use.
type Index struct {
	generation uint64
	tools      []toolscript.Tool
	accounts   map[string][]string // names of a server with each of its accounts, by its name without an account
	documents  []Document
	servers    int         // number of servers with at least one tool
	serverOf   []int       // server number of each tool
	vectors    [][]float32 // nil where unknown
	known      int
	words      *lexical.Index
	weights    Weights
}

// New indexes all tools and skills of a catalog, each once for all accounts of its server. vectors may lack some tools and have vectors of others.
// It takes about 0.1 ms of CPU per tool, most of it for words; see With.
func New(c toolscript.Catalog, vectors Vectors) *Index {
	one := c.OneAccount()
	x := &Index{generation: c.Generation(), tools: append(one.Tools(), one.Skills()...), accounts: map[string][]string{}}
	for _, server := range c.Servers() {
		if plain := toolscript.WithoutAccount(server); plain != server {
			x.accounts[plain] = append(x.accounts[plain], server)
		}
	}
	numbers := map[string]int{}
	for _, t := range x.tools {
		x.documents = append(x.documents, Describe(t))
		if _, known := numbers[t.Server]; !known {
			numbers[t.Server] = len(numbers)
		}
		x.serverOf = append(x.serverOf, numbers[t.Server])
	}
	x.servers = len(numbers)
	return x.Weighted(DefaultWeights).With(vectors)
}

// Weighted returns a copy with other weights.
func (x *Index) Weighted(w Weights) *Index {
	y := *x
	y.weights = w
	if x.words == nil || x.weights.Words != w.Words {
		fields := make([]lexical.Document, len(x.documents))
		for i, d := range x.documents {
			fields[i] = d.Fields
		}
		y.words = lexical.New(fields, w.Words)
	}
	return &y
}

// With returns a copy with other vectors. All other data is shared.
func (x *Index) With(vectors Vectors) *Index {
	y := *x
	y.vectors, y.known = make([][]float32, len(x.tools)), 0
	for i, d := range x.documents {
		if v := vectors[d.Key]; v != nil {
			y.vectors[i] = v
			y.known++
		}
	}
	return &y
}

// Generation returns the generation of the catalog.
func (x *Index) Generation() uint64 { return x.generation }

// Len returns the number of tools.
func (x *Index) Len() int { return len(x.tools) }

// Known returns the number of tools with a vector.
func (x *Index) Known() int { return x.known }

// Missing returns the documents without a vector, each once, in the order of the
// tools' ids.
func (x *Index) Missing() []Document {
	var missing []Document
	seen := map[Key]bool{}
	for i, d := range x.documents {
		if x.vectors[i] == nil && !seen[d.Key] {
			seen[d.Key] = true
			missing = append(missing, d)
		}
	}
	return missing
}

// Mode is the kind of a ranking.
type Mode string

// The modes.
const (
	Lexical Mode = "lexical" // words
	Hybrid  Mode = "hybrid"  // words and meaning
)

// Mode returns the mode of a query with a vector. A small number of tools without a
// vector, such as new ones, does not make it lexical.
func (x *Index) Mode() Mode {
	const enough = 0.9
	if x.known > 0 && float64(x.known) >= enough*float64(len(x.tools)) {
		return Hybrid
	}
	return Lexical
}

// Keys returns the keys of all tools, in the order of the tools' ids.
func (x *Index) Keys() []Key {
	keys := make([]Key, len(x.documents))
	for i, d := range x.documents {
		keys[i] = d.Key
	}
	return keys
}
