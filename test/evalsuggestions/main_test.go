package main

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/hook"
	"github.com/toolscript/toolscript/test/toolslist"
)

// TestPrecision checks that 80 % of the suggested tools fit, over the shared tool lists if they exist,
// and over the excerpt.
func TestPrecision(t *testing.T) {
	all, err := prompts()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	excerpt, err := toolslist.Excerpt("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, tools := range [][]toolscript.Tool{whole, excerpt} {
		for _, s := range sections(catalogs(tools)) {
			var f figures
			for half := range halves {
				f = f.plus(measure(s.catalogs, all, half, hook.SuggestionThreshold))
			}
			t.Logf("%d tools, %s: %+v", len(tools), s.name, f)
			if f.precision() < 80 || f.shown < 10 {
				t.Errorf("%d tools, %s: %.1f %% of %d suggestions fit, want 80 %%", len(tools), s.name, f.precision(), f.shown)
			}
		}
	}
}

// TestPrompts checks that each pattern matches a tool of the shared tool lists.
func TestPrompts(t *testing.T) {
	all, err := prompts()
	if err != nil {
		t.Fatal(err)
	}
	tools, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	complete := toolslist.Shared(filepath.Join("..", "..")) != ""
	needy, seen := 0, map[string]bool{}
	for _, p := range all {
		if seen[p.Prompt] {
			t.Errorf("%q: twice", p.Prompt)
		}
		seen[p.Prompt] = true
		needy += min(len(p.Tools), 1)
		for _, pattern := range p.Tools {
			matches := func(tool toolscript.Tool) bool { ok, _ := path.Match(pattern, tool.ID()); return ok }
			if _, err := path.Match(pattern, ""); err != nil || complete && !slices.ContainsFunc(tools, matches) {
				t.Errorf("%q: no tool is called %q", p.Prompt, pattern)
			}
		}
	}
	if len(all) < 150 || needy*5 < len(all)*2 || needy*5 > len(all)*3 {
		t.Errorf("%d prompts, of which %d need a tool", len(all), needy)
	}
}

// TestTokens checks that the longest possible suggestion has at most 300 tokens.
func TestTokens(t *testing.T) {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"日本語の説明文", "описание инструмента ", "🦓🪤🫠", "ꦱꦏꦤ", "a-b_c.d!", "𝔵𝕪", "create an issue "} {
		tool := hook.Suggestion{Tool: toolscript.Tool{Server: "s", Name: strings.Repeat(text, 99), Description: strings.Repeat(text, 999)}}
		n, err := codec.Count(hook.SuggestionText([]hook.Suggestion{tool, tool, tool}, func(t toolscript.Tool) string { return t.Name }))
		if err != nil || n > 300 {
			t.Errorf("%s: %d tokens, %v", text, n, err)
		}
	}
}
