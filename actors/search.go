package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/embedding"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/internal/rescue"
)

// SearchOptions configure how tools are found.
type SearchOptions struct {
	Model search.Model // nil: only the words are compared; the System closes it
	Cache search.Cache // keeps the model's vectors; nil: they are not kept

	// Outside is the source of a model that replaces Model while it is open. OutsideCache returns the cache of its
	// vectors; nil: they are not kept.
	Outside      search.ModelSource
	OutsideCache func(embedding.Embedder) search.Cache

	Limit     int      // default limit of a query; 0: index.DefaultLimit
	Threshold *float64 // default threshold of a query; nil: index.DefaultThreshold
	Alpha     *float64 // weight of the meaning in a score, 0 to 1; nil: index.DefaultAlpha
}

// searchLimit bounds a search whose caller has no deadline.
const searchLimit = 10 * time.Second

// indexLimit bounds how long a search waits for the tools of servers that have just
// connected. Their index takes a few milliseconds, unless the machine is busy.
const indexLimit = time.Second

func (s *System) newSearch() *search.Search {
	return search.New(search.Options{
		Model: s.options.Search.Model, Cache: s.options.Search.Cache, Catalog: s.Catalog,
		Lazy: s.options.OnDemand, Later: s.options.Search.Outside.Open != nil, Changed: s.putSearch, Logger: s.options.Logger, Work: &s.work,
	})
}

// ConfigureSearch replaces the options of the search. It does not wait until the new options
// are in effect. A Model that is open already stays in use, because it may be working and the
// new Model is of the same kind.
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
	if at, ok := s.directory.Find(embedderID); ok {
		mailbox.Send(at.Engine, at.PID, search.SourceChanged{})
	}
}

// searchSpecs returns the actors of the search and of the outside model.
func (s *System) searchSpecs() []mailbox.Spec {
	source := func() search.ModelSource { return s.searching.Load().Outside }
	return []mailbox.Spec{
		{ID: searchID, Produce: s.search.Produce},
		{ID: embedderID, Produce: search.NewModelActor(search.ModelOptions{
			Source: source, Use: s.use, Hold: s.hold, Logger: s.options.Logger, Work: &s.work,
		})},
	}
}

// use makes the search use the outside model, or its own if m is nil.
func (s *System) use(m search.OpenModel) {
	if m == nil {
		s.search.Use(nil, nil)
	} else {
		var cache search.Cache
		if keep := s.searching.Load().OutsideCache; keep != nil {
			cache = keep(m)
		}
		s.search.Use(m, cache)
	}
	s.notifySearch(search.ModelChanged{})
}

// hold makes the search use no model until use is called.
func (s *System) hold() {
	s.search.Hold()
	s.notifySearch(search.ModelChanged{})
}

func (s *System) notifySearch(message any) {
	if at, ok := s.directory.Find(searchID); ok {
		mailbox.Send(at.Engine, at.PID, message)
	}
}

// Search finds tools and skills for a query. It uses the tools that are indexed now and returns
// the servers that are not. The error is Invalid for a wrong query, NotFound for a
// server that is not configured, Unavailable while nothing is indexed.
func (s *System) Search(ctx context.Context, q toolscript.SearchQuery) (answer toolscript.SearchAnswer, err error) {
	defer rescue.Catch(s.panicked(&err))
	ctx, cancel := bounded(ctx, searchLimit)
	defer cancel()
	view := s.current()
	if err := s.noServers(view); err != nil {
		return toolscript.SearchAnswer{}, err
	}
	query, err := s.query(view, q)
	if err != nil {
		return toolscript.SearchAnswer{}, err
	}
	if !s.awaitIndex(ctx).Indexed {
		return toolscript.SearchAnswer{}, errNotReady
	}
	result, state := s.search.Find(ctx, query)
	hits := s.hits(view, result.Hits)
	answer = toolscript.SearchAnswer{
		Query: q.Text, Results: hits, TotalResults: max(result.Matches, len(hits)), Threshold: query.Threshold,
		Mode: string(result.Mode), State: state.String(), Missing: missingServers(view, q),
	}
	for _, h := range hits {
		if h.Unsure {
			answer.Nearest = append(answer.Nearest, h.ToolID)
		}
	}
	if len(answer.Nearest) == len(hits) && result.Foreign {
		answer.Hint = "the tools are described in English; search in English"
	}
	if len(view.Catalog.Skills()) > 0 {
		answer.Skills = s.skillHits(ctx, view, query)
	}
	if q.Types && len(hits) > 0 {
		answer.Types, answer.Example = s.searchTypes(view, hits)
	}
	return answer, nil
}

// skillHits finds skills for a query. A skill that does not match well is not found.
func (s *System) skillHits(ctx context.Context, view catalog.View, query index.Query) (hits []toolscript.SkillHit) {
	query.Skills = true
	result, _ := s.search.Find(ctx, query)
	known := view.Catalog.Skills()
	for _, h := range result.Hits {
		there := slices.ContainsFunc(known, func(t toolscript.Tool) bool { return t.ID() == h.Tool.ID() })
		if there && !h.Unsure && h.Tool.Server != toolscript.ScriptsServer { // a saved script is found as a tool
			hits = append(hits, toolscript.SkillHit{
				ServerName: h.Tool.Server, Name: h.Tool.Title, URI: h.Tool.Name, Description: h.Tool.Description, Confidence: h.Score,
			})
		}
	}
	return hits
}

