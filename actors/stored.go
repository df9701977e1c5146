package actors

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/internal/rescue"
)

// Limits of a text about stored values.
const (
	mostStored  = 40       // values, or groups of them; the newest
	mostAlike   = 5        // values of a group that are examined
	mostStudied = 4 << 20  // bytes of values that are examined for one text
	mostKept    = 4 * 1024 // shapes that are kept
	alike       = 4        // the least number of keys with the same prefix that form a group
)

// StoreTypes describes the store of scripts and the values that the client of q can read.
// Values that cannot be read are left out: types are documentation.
func (s *System) StoreTypes(ctx context.Context, q toolscript.StoreQuery) (t toolscript.StoreTypes, err error) {
	defer rescue.Catch(s.panicked(&err))
	scopes := store.Scopes
	if q.Form == toolscript.StoreDeclarations {
		scopes = []string{store.Project} // the written declarations may be committed to a repository
	}
	var known []codegen.Stored
	if s.options.Store != nil && s.observes() {
		known = s.stored(ctx, store.Owner{Session: q.Session, WorkDir: q.Cwd}, scopes)
	}
	if err := toolscript.ContextError(ctx); err != nil {
		return t, err
	}
	switch q.Form {
	case toolscript.StoreDeclarations:
		t.Types = codegen.StoreDeclarations(known)
	case toolscript.StoreValues:
		t.Types = codegen.StoredTypes(known)
	default:
		t.Types = codegen.StoreTypes(known)
	}
	return t, nil
}

// group is a value, or several values whose keys have the same prefix, the newest first.
type group struct {
	about   codegen.Stored
	entries []store.Entry
}

// stored returns the newest values of an owner, in an order that does not change with a new
// value of a known key.
func (s *System) stored(ctx context.Context, of store.Owner, scopes []string) []codegen.Stored {
	runs := ""
	if list, err := s.store(ctx, store.Request{Owner: of, Op: store.List, Scope: store.Runs, Key: store.RunKey}); err == nil {
		runs = list.Scope
	}
	var groups []group
	for _, scope := range scopes {
		list, err := s.store(ctx, store.Request{Owner: of, Op: store.List, Scope: scope})
		if err == nil { // otherwise the client may not read the scope, or the file is damaged
			groups = append(groups, grouped(scope, list.Entries, scope == runs)...)
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.entries[0].Updated, a.entries[0].Updated) })
	groups = groups[:min(len(groups), mostStored)]
	left := mostStudied
	known := make([]codegen.Stored, 0, len(groups))
	for _, g := range groups {
		var shape codegen.ObservedValue
		for _, e := range g.entries[:min(len(g.entries), mostAlike)] {
			shape = shape.Or(s.shapeOf(ctx, store.Request{Owner: of, Op: store.Get, Scope: g.about.Scope, Key: e.Key}, e, &left))
		}
		g.about.Type = shape.Type()
		known = append(known, g.about)
	}
	slices.SortFunc(known, func(a, b codegen.Stored) int {
		return cmp.Or(cmp.Compare(slices.Index(scopes, a.Scope), slices.Index(scopes, b.Scope)), strings.Compare(a.Key, b.Key))
	})
	return known
}

// aBeginning matches the prefix that keys of one kind share: "issue/" of issue/1234.
var aBeginning = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.@-]+(?:[/:][A-Za-z0-9_.@-]+)*[/:]`) })

// grouped groups the values by the prefix of their keys. runs reports whether store.run reads
// the values of runs from this scope.
func grouped(scope string, entries []store.Entry, runs bool) []group {
	begin := map[string][]store.Entry{}
	for _, e := range entries {
		start := aBeginning().FindString(e.Key)
		if runs && start == store.RunKey {
			start = ""
		}
		begin[start] = append(begin[start], e)
	}
	var groups []group
	for _, start := range slices.Sorted(maps.Keys(begin)) {
		of := begin[start]
		if start != "" && len(of) >= alike {
			slices.SortStableFunc(of, func(a, b store.Entry) int { return cmp.Compare(b.Updated, a.Updated) })
			groups = append(groups, group{codegen.Stored{Scope: scope, Key: start, Begin: true}, of})
			continue
		}
		for _, e := range of {
			groups = append(groups, group{single(scope, e.Key, runs), []store.Entry{e}})
		}
	}
	return groups
}

func single(scope, key string, runs bool) codegen.Stored {
	if name, ok := strings.CutPrefix(key, store.RunKey); ok && runs {
		return codegen.Stored{Scope: scope, Key: name, Run: true}
	}
	return codegen.Stored{Scope: scope, Key: key}
}

// storedShapes are the shapes of values that were examined. The zero value is ready to use.
type storedShapes struct {
	mu   sync.Mutex
	seen map[storedVersion]codegen.ObservedValue
}

// storedVersion is one value of a key.
type storedVersion struct {
	store.Owner
	scope, key string
	version    uint64
	updated    int64
}

// shapeOf returns the shape of a value: the zero Value if the value has more bytes than left,
// cannot be read, or has changed meanwhile.
func (s *System) shapeOf(ctx context.Context, q store.Request, e store.Entry, left *int) codegen.ObservedValue {
	v := storedVersion{q.Owner, q.Scope, e.Key, e.Version, e.Updated}
	if shape, ok := s.shapesOfStored.get(v); ok {
		return shape
	}
	if *left < e.Bytes {
		return codegen.ObservedValue{}
	}
	*left -= e.Bytes
	answer, err := s.store(ctx, q)
	if err != nil || answer.Version != e.Version {
		return codegen.ObservedValue{}
	}
	shape := codegen.ShapeOf(answer.Value)
	s.shapesOfStored.put(v, shape)
	return shape
}

func (k *storedShapes) get(v storedVersion) (codegen.ObservedValue, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	shape, ok := k.seen[v]
	return shape, ok
}

// put keeps a shape. If there are too many, it drops all others: shapes in use are soon
// computed again.
func (k *storedShapes) put(v storedVersion, shape codegen.ObservedValue) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == nil || len(k.seen) >= mostKept {
		k.seen = map[storedVersion]codegen.ObservedValue{}
	}
	k.seen[v] = shape
}
