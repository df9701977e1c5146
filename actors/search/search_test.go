package search_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/embedding"
	"github.com/toolscript/toolscript/actors/search/index"
)

// model embeds a text as one of two directions: about files, or not.
type model struct {
	mu       sync.Mutex
	embedded []string // by Background
	refuse   func(text string) bool
	hold     chan struct{}      // nil: calls do not block
	step     func(pause func()) // the work of Background; may be nil
}

func (m *model) ID() string   { return "fake-1" }
func (m *model) Dim() int     { return 2 }
func (m *model) Loaded() bool { return true }
func (m *model) Close()       {}

func (m *model) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var all [][]float32
	for _, text := range texts {
		if m.refuse != nil && m.refuse(text) {
			return nil, errors.New("refused")
		}
		v := []float32{0, 1}
		if strings.Contains(text, "file") || strings.Contains(text, "document") {
			v = []float32{1, 0}
		}
		all = append(all, v)
	}
	return all, nil
}

func (m *model) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	all, err := m.Embed(ctx, []string{query})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func (m *model) Background(pause func()) embedding.Embedder { return background{m, pause} }

type background struct {
	*model
	pause func()
}

func (b background) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if b.hold != nil {
		select {
		case <-b.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if b.step != nil {
		b.step(b.pause)
	}
	b.mu.Lock()
	b.embedded = append(b.embedded, texts...)
	b.mu.Unlock()
	return b.model.Embed(ctx, texts)
}

func (m *model) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.embedded)
}

type rig struct {
	*search.Search
	engine  *actor.Engine
	pid     *actor.PID
	work    mailbox.Group
	log     bytes.Buffer
	catalog atomic.Pointer[toolscript.Catalog]
}

func start(t *testing.T, catalog toolscript.Catalog, change func(*search.Options)) *rig {
	t.Helper()
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{engine: engine}
	r.catalog.Store(&catalog)
	o := search.Options{
		Catalog: func() toolscript.Catalog { return *r.catalog.Load() }, Work: &r.work,
		Logger: slog.New(slog.NewTextHandler(&r.log, nil)),
	}
	change(&o)
	r.Search = search.New(o)
	r.pid = engine.Spawn(r.Produce, "search", mailbox.NewLife().Options("1")...)
	t.Cleanup(r.stop)
	return r
}

func (r *rig) stop() {
	<-r.engine.Poison(r.pid).Done()
	<-r.work.Idle()
}

func (r *rig) change(c toolscript.Catalog) {
	r.catalog.Store(&c)
	r.engine.Send(r.pid, catalog.Changed{Generation: c.Generation()})
}

// settled waits until a generation is completely indexed.
func (r *rig) settled(t *testing.T, generation uint64) search.State {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	now := r.Await(ctx, func(s search.State) bool { return s.Indexed && s.Generation == generation && s.Pending == 0 })
	if ctx.Err() != nil {
		t.Fatalf("generation %d is not indexed: %+v", generation, now)
	}
	return now
}

func (r *rig) best(t *testing.T, query string) string {
	t.Helper()
	q := index.NewQuery(query)
	q.Threshold = 0
	result, _ := r.Find(t.Context(), q)
	if len(result.Hits) == 0 {
		return string(result.Mode)
	}
	return string(result.Mode) + " " + result.Hits[0].Tool.ID()
}

func catalogOf(generation uint64, names ...string) toolscript.Catalog {
	var tools []toolscript.Tool
	for _, name := range names {
		tools = append(tools, toolscript.Tool{Server: "s", Name: name})
	}
	return toolscript.NewCatalog(generation, []string{"s"}, tools)
}

func many(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("tool_", i))
	}
	return names
}

// TestAnswersWhileItIndexes: queries are lexical from the first index on, and hybrid
// when the vectors are there. Until a new index is published, the old one answers.
func TestAnswersWhileItIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{hold: make(chan struct{})}
		r := start(t, catalogOf(1, "read_file", "add"), func(o *search.Options) { o.Model = m })
		synctest.Wait()
		if got, state := r.best(t, "read file"), r.State().String(); got != "lexical s__read_file" || state != "indexing 0/2" {
			t.Errorf("while indexing: %q in state %q", got, state)
		}
		close(m.hold)
		r.settled(t, 1)
		if got, state := r.best(t, "document"), r.State().String(); got != "hybrid s__read_file" || state != "hybrid" {
			t.Errorf("indexed: %q in state %q", got, state)
		}
		m.hold = make(chan struct{})
		r.change(catalogOf(2, "read_file", "add", "mul"))
		synctest.Wait()
		if got, now := r.best(t, "mul"), r.State(); got != "lexical s__mul" || now.String() != "indexing 2/3" || now.Generation != 2 {
			t.Errorf("a new tool: %q in state %s of generation %d", got, now, now.Generation)
		}
		close(m.hold)
	})
}

