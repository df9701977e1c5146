package index_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
	"github.com/toolscript/toolscript/actors/search/index"
)

// floors are the numbers of golden queries with a right tool in the first place and
// in the first five. Each is two less than the result when the ranking was made.
var floors = []struct {
	mode        index.Mode
	first, five int
}{
	{index.Lexical, 42, 60},
	{index.Hybrid, 48, 62},
}

// TestGolden ranks tools of eleven real servers. testdata/tools.jsonl has their
// names, inputs and the first part of their descriptions.
// The short form embeds nothing, and has the lexical figures only.
func TestGolden(t *testing.T) {
	x := index.New(goldenCatalog(t), nil)
	e := minilm.NewEngine(0, nil)
	defer e.Close()
	modes := floors
	if testing.Short() {
		modes = floors[:1]
	} else {
		vectors, err := index.Embed(t.Context(), e, x.Missing())
		if err != nil {
			t.Fatal(err)
		}
		x = x.With(vectors)
	}
	golden := readLines[struct {
		Query string
		Tools []string
	}](t, "testdata/golden.jsonl")
	for _, floor := range modes {
		first, five := 0, 0
		for _, g := range golden {
			q := index.Query{Text: g.Query, Limit: 5, Alpha: index.DefaultAlpha}
			if floor.mode == index.Hybrid {
				var err error
				if q.Vector, err = index.EmbedQuery(t.Context(), e, g.Query); err != nil {
					t.Fatal(err)
				}
			}
			r := x.Search(q)
			if r.Mode != floor.mode {
				t.Fatalf("mode %s, want %s", r.Mode, floor.mode)
			}
			place := slices.IndexFunc(r.Hits, func(h index.Hit) bool { return slices.Contains(g.Tools, h.Tool.ID()) })
			if place == 0 {
				first++
			}
			if place >= 0 {
				five++
			} else {
				t.Logf("%s: %q, want %s: %s", floor.mode, g.Query, g.Tools[0], show(r))
			}
		}
		t.Logf("%s: %d of %d first, %d among five", floor.mode, first, len(golden), five)
		if first < floor.first || five < floor.five {
			t.Errorf("%s: %d first and %d among five of %d, want at least %d and %d", floor.mode, first, five, len(golden), floor.first, floor.five)
		}
	}
}

func goldenCatalog(t *testing.T) toolscript.Catalog {
	t.Helper()
	var tools []toolscript.Tool
	for _, entry := range readLines[struct {
		Server, Name, Description string
		Inputs                    []string
	}](t, "testdata/tools.jsonl") {
		properties := map[string]bool{}
		for _, input := range entry.Inputs {
			properties[input] = true
		}
		schema, err := json.Marshal(map[string]any{"properties": properties})
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, toolscript.Tool{Server: entry.Server, Name: entry.Name, Description: entry.Description, InputSchema: schema})
	}
	return toolscript.NewCatalog(1, nil, tools)
}

func readLines[T any](t *testing.T, file string) []T {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []T
	for line := range bytes.Lines(text) {
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}
