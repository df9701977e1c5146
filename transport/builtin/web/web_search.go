package web

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// WebSearch is the tool webSearch.
var WebSearch = tool.Tool{
	Name:  "webSearch",
	Title: "Search the web",
	Description: "Search the web with the configured provider. The results of several queries are merged by rank, each address once. " +
		"The first pages are fetched in the background, so that fetchUrl has them at once.",
	Input: `{"type": "object", "required": ["query"], "additionalProperties": false, "properties": {
		"query": {"type": ["string", "array"], "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 10, "minLength": 1},
		"maxResults": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "of all queries together"},
		"prefetch": {"type": "integer", "minimum": 0, "maximum": 20, "default": 3, "description": "how many pages to fetch in the background"}}}`,
	Output: `{"type": "object", "required": ["results"], "additionalProperties": false, "properties": {
		"results": {"type": "array", "items": {"type": "object", "required": ["url", "title", "snippet"], "additionalProperties": false,
			"properties": {"url": {"type": "string"}, "title": {"type": "string"}, "snippet": {"type": "string"},
			"relevanceScore": {"type": "number", "description": "if the provider has one"}}}}}}`,
	Annotations: reads(),
	Run:         tool.Func(webSearch),
}

const (
	defaultResults  = 10
	defaultPrefetch = 3
)

type searchArgs struct {
	Query      tool.Strings `json:"query"`
	MaxResults int          `json:"maxResults"`
	Prefetch   *int         `json:"prefetch"`
}

type searchResult struct {
	Results []hit `json:"results"`
}

// hit is a page that a search has found.
type hit struct {
	URL     string   `json:"url"`
	Title   string   `json:"title"`
	Snippet string   `json:"snippet"`
	Score   *float64 `json:"relevanceScore,omitempty"`
}

func webSearch(ctx context.Context, w *tool.Workspace, args searchArgs) (searchResult, error) {
	p, err := newProvider(w.Settings.Web.Search, w.Answers)
	if err != nil {
		return searchResult{}, err
	}
	limit, prefetch := args.MaxResults, defaultPrefetch
	if limit == 0 {
		limit = defaultResults
	}
	if args.Prefetch != nil {
		prefetch = *args.Prefetch
	}
	lists, failures := make([][]hit, len(args.Query)), make([]error, len(args.Query))
	var group sync.WaitGroup
	for i, query := range args.Query {
		group.Go(func() { lists[i], failures[i] = p.search(ctx, query, limit) })
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return searchResult{}, err
	}
	hits := merge(lists, limit)
	fetchAhead(w, hits[:min(prefetch, len(hits))])
	return searchResult{hits}, nil
}

// merge merges the results of all lists by rank, and keeps each address once.
func merge(lists [][]hit, limit int) []hit {
	merged, seen := []hit{}, map[string]bool{}
	longest := 0
	for _, list := range lists {
		longest = max(longest, len(list))
	}
	for rank := range longest {
		for _, list := range lists {
			if rank < len(list) && !seen[list[rank].URL] {
				seen[list[rank].URL] = true
				merged = append(merged, list[rank])
			}
		}
	}
	return slices.Clip(merged[:min(len(merged), limit)])
}

// fetchAhead fetches pages into the cache in the background. If a page cannot be fetched,
// fetchUrl will report why.
func fetchAhead(w *tool.Workspace, hits []hit) {
	f, err := newFetcher(w)
	if err != nil || len(hits) == 0 {
		return
	}
	urls := make([]string, len(hits))
	for i, h := range hits {
		urls[i] = h.URL
	}
	w.Background(func(ctx context.Context) { f.all(ctx, urls) })
}
