package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/embedder"
	"github.com/toolscript/toolscript/actors/registry"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/index"
)

// SearchOptions say how tools are found.
type SearchOptions struct {
	Model search.Model // nil: by their words only; the System closes it
	Cache search.Cache // of the model's vectors; nil: they end with the process

	// Outside is a model that takes the place of Model as long as it works, if there
	// is one. OutsideCache is where its vectors are kept; nil: they end with the
	// process.
	Outside      embedder.Source
	OutsideCache func(index.Embedder) search.Cache

	Limit     int      // hits of a query that does not say; 0: index.DefaultLimit
	Threshold *float64 // of such a query; nil: index.DefaultThreshold
	Alpha     *float64 // the part of meaning in a score, 0 to 1; nil: index.DefaultAlpha
}

// searchLimit bounds a search whose caller sets no deadline.
const searchLimit = 10 * time.Second

func (s *System) newSearch() *search.Search {
	return search.New(search.Options{
		Model: s.options.Search.Model, Cache: s.options.Search.Cache, Catalog: s.Catalog,
		Lazy: s.options.OnDemand, Later: s.options.Search.Outside.Open != nil, Logger: s.options.Logger, Work: &s.work,
	})
}

// ConfigureSearch puts other options of the search in force, without a wait for
// what they need. A Model where there was one already is left unused: they are of
// one kind, and the old one may be at work.
func (s *System) ConfigureSearch(o SearchOptions) {
	s.configuring.Lock()
	defer s.configuring.Unlock()
	if s.closing.Err() != nil {
		return
	}
	old := s.searching.Load()
	if old.Model != nil && o.Model != nil {
		o.Model = old.Model
	}
	s.searching.Store(&o)
	if o.Model != old.Model || (o.Cache == nil) != (old.Cache == nil) {
		s.search.Own(o.Model, o.Cache)
		if o.Outside.Open == nil {
			s.use(nil)
		}
	}
	if at, ok := s.directory.find(embedderID); ok {
		at.Engine.Send(at.PID, embedder.Changed{})
	}
}

// searchSpecs are the actor of the search, and that of the model outside.
func (s *System) searchSpecs() []spec {
	source := func() embedder.Source { return s.searching.Load().Outside }
	return []spec{
		{id: searchID, produce: s.search.Produce},
		{id: embedderID, produce: embedder.New(embedder.Options{
			Source: source, Use: s.use, Hold: s.hold, Logger: s.options.Logger, Work: &s.work,
		})},
	}
}

// use has the search use the model outside, or its own when there is none.
func (s *System) use(m embedder.Model) {
	if m == nil {
		s.search.Use(nil, nil)
	} else {
		var cache search.Cache
		if keep := s.searching.Load().OutsideCache; keep != nil {
			cache = keep(m)
		}
		s.search.Use(m, cache)
	}
	s.tellSearch(search.ModelChanged{})
}

// hold has the search use no model until use.
func (s *System) hold() {
	s.search.Hold()
	s.tellSearch(search.ModelChanged{})
}

func (s *System) tellSearch(message any) {
	if at, ok := s.directory.find(searchID); ok {
		at.Engine.Send(at.PID, message)
	}
}

// Search finds tools that do what a query says. It answers from the tools that
// are indexed now, and names the servers that are not among them. The error is
// Invalid for a query that cannot be, NotFound for a server that is not
// configured, Unavailable before there is an index.
func (s *System) Search(ctx context.Context, q toolscript.SearchQuery) (answer toolscript.SearchAnswer, err error) {
	defer s.recovered(&err)
	ctx, cancel := bounded(ctx, searchLimit)
	defer cancel()
	view := s.current()
	query, err := s.query(view, q)
	if err != nil {
		return toolscript.SearchAnswer{}, err
	}
	if !s.awaitIndex(ctx).Indexed {
		return toolscript.SearchAnswer{}, errNotReady
	}
	threshold := query.Threshold
	query.Threshold = 0 // what is below it is named when nothing is above
	result, state := s.search.Find(ctx, query)
	hits, rest := s.hits(view, result.Hits, threshold)
	answer = toolscript.SearchAnswer{
		Query: q.Text, Results: hits, TotalResults: len(hits), Threshold: threshold,
		Mode: string(result.Mode), State: state.String(), Missing: missingServers(view, q.Servers),
	}
	if len(hits) == 0 {
		if answer.Nearest = rest; len(rest) == 0 {
			answer.Nearest = s.nearest(q)
		}
	}
	if q.Types && len(hits) > 0 {
		answer.Types, answer.Example = s.searchTypes(view, hits)
	}
	return answer, nil
}

// errNotReady is the answer before anything is indexed.
var errNotReady = &toolscript.Error{
	Kind:       toolscript.Unavailable,
	Err:        errors.New("Search engine not ready; try again in a moment"),
	RetryAfter: time.Second,
}

// awaitIndex waits for the first index, or in a System that indexes on demand for
// one of the newest catalog with the vectors that the cache has. All other queries
// are answered from the index there is.
func (s *System) awaitIndex(ctx context.Context) search.State {
	if !s.options.OnDemand {
		return s.search.Await(ctx, func(now search.State) bool { return now.Indexed })
	}
	s.tellSearch(search.Wake{})
	generation := s.Catalog().Generation()
	return s.search.Await(ctx, func(now search.State) bool {
		return now.Indexed && now.Generation >= generation && (now.Read || s.searching.Load().Model == nil)
	})
}

