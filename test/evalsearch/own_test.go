package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/test/toolslist"
)

// TestOwnQueries ranks the own queries by words alone, over the shared schemas if they exist, and over
// the excerpt. The required figures are slightly below those measured when the word lists were made.
func TestOwnQueries(t *testing.T) {
	shared := map[string]float64{"typo": 95, "name": 95, "word": 78, "phrase": 65, "synonym": 60}
	excerpt := map[string]float64{"typo": 90, "name": 92, "word": 75, "phrase": 60, "synonym": 60}
	t.Run("excerpt", func(t *testing.T) {
		tools, err := toolslist.Excerpt("../..")
		if err != nil {
			t.Fatal(err)
		}
		askOwn(t, tools, "the repository's excerpt", excerpt)
	})
	t.Run("all that there is", func(t *testing.T) {
		tools, name, err := ownTools("../..")
		if err != nil {
			t.Fatal(err)
		}
		if len(tools) > 400 {
			askOwn(t, tools, name, shared)
		} else {
			askOwn(t, tools, name, excerpt)
		}
	})
}

func askOwn(t *testing.T, tools []toolscript.Tool, name string, floors map[string]float64) {
	t.Helper()
	s, err := ownSet(tools, name)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Queries) < 100 {
		t.Fatalf("%s: that is too few", s.Name)
	}
	in := &collection{index: index.New(toolscript.NewCatalog(1, nil, s.Tools), nil)}
	var questions []question
	for _, q := range s.Queries {
		questions = append(questions, question{Query: q, in: in})
	}
	answers := ask(ranker{"lexical", func(q question) []string { return searchFor(q, 0, false) }}, questions)
	names, members := kinds(questions)
	for _, kind := range names {
		got := 100 * mean(pick(answers, columns[1].pick), members[kind])
		t.Logf("%s: %s (%d): hit@3 %.1f", s.Name, kind, len(members[kind]), got)
		if got < floors[kind] {
			t.Errorf("%s: hit@3 of the kind %s is %.1f, want at least %.1f", s.Name, kind, got, floors[kind])
		}
	}
}

// TestOwnAnswers checks that each right answer of an own query is a tool of the shared schemas.
func TestOwnAnswers(t *testing.T) {
	tools, name, err := ownTools("../..")
	if err != nil {
		t.Fatal(err)
	}
	complete := len(tools) > 400
	t.Logf("%d tools of %s", len(tools), name)
	kinds := map[string]int{}
	err = eachOwn(func(q ownQuery) error {
		kinds[q.Kind]++
		for _, pattern := range q.Tools {
			if _, err := filepath.Match(pattern, ""); err != nil {
				t.Errorf("%q: %q: %v", q.Query, pattern, err)
			}
			if complete && len(matching(tools, []string{pattern})) == 0 {
				t.Errorf("%q: no tool is called %q", q.Query, pattern)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range kinds {
		total += n
	}
	if text, err := json.Marshal(kinds); total < 200 || len(kinds) < 6 || err != nil {
		t.Errorf("%s: %v", text, err)
	}
}
