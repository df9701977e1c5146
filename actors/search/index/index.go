// Package index ranks the tools of a catalog for a query, by the words of both
// and, where vectors are known, by their meaning. It does no input or output:
// who owns an Index builds it from a catalog and the vectors so far, and swaps
// in a new one when there are more.
package index

import (
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/lexical"
)

// Index is immutable and safe for concurrent use.
type Index struct {
	generation uint64
	tools      []toolscript.Tool
	documents  []Document
	vectors    [][]float32 // nil where unknown
	known      int
	words      *lexical.Index
}

// New indexes all tools of a catalog, with those of the vectors that are
// theirs. It takes about 10 µs a tool, most of it for words; see With.
func New(c toolscript.Catalog, vectors Vectors) *Index {
	x := &Index{generation: c.Generation(), tools: c.Tools()}
	fields := make([]lexical.Document, len(x.tools))
	for i, t := range x.tools {
		d := Describe(t)
		x.documents, fields[i] = append(x.documents, d), d.fields
	}
	x.words = lexical.New(fields)
	return x.With(vectors)
}

// With is the same index with other vectors; it shares everything else.
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

// Generation is that of the catalog.
func (x *Index) Generation() uint64 { return x.generation }

// Len is the number of tools.
func (x *Index) Len() int { return len(x.tools) }

// Known is the number of tools that have a vector.
func (x *Index) Known() int { return x.known }

// Missing are the documents without a vector, each once, in the order of the
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

// Mode says what a ranking rests on.
type Mode string

// The modes.
const (
	Lexical Mode = "lexical" // words
	Hybrid  Mode = "hybrid"  // words and meaning
)

// Mode is what a query with a vector is answered by. A few tools without a
// vector, new ones or such that could not be embedded, do not take the meaning
// of all others away.
func (x *Index) Mode() Mode {
	const enough = 0.9
	if x.known > 0 && float64(x.known) >= enough*float64(len(x.tools)) {
		return Hybrid
	}
	return Lexical
}

// Nearest are tools whose names resemble the words of a query that found
// nothing.
func (x *Index) Nearest(query string, n int) []string {
	byName := make(map[string]string, len(x.tools))
	names := make([]string, 0, len(x.tools))
	for _, t := range x.tools {
		if _, twice := byName[t.Name]; !twice {
			byName[t.Name] = t.ID()
			names = append(names, t.Name)
		}
	}
	near := toolscript.Nearest(strings.Join(strings.Fields(clip(query)), "_"), names, n)
	for i, name := range near {
		near[i] = byName[name]
	}
	return near
}

// Keys are those of all tools, in the order of the tools' ids.
func (x *Index) Keys() []Key {
	keys := make([]Key, len(x.documents))
	for i, d := range x.documents {
		keys[i] = d.Key
	}
	return keys
}