// TestNewToolsAreFoundWhileVectorsAreComputed: the index of a new catalog does not wait
// for a step that computes vectors.
func TestNewToolsAreFoundWhileVectorsAreComputed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{hold: make(chan struct{})}
		r := start(t, catalogOf(1, "read_file", "add"), func(o *search.Options) { o.Model = m })
		synctest.Wait() // the step is under way
		r.change(catalogOf(2, "read_file", "add", "mul"))
		synctest.Wait()
		if got, now := r.best(t, "mul"), r.State(); got != "lexical s__mul" || now.Generation != 2 {
			t.Errorf("a new tool: %q in generation %d", got, now.Generation)
		}
		close(m.hold)
		if now := r.settled(t, 2); now.Vectors != 3 || m.count() != 6 {
			t.Errorf("%d vectors, %d texts embedded; want 3 and two of each tool", now.Vectors, m.count())
		}
	})
}

func TestOnlyWhatIsNewIsEmbedded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{}
		r := start(t, catalogOf(1, many(20)...), func(o *search.Options) { o.Model = m })
		r.settled(t, 1)
		if got := m.count(); got != 40 {
			t.Errorf("%d texts embedded, want two of each tool", got)
		}
		r.change(catalogOf(2, append(many(20), "new")...))
		r.settled(t, 2)
		r.change(catalogOf(3)) // the server disconnects and reconnects
		r.settled(t, 3)
		r.change(catalogOf(4, many(20)...))
		r.settled(t, 4)
		if got := m.count(); got != 42 {
			t.Errorf("%d texts embedded, want 42", got)
		}
	})
}

// TestTheNextGatewayReadsWhatThisOneComputed: a second gateway reads the stored
// vectors, and does not write the file if nothing is new.
func TestTheNextGatewayReadsWhatThisOneComputed(t *testing.T) {
	file := search.VectorFile{Dir: t.TempDir(), Model: "fake-1", Dim: 2}
	for generation, want := range []int{0, 40, 40} {
		m := &model{}
		names := many(20)
		if generation == 0 {
			names = nil
		}
		r := start(t, catalogOf(1, names...), func(o *search.Options) { o.Model, o.Cache = m, file })
		now := r.settled(t, 1)
		r.stop()
		if generation < 2 && m.count() != want || generation == 2 && (m.count() != 0 || now.HitRate != 1) {
			t.Errorf("start %d embedded %d texts, hit rate %v", generation, m.count(), now.HitRate)
		}
		found, err := file.Read(keysOf(catalogOf(1, many(20)...)))
		if err != nil || len(found.Vectors) != want/2 {
			t.Errorf("start %d: %d in the file, %v", generation, len(found.Vectors), err)
		}
	}
}

func keysOf(c toolscript.Catalog) []index.Key { return index.New(c, nil).Keys() }

// TestADamagedCacheIsRebuilt: a damaged cache is logged and rebuilt.
func TestADamagedCacheIsRebuilt(t *testing.T) {
	file := search.VectorFile{Dir: t.TempDir(), Model: "fake-1", Dim: 2}
	other := search.VectorFile{Dir: file.Dir, Model: "fake-1", Dim: 3}
	if err := other.Add(t.Context(), index.Vectors{{1}: {0, 0, 1}}, nil); err != nil {
		t.Fatal(err)
	}
	r := start(t, catalogOf(1, many(3)...), func(o *search.Options) { o.Model, o.Cache = &model{}, file })
	r.settled(t, 1)
	r.stop()
	if !strings.Contains(r.log.String(), "damaged") {
		t.Errorf("log: %s", r.log.String())
	}
	if found, err := file.Read(keysOf(catalogOf(1, many(3)...))); err != nil || len(found.Vectors) != 3 {
		t.Errorf("%d vectors, %v", len(found.Vectors), err)
	}
}

// cache fails with the errors in its fields.
type cache struct {
	read, add error
	adds      int
}

func (c *cache) Read([]index.Key) (search.FoundVectors, error) { return search.FoundVectors{}, c.read }
func (c *cache) Claim() (func(), error)                        { return func() {}, nil }
func (c *cache) Add(context.Context, index.Vectors, []index.Key) error {
	c.adds++
	return c.add
}

func TestWithoutAUsableCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &cache{read: errors.New("no read"), add: errors.New("no add")}
		r := start(t, catalogOf(1, many(30)...), func(o *search.Options) { o.Model, o.Cache = &model{}, c })
		if now := r.settled(t, 1); now.String() != "hybrid" || now.Err == nil {
			t.Errorf("state %s, %v", now, now.Err)
		}
		synctest.Wait()
		if c.adds != 2 { // the repair and the computed vectors
			t.Errorf("%d attempts to write", c.adds)
		}
	})
}

