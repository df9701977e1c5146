// Command evalsuggestions measures the suggestions of tools for prompts: the share of the suggested
// tools that fit the prompt, and the share of the prompts that need a tool and get a fitting one. The
// prompts are in testdata; half of them need no tool. The tools are those of real servers: all of
// them, seven groups of two or three servers, and each server alone. Run: task eval-suggestions.
package main

import (
	"bufio"
	"bytes"
	_ "embed" // for the prompts
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/tiktoken-go/tokenizer"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/hook"
	"github.com/toolscript/toolscript/test/toolslist"
)

var (
	//go:embed testdata/prompts.jsonl
	promptLines []byte
	//go:embed testdata/later.jsonl
	laterLines []byte // written after the weights were chosen
)

// prompt is one line of the prompts.
type prompt struct {
	Prompt string
	Tools  []string // patterns of the ids of fitting tools; empty if no tool fits

	half int // index in halves
}

// halves are the parts of the prompts. The weights were chosen by the first part.
var halves = []string{"tuning", "test", "later"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("evalsuggestions: ")
	if err := run("."); err != nil {
		log.Fatal(err)
	}
}

func run(root string) error {
	all, err := prompts()
	if err != nil {
		return err
	}
	tools, err := read(root)
	if err != nil {
		return err
	}
	catalogs := catalogs(tools)
	needy := 0
	for _, p := range all {
		needy += min(len(p.Tools), 1)
	}
	fmt.Printf("%d prompts; %d of them need a tool. The threshold is %.2f.\n"+
		"The weights were chosen on every second of the first 177 prompts (tuning); 60 prompts were written later.\n", len(all), needy, hook.SuggestionThreshold)
	for _, g := range sections(catalogs) {
		fmt.Printf("\n%-18s %-8s %9s %6s %6s %10s %8s\n", g.name, "half", "threshold", "shown", "fit", "precision", "recall")
		for _, threshold := range []float64{0.65, 0.85, 0.9, hook.SuggestionThreshold, 1, 1.05} {
			for half, name := range halves {
				f := measure(g.catalogs, all, half, threshold)
				fmt.Printf("%-18s %-8s %9.2f %6d %6d %9.1f%% %7.1f%%\n", "", name, threshold, f.shown, f.fit, f.precision(), f.recall())
			}
		}
	}
	return costs(catalogs[0], all)
}

// section is a group of catalogs that is measured together.
type section struct {
	name     string
	catalogs []catalog
}

func sections(all []catalog) []section {
	return []section{{"all servers", all[:1]}, {"groups of servers", all[1 : 1+len(groups)]}, {"single servers", all[1+len(groups):]}}
}

func prompts() ([]prompt, error) {
	var all []prompt
	for n, text := range [][]byte{promptLines, laterLines} {
		lines := bufio.NewScanner(bytes.NewReader(text))
		for lines.Scan() {
			p := prompt{half: len(all) % 2}
			if n == 1 {
				p.half = 2
			}
			if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
				return nil, fmt.Errorf("prompt %d: %w", len(all)+1, err)
			}
			all = append(all, p)
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// groups are servers that people configure together.
var groups = [][]string{
	{"github", "filesystem", "memory"}, {"playwright", "notion", "context7"}, {"mongodb", "kubernetes"}, {"github-npm", "airtable", "tavily"},
	{"cloudflare", "sequential-thinking"}, {"chrome-devtools", "everything"}, {"firecrawl", "memory", "filesystem"},
}

type catalog struct {
	tools []toolscript.Tool
	index *hook.Index
}

// catalogs returns one catalog of all servers, one for each group, and one for each server.
func catalogs(tools []toolscript.Tool) []catalog {
	all := make([]catalog, 1+len(groups))
	all[0].tools = tools
	alone := map[string][]toolscript.Tool{}
	for _, t := range tools {
		alone[t.Server] = append(alone[t.Server], t)
	}
	for _, server := range slices.Sorted(maps.Keys(alone)) {
		all = append(all, catalog{tools: alone[server]})
		for i, servers := range groups {
			if slices.Contains(servers, server) {
				all[i+1].tools = append(all[i+1].tools, alone[server]...)
			}
		}
	}
	for i := range all {
		all[i].index = hook.NewIndex(all[i].tools)
	}
	return all
}

// read returns the tools of the shared tool lists if they exist, or else those of the excerpt.
func read(root string) ([]toolscript.Tool, error) {
	dir := toolslist.Shared(root)
	if dir == "" {
		return toolslist.Excerpt(root)
	}
	lists, err := toolslist.Read(dir)
	var tools []toolscript.Tool
	for _, l := range lists {
		tools = append(tools, l.Tools...)
	}
	return tools, err
}

// figures counts suggested tools, fitting ones, prompts that need a tool, and those that get one.
type figures struct{ shown, fit, needy, helped int }

func (f figures) precision() float64 { return percent(f.fit, f.shown) }
func (f figures) recall() float64    { return percent(f.helped, f.needy) }

func (f figures) plus(g figures) figures {
	return figures{f.shown + g.shown, f.fit + g.fit, f.needy + g.needy, f.helped + g.helped}
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }

// measure counts the suggestions for the prompts of one half.
func measure(catalogs []catalog, all []prompt, half int, threshold float64) (f figures) {
	for _, c := range catalogs {
		for _, p := range all {
			if p.half != half {
				continue
			}
			if slices.ContainsFunc(c.tools, p.needs) {
				f.needy++
			}
			shown, fit := c.index.Above(p.Prompt, threshold), 0
			for _, s := range shown {
				if p.needs(s.Tool) {
					fit++
				}
			}
			f.shown, f.fit, f.helped = f.shown+len(shown), f.fit+fit, f.helped+min(fit, 1)
		}
	}
	return f
}

func (p prompt) needs(t toolscript.Tool) bool {
	return slices.ContainsFunc(p.Tools, func(pattern string) bool {
		ok, err := path.Match(pattern, t.ID())
		return ok && err == nil
	})
}

// costs prints the tokens of the suggested texts, and the times of building the index and of a search.
func costs(c catalog, all []prompt) error {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	most := 0
	begin := time.Now()
	hook.NewIndex(c.tools)
	built := time.Since(begin)
	begin = time.Now()
	for _, p := range all {
		c.index.Find(p.Prompt)
	}
	searched := time.Since(begin) / time.Duration(len(all))
	for _, p := range all {
		if found := c.index.Find(p.Prompt); len(found) > 0 {
			n, err := codec.Count(hook.SuggestionText(found, func(t toolscript.Tool) string { return t.Server + "." + t.Name }))
			if err != nil {
				return err
			}
			most = max(most, n)
		}
	}
	fmt.Printf("\n%d tools: indexed in %.1f ms, searched in %.2f ms; the longest text has %d tokens\n",
		len(c.tools), float64(built.Microseconds())/1000, float64(searched.Microseconds())/1000, most)
	return nil
}
