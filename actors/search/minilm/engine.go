package minilm

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// MaxIdle is how long an Engine keeps the model that nobody uses, unless
// NewEngine is told otherwise.
const MaxIdle = 2 * time.Minute

// atOnce is how many forward passes may run at a time, each with up to 4 MB of
// its own: one for the indexer, the others for those who search.
const atOnce = 4

// Engine embeds texts with a model that it loads when it is needed. When nobody
// has needed it for a while, it gives the memory back. It is safe for concurrent
// use.
type Engine struct {
	idle     time.Duration
	released func()
	slots    chan struct{}

	mu     sync.Mutex
	model  *Model // nil while nobody needs it
	users  int
	timer  *time.Timer // runs while the model is loaded and has no user
	closed bool
}

// NewEngine returns an engine that has nothing loaded. idle of 0 means MaxIdle.
// released is called each time that the model has been given back; nil: nothing.
func NewEngine(idle time.Duration, released func()) *Engine {
	if idle == 0 {
		idle = MaxIdle
	}
	if released == nil {
		released = func() {}
	}
	return &Engine{idle: idle, released: released, slots: make(chan struct{}, atOnce)}
}

// ID names the model, its weights and what it reads of a document.
func (e *Engine) ID() string { return ID }

// Dim is the length of a vector.
func (e *Engine) Dim() int { return Dim }

// Embed returns a vector of length 1 for what is Readable of each document. It is
// for somebody who waits.
func (e *Engine) Embed(ctx context.Context, documents []string) ([][]float32, error) {
	return e.embed(ctx, readable(documents), Options{})
}

// EmbedQuery is Embed for a query, and takes a few milliseconds. All of the query
// is embedded: what cannot be read in it is part of what is asked for.
func (e *Engine) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	vectors, err := e.embed(ctx, []string{query}, Options{})
	if err != nil {
		return nil, err
	}
	return vectors[0], nil
}

// Background is the engine for work that nobody waits for: it lets everybody
// else go first, in this process and on this machine.
func (e *Engine) Background() Background { return Background{e} }

// Background embeds at low priority; see Engine.Background.
type Background struct{ *Engine }

// Embed is Engine.Embed at low priority. It runs on a thread of its own, which
// ends with it, as a priority once lowered cannot be raised again.
func (b Background) Embed(ctx context.Context, documents []string) (vectors [][]float32, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		lowerPriority()
		vectors, err = b.embed(ctx, readable(documents), Options{Pause: runtime.Gosched})
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

// Close gives the model back as soon as nobody uses it; Embed fails from now on.
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

// expire may come late, when the timer has fired but somebody has come before
// it got the lock.
func (e *Engine) expire() {
	e.mu.Lock()
	unused := e.users == 0 && e.timer != nil && e.drop()
	e.mu.Unlock()
	if unused {
		e.giveBack()
	}
}

// drop forgets the model, and reports whether there was one. The caller holds
// the lock.
func (e *Engine) drop() bool {
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
	}
	there := e.model != nil
	e.model = nil
	return there
}

// giveBack returns to the system what the model used now, and not when the
// collector next finds time: nobody works here for a while. Without the lock, as
// a collection takes some 10 ms; who needs the model meanwhile loads it again, and
// at worst reads a few of its pages twice.
func (e *Engine) giveBack() {
	dropPages(blob)
	debug.FreeOSMemory()
	e.released()
}