// AwaitSearch waits until all tools of the newest catalog can be found by their
// meaning, as far as there is a model, or until ctx ends.
func (s *System) AwaitSearch(ctx context.Context) {
	if s.awaitIndex(ctx); s.closing.Err() != nil {
		return
	}
	generation := s.Catalog().Generation()
	s.search.Await(ctx, func(now search.State) bool { return now.Generation >= generation && now.Pending == 0 && !now.Opening })
}

// query completes and checks what was asked for.
func (s *System) query(view registry.View, q toolscript.SearchQuery) (index.Query, error) {
	o := s.searching.Load()
	query := index.Query{
		Text: q.Text, Limit: cmp.Or(q.Limit, o.Limit, index.DefaultLimit),
		Threshold: or(or(index.DefaultThreshold, o.Threshold), q.Threshold), Alpha: or(index.DefaultAlpha, o.Alpha),
		Servers: q.Servers, ReadOnly: q.ReadOnly, Allow: q.Allow,
	}
	if err := query.Validate(); err != nil {
		return query, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	for _, name := range q.Servers {
		if !view.Catalog.HasServer(name) {
			return query, unknownServer(view, name, q.Allow)
		}
	}
	return query, nil
}

// or is the value that is given, else the other.
func or(other float64, given *float64) float64 {
	if given != nil {
		return *given
	}
	return other
}

func unknownServer(view registry.View, name string, allow toolscript.Filter) error {
	text := fmt.Sprintf("there is no server %.50q", name)
	servers := slices.DeleteFunc(view.Catalog.Servers(), func(server string) bool { return !allow.Reaches(server) })
	if near := toolscript.Nearest(name, servers, nearNames); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	} else {
		text += "; see: toolscript list-servers"
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(text)}
}

// hits are what was found, and the ids of what is below the threshold.
func (s *System) hits(view registry.View, found []index.Hit, threshold float64) (all []toolscript.SearchHit, rest []string) {
	all = make([]toolscript.SearchHit, 0, len(found))
	for _, h := range found {
		if _, there := view.Catalog.Lookup(h.Tool.ID()); !there {
			continue // gone since it was indexed
		}
		if h.Score < threshold {
			rest = append(rest, h.Tool.ID())
			continue
		}
		all = append(all, toolscript.SearchHit{
			ToolID: h.Tool.ID(), ServerName: h.Tool.Server, ToolName: h.Tool.Name, Call: callOf(view.Names(), h.Tool),
			Confidence: h.Score, Reason: h.Reason, Description: h.Tool.Description, Score: h.Score,
			Breakdown: toolscript.ScoreBreakdown{Semantic: h.Semantic, Fuzzy: h.Lexical, Combined: h.Score},
		})
	}
	return all, rest[:min(len(rest), nearNames)]
}

// nearest are tools with names like the query's words, of those it asked for.
func (s *System) nearest(q toolscript.SearchQuery) []string {
	catalog := s.Catalog()
	return slices.DeleteFunc(s.search.Nearest(q.Text, nearNames), func(id string) bool {
		tool, ok := catalog.Lookup(id)
		return !ok || !q.Allow.Match(tool) || len(q.Servers) > 0 && !slices.Contains(q.Servers, tool.Server)
	})
}

// missingServers are the servers, of those asked for, that have no tools because
// they are not connected.
func missingServers(view registry.View, asked []string) []toolscript.MissingServer {
	var all []toolscript.MissingServer
	for _, server := range view.Servers {
		if server.State != toolscript.Ready && (len(asked) == 0 || slices.Contains(asked, server.Name)) {
			all = append(all, toolscript.MissingServer{Name: server.Name, State: server.State, Error: server.Error})
		}
	}
	return all
}

// SearchStatus says what tools can be searched by. It does not block.
func (s *System) SearchStatus() toolscript.SearchStatus {
	return s.searchStats(s.current()).SearchStatus
}

// SearchStats are the figures of the search.
func (s *System) SearchStats(context.Context) (toolscript.SearchStats, error) {
	if !s.search.State().Indexed {
		return toolscript.SearchStats{}, errNotReady
	}
	return s.searchStats(s.current()), nil
}

func (s *System) searchStats(view registry.View) toolscript.SearchStats {
	now := s.search.State()
	unsettled := slices.ContainsFunc(view.Servers, func(s registry.Server) bool { return !s.Settled })
	stats := toolscript.SearchStats{
		SearchStatus: toolscript.SearchStatus{
			Ready:    !unsettled && now.Indexed && now.Generation >= view.Catalog.Generation(),
			Semantic: now.Model != "",
			State:    now.String(),
		},
		ToolsIndexed: now.Tools, CachedEmbeddings: now.Vectors, Model: now.Model, SemanticAvailable: now.Model != "",
		CacheHitRate: now.HitRate, Generation: now.Generation, ModelLoaded: now.Loaded, Failed: now.Failed,
		IndexingMs: now.SpentMs, Queries: now.Queries,
	}
	if now.Err != nil {
		stats.LastError = now.Err.Error()
	}
	return stats
}
