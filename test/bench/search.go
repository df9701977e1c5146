//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/test/retrieval"
	"github.com/toolscript/toolscript/test/toolslist"
)

// searched is a set of tools and queries.
type searched struct {
	name    string
	tools   []toolscript.Tool
	queries []string
}

// searchedTools returns the data of LiveMCPBench if they are installed, or else the tools of real
// servers in the repository's excerpt.
func searchedTools() (searched, error) {
	sets, err := retrieval.Read(retrieval.Dir("."))
	for _, s := range sets {
		if s.Name == "livemcp" {
			found := searched{name: "LiveMCPBench", tools: s.Tools}
			for _, q := range s.Queries {
				found.queries = append(found.queries, q.Query)
			}
			return found, nil
		}
	}
	if _, missing := os.Stat(retrieval.Dir(".")); missing == nil {
		return searched{}, errors.Join(errors.New("the folder of the public sets has no livemcp"), err)
	}
	found := searched{name: "the repository's excerpt", queries: []string{
		"show me what is in notes.txt", "save this text to a file on disk", "find the open issues that mention a crash on start",
	}}
	lists, err := toolslist.Read(toolslist.Dir("."))
	for _, l := range lists {
		found.tools = append(found.tools, l.Tools...)
	}
	return found, err
}

// several returns n tools: the existing ones, followed by copies on additional servers with changed texts.
func (s searched) several(n int) []toolscript.Tool {
	tools := make([]toolscript.Tool, n)
	for i := range tools {
		tools[i] = s.tools[i%len(s.tools)]
		if copied := i / len(s.tools); copied > 0 {
			tools[i].Server += fmt.Sprintf("-%d", copied+1)
		}
	}
	return tools
}

// queries measures lexical and hybrid queries over 2,000 tools in this process, and reading 1,000 vectors.
func (b *bench) queries(ctx context.Context) error {
	s, err := searchedTools()
	if err != nil {
		return err
	}
	fmt.Printf("search over the tools of %s (%d), copies of them on further servers where more are needed\n", s.name, len(s.tools))
	x := index.New(toolscript.NewCatalog(1, nil, s.several(2000)), nil)
	x = x.With(madeUp(x.Missing()))
	if err := byWords(ctx, x, s.queries); err != nil {
		return err
	}
	if err := byMeaning(ctx, x, s.queries); err != nil {
		return err
	}
	return b.readVectors(ctx, s)
}

// madeUp returns artificial vectors with the dimensions of the model.
func madeUp(documents []index.Document) index.Vectors {
	all := make(index.Vectors, len(documents))
	for i, d := range documents {
		v := make([]float32, minilm.Dim)
		for j := range v {
			v[j] = float32(math.Sin(float64(i*len(v)+j))) / minilm.Dim
		}
		all[d.Key] = v
	}
	return all
}

func byWords(ctx context.Context, x *index.Index, queries []string) error {
	var times []float64
	for range 3 {
		for _, q := range queries {
			if err := ctx.Err(); err != nil {
				return err
			}
			begin := time.Now()
			x.Search(index.NewQuery(q))
			times = append(times, milliseconds(time.Since(begin)))
		}
	}
	show(fmt.Sprintf("query by words, %d tools", x.Len()), "ms", times, "≤ 1")
	return nil
}

func byMeaning(ctx context.Context, x *index.Index, queries []string) error {
	e := minilm.NewEngine(0, nil)
	defer e.Close()
	model, err := minilm.Open()
	if err != nil {
		return err
	}
	var times, tokens []float64
	for i, text := range queries {
		used := cpuTime()
		q := index.NewQuery(text)
		if q.Vector, err = index.EmbedQuery(ctx, e, text); err != nil {
			return err
		}
		x.Search(q)
		if i > 0 { // the first query includes loading the model
			times = append(times, milliseconds(cpuTime()-used))
			tokens = append(tokens, float64(model.Tokens(text, minilm.Options{})))
		}
	}
	show(fmt.Sprintf("query by meaning, %d tools, of %.0f tokens: CPU", x.Len(), median(tokens)), "ms", times, "≤ 12")
	return nil
}

// cpuTime returns the CPU time of this process so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // fails only for a wrong address
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// readVectors measures the work of a second start: building an index of 1,000 tools whose vectors are stored.
func (b *bench) readVectors(ctx context.Context, s searched) error {
	catalog := toolscript.NewCatalog(1, nil, s.several(1000))
	file := search.VectorFile{Dir: filepath.Join(b.Home, "vectors"), Model: minilm.ID, Dim: minilm.Dim}
	if err := file.Add(ctx, madeUp(index.New(catalog, nil).Missing()), nil); err != nil {
		return err
	}
	var words, read []float64
	for range 9 {
		begin := time.Now()
		x := index.New(catalog, nil)
		words = append(words, milliseconds(time.Since(begin)))
		begin = time.Now()
		found, err := file.Read(x.Keys())
		if err != nil {
			return err
		}
		if x = x.With(found.Vectors); x.Known() != x.Len() {
			return fmt.Errorf("%d vectors of %d tools were read", x.Known(), x.Len())
		}
		read = append(read, milliseconds(time.Since(begin)))
	}
	show("start: the words of 1,000 tools indexed", "ms", words, "")
	show("start: their vectors read from the file", "ms", read, "≤ 50")
	return nil
}

// tokens returns the number of tokens of a document that are embedded.
func tokens(model *minilm.Model, d index.Document) (n int) {
	for _, text := range d.Texts {
		n += model.Tokens(minilm.Readable(text), minilm.Options{})
	}
	return n
}