// errNotReady is the error while nothing is indexed.
var errNotReady = &toolscript.Error{
	Kind:       toolscript.Unavailable,
	Err:        errors.New("Search engine not ready; try again in a moment"),
	RetryAfter: time.Second,
}

// awaitIndex waits for the first index, and up to indexLimit for the index of the newest
// catalog. A System on demand waits without a limit for the index of the newest catalog and
// for the vectors in the cache.
func (s *System) awaitIndex(ctx context.Context) search.State {
	generation := s.Catalog().Generation()
	if !s.options.OnDemand {
		s.search.Await(ctx, func(now search.State) bool { return now.Indexed })
		ctx, cancel := context.WithTimeout(ctx, indexLimit)
		defer cancel()
		return s.search.Await(ctx, func(now search.State) bool { return now.Indexed && now.Generation >= generation })
	}
	s.notifySearch(search.Wake{})
	return s.search.Await(ctx, func(now search.State) bool {
		return now.Indexed && now.Generation >= generation && (now.Read || s.searching.Load().Model == nil)
	})
}

// AwaitSearch waits until all tools of the newest catalog can be found by meaning, if
// there is a model, or until ctx ends. It reports whether they can be found.
func (s *System) AwaitSearch(ctx context.Context) bool {
	if s.awaitIndex(ctx); s.closing.Err() != nil {
		return false
	}
	generation := s.Catalog().Generation()
	enough := func(now search.State) bool { return now.Generation >= generation && now.Pending == 0 && !now.Opening }
	return enough(s.search.Await(ctx, enough))
}

// query completes and validates a query.
func (s *System) query(view catalog.View, q toolscript.SearchQuery) (index.Query, error) {
	o := s.searching.Load()
	query := index.NewQuery(q.Text)
	query.Near = q.Limit == 0 && o.Limit == 0
	query.Limit = cmp.Or(q.Limit, o.Limit, query.Limit)
	query.Threshold = or(or(query.Threshold, o.Threshold), q.Threshold)
	query.Alpha = or(query.Alpha, o.Alpha)
	query.Servers, query.ReadOnly, query.Allow = q.Servers, q.ReadOnly, q.Allow
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

// or returns *given, or other if given is nil.
func or(other float64, given *float64) float64 {
	if given != nil {
		return *given
	}
	return other
}

func unknownServer(view catalog.View, name string, allow toolscript.Filter) error {
	servers := slices.DeleteFunc(view.Catalog.Servers(), func(server string) bool { return !allow.Reaches(server) })
	near := cmp.Or(naming.DidYouMean(naming.Nearest(name, servers, nearNames)), "; see: toolscript list-servers")
	return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("there is no server %.50q%s", name, near)}
}

// hits converts hits, without the tools that have left the catalog since.
func (s *System) hits(view catalog.View, found []index.Hit) []toolscript.SearchHit {
	all := make([]toolscript.SearchHit, 0, len(found))
	for _, h := range found {
		if _, there := view.Catalog.Lookup(h.Tool.ID()); !there {
			continue
		}
		all = append(all, toolscript.SearchHit{
			ToolID: h.Tool.ID(), ServerName: h.Tool.Server, Accounts: view.Catalog.Accounts(h.Tool.Server), ToolName: h.Tool.Name, Call: view.Names().Call(h.Tool),
			Confidence: h.Score, Reason: h.Reason, Description: h.Tool.Description, Score: h.Score, Unsure: h.Unsure,
			Breakdown: toolscript.ScoreBreakdown{Semantic: h.Semantic, Fuzzy: h.Lexical, Combined: h.Score},
		})
	}
	return all
}

// missingServers returns the servers of the query that have no tools and no skills because they are
// not connected.
func missingServers(view catalog.View, q toolscript.SearchQuery) []toolscript.MissingServer {
	var all []toolscript.MissingServer
	for _, server := range view.Servers {
		wanted := q.Names(server.Name) && (len(q.Servers) > 0 || !server.Disabled)
		if !server.Serves() && server.Tools+server.Skills == 0 && wanted && q.Allow.Reaches(server.Name) {
			all = append(all, toolscript.MissingServer{Name: server.Name, State: server.State, Error: cmp.Or(server.Error, server.Start(time.Now()))})
		}
	}
	return all
}

// SearchStatus returns the state of the search. It does not block.
func (s *System) SearchStatus() toolscript.SearchStatus {
	return s.searchStats(s.current()).SearchStatus
}

// SearchStats returns the figures of the search.
func (s *System) SearchStats(context.Context) (toolscript.SearchStats, error) {
	if !s.search.State().Indexed {
		return toolscript.SearchStats{}, errNotReady
	}
	return s.searchStats(s.current()), nil
}

func (s *System) searchStats(view catalog.View) toolscript.SearchStats {
	now := s.search.State()
	unsettled := slices.ContainsFunc(view.Servers, func(s catalog.Server) bool { return !s.Settled })
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
