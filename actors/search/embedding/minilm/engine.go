package minilm

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/toolscript/toolscript/internal/rescue"
)

// MaxIdle is the default time after which an Engine releases an unused model.
const MaxIdle = 2 * time.Minute

// atOnce is the number of concurrent forward passes, each with up to 4 MB of memory:
// one for the indexer, the others for queries.
const atOnce = 4

// Engine embeds texts with a model that it loads when needed. It releases the model
// when it has not been used for a while. It is safe for concurrent use.
type Engine struct {
	idle     time.Duration
	released func()
	slots    chan struct{}

	mu     sync.Mutex
	model  *Model // nil while not loaded
	users  int
	timer  *time.Timer // runs while the model is loaded and unused
	closed bool
}

// NewEngine returns an engine without a loaded model. idle of 0 means MaxIdle.
// released is called after each release of the model; it may be nil.
func NewEngine(idle time.Duration, released func()) *Engine {
	if idle == 0 {
		idle = MaxIdle
	}
	if released == nil {
		released = func() {}
	}
	return &Engine{idle: idle, released: released, slots: make(chan struct{}, atOnce)}
}

// ID returns the ID of the model, its weights and the filter of documents.
func (e *Engine) ID() string { return ID }

// Dim returns the length of a vector.
func (e *Engine) Dim() int { return Dim }

// Embed returns a vector of length 1 for the Readable part of each document, with
// normal priority.
func (e *Engine) Embed(ctx context.Context, documents []string) ([][]float32, error) {
	return e.embed(ctx, readable(documents), Options{})
}

// EmbedQuery returns the vector of a query in a few milliseconds. Queries are not
// filtered by Readable, because unreadable parts belong to the request too.
func (e *Engine) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	vectors, err := e.embed(ctx, []string{query}, Options{})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// Background returns an engine with low priority in this process and on this machine. It
// calls pause every few hundred microseconds of work, and other goroutines run before
// it continues.
func (e *Engine) Background(pause func()) Background { return Background{e, pause} }

// Background embeds at low priority; see Engine.Background.
type Background struct {
	*Engine
	pause func()
}

// Embed is Engine.Embed at low priority. It runs on its own thread, which ends
// afterwards, because a lowered priority cannot be raised again.
func (b Background) Embed(ctx context.Context, documents []string) (vectors [][]float32, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer rescue.Into(&err)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		lowerPriority()
		vectors, err = b.embed(ctx, readable(documents), Options{Pause: func() {
			b.pause()
			runtime.Gosched()
		}})
	}()
	<-done
	return vectors, err
}

// Loaded reports whether the model is in memory.
func (e *Engine) Loaded() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.model != nil
}

// Close releases the model when its last user is done. Later calls of Embed fail.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	unused := e.users == 0 && e.drop()
	e.mu.Unlock()
	if unused {
		e.giveBack()
	}
}

func (e *Engine) embed(ctx context.Context, texts []string, o Options) ([][]float32, error) {
	select {
	case e.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.slots }()
	m, err := e.acquire()
	if err != nil {
		return nil, fmt.Errorf("load the embedding model: %w", err)
	}
	defer e.done()
	return m.Embed(ctx, texts, o)
}

func (e *Engine) acquire() (*Model, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, context.Canceled
	}
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	if e.model == nil {
		m, err := Open()
		if err != nil {
			return nil, err
		}
		e.model = m
	}
	e.users++
	return e.model, nil
}

func (e *Engine) done() {
	e.mu.Lock()
	e.users--
	unused := false
	switch {
	case e.users > 0:
	case e.closed:
		unused = e.drop()
	default:
		e.timer = time.AfterFunc(e.idle, e.expire)
	}
	e.mu.Unlock()
	if unused {
		e.giveBack()
	}
}

// expire releases the model. It may run late, when the model is in use again.
func (e *Engine) expire() {
	e.mu.Lock()
	unused := e.users == 0 && e.timer != nil && e.drop()
	e.mu.Unlock()
	if unused {
		e.giveBack()
	}
}

// drop removes the model and reports whether there was one. The caller holds the
// lock.
func (e *Engine) drop() bool {
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	there := e.model != nil
	e.model = nil
	return there
}

// giveBack returns the memory of the model to the system immediately, as the next
// garbage collection may be far off. It runs without the lock, because a collection
// takes about 10 ms. If the model is loaded again meanwhile, a few of its pages are
// read twice.
func (e *Engine) giveBack() {
	dropPages(blob)
	debug.FreeOSMemory()
	e.released()
}