// TestAToolThatCannotBeEmbedded: the tool is found by its words, and the other tools
// get their vectors.
func TestAToolThatCannotBeEmbedded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{refuse: func(text string) bool { return strings.Contains(text, "tool_7.") || strings.Contains(text, "tool 7.") }}
		r := start(t, catalogOf(1, many(20)...), func(o *search.Options) { o.Model = m })
		now := r.settled(t, 1)
		if now.Vectors != 19 || now.Failed != 1 || now.String() != "hybrid" {
			t.Errorf("%d vectors, %d failed, state %s", now.Vectors, now.Failed, now)
		}
		if got := r.best(t, "tool_7"); got != "hybrid s__tool_7" {
			t.Errorf("found %q", got)
		}
	})
}

// TestAModelThatDoesNotWork: the model is disabled, with one line in the log.
func TestAModelThatDoesNotWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{refuse: func(string) bool { return true }}
		r := start(t, catalogOf(1, many(50)...), func(o *search.Options) { o.Model = m })
		now := r.settled(t, 1)
		if now.String() != "lexical" || now.Model != "" || m.count() > 16 {
			t.Errorf("state %s, model %q, %d texts tried", now, now.Model, m.count())
		}
		if got := r.best(t, "tool_7"); got != "lexical s__tool_7" {
			t.Errorf("found %q", got)
		}
		synctest.Wait() // the log line follows the state
		if n := strings.Count(r.log.String(), "fake-1"); n != 1 {
			t.Errorf("said %d times:\n%s", n, r.log.String())
		}
	})
}

// TestIndexingYieldsToCalls: indexing waits for a pause between calls, but not without
// limit.
func TestIndexingYieldsToCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{}
		var r *rig
		stop := make(chan struct{})
		defer close(stop)
		r = start(t, catalogOf(0), func(o *search.Options) { o.Model = m })
		go func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(5 * time.Millisecond):
					r.Busy()
				}
			}
		}()
		time.Sleep(10 * time.Millisecond)
		r.change(catalogOf(1, many(8)...))
		time.Sleep(400 * time.Millisecond)
		if got := m.count(); got != 0 {
			t.Errorf("%d texts embedded between calls", got)
		}
		time.Sleep(time.Second)
		if got := m.count(); got == 0 {
			t.Error("a gateway that is never idle is never indexed")
		}
	})
}

// TestAStepPausesForCalls: a step of the indexer waits in its middle while calls begin and
// end, but not without limit.
func TestAStepPausesForCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		waits := make(chan time.Duration, 3)
		m := &model{step: func(pause func()) {
			begin := time.Now()
			pause()
			waits <- time.Since(begin)
			r.Busy()
			pause()
			waits <- time.Since(begin)
			for range 10_000 {
				r.Busy()
				pause()
			}
			waits <- time.Since(begin)
		}}
		r = start(t, catalogOf(0), func(o *search.Options) { o.Model = m })
		r.change(catalogOf(1, many(1)...))
		if quiet := <-waits; quiet != 0 {
			t.Errorf("without calls a step pauses for %v", quiet)
		}
		if short := <-waits; short <= 0 || short > 5*time.Millisecond {
			t.Errorf("after a call a step pauses for %v", short)
		}
		if long := <-waits; long < 100*time.Millisecond || long > time.Second {
			t.Errorf("with calls without end a step pauses for %v in all", long)
		}
		r.settled(t, 1)
	})
}

// TestLazy: without a search, nothing is indexed.
func TestLazy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{}
		r := start(t, catalogOf(1, many(4)...), func(o *search.Options) { o.Model, o.Lazy = m, true })
		r.change(catalogOf(2, many(5)...))
		synctest.Wait()
		if r.State().Indexed || m.count() != 0 {
			t.Errorf("indexed without being asked: %+v", r.State())
		}
		r.engine.Send(r.pid, search.Wake{})
		r.settled(t, 2)
	})
}

// TestEndInTheMiddle: stop saves the computed vectors and does not wait for the rest.
func TestEndInTheMiddle(t *testing.T) {
	file := search.VectorFile{Dir: t.TempDir(), Model: "fake-1", Dim: 2}
	m := &model{hold: make(chan struct{}, 1)}
	m.hold <- struct{}{} // one batch
	r := start(t, catalogOf(1, many(20)...), func(o *search.Options) { o.Model, o.Cache = m, file })
	r.Await(t.Context(), func(s search.State) bool { return s.Vectors > 0 })
	r.stop()
	if found, err := file.Read(keysOf(catalogOf(1, many(20)...))); err != nil || len(found.Vectors) == 0 {
		t.Errorf("%d vectors kept, %v", len(found.Vectors), err)
	}
}
