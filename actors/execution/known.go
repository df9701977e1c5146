package execution

import (
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// What the caches may hold. A compiled script is up to a megabyte, so that a
// number alone would bound nothing.
const (
	maxKnown      = 1000
	maxKnownBytes = 32 << 20
)

// known is what the text of scripts has been found to be, by its content. The
// runs of one gateway share it.
type known struct {
	compiled *cache[compilation]
	checked  *cache[[]toolscript.Diagnostic]
}

func newKnown() *known {
	return &known{
		compiled: newCache(func(c compilation) int {
			return len(c.JavaScript) + len(c.SourceMap) + sizeOf(c.found)
		}),
		checked: newCache(sizeOf),
	}
}

// compilation is what compiling gave: a module, or findings.
type compilation struct {
	runner.Compiled
	found []toolscript.Diagnostic
}

func sizeOf(found []toolscript.Diagnostic) int {
	n := 0
	for _, d := range found {
		n += len(d.File) + len(d.Message) + len(d.Excerpt)
	}
	return n
}

// digest is the hash of a content.
type digest [sha256.Size]byte

// hash is one digest of several texts, each with its length, so that no two rows
// of texts run together to the same.
func hash(texts ...string) digest {
	h := sha256.New()
	for _, text := range texts {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text)))) // a hash never fails
		_, _ = h.Write([]byte(text))
	}
	return digest(h.Sum(nil))
}

// cache keeps the values that were used last. It is safe for concurrent use.
type cache[V any] struct {
	size func(V) int

	mu      sync.Mutex
	entries map[digest]*list.Element
	order   *list.List // of entry[V], the last used at the front
	bytes   int
}

type entry[V any] struct {
	key   digest
	value V
	size  int
}

// entryBytes is what an entry costs beside its value.
const entryBytes = 200

func newCache[V any](size func(V) int) *cache[V] {
	return &cache[V]{
		size:    func(v V) int { return size(v) + entryBytes },
		entries: map[digest]*list.Element{}, order: list.New(),
	}
}

// find gives the value of a key, and finds it when it is not there; keep says
// whether it may be kept. A hit is noted in the run's metrics under name. Two
// runs of one new text both find its value: that is rare, and neither waits for
// the other's worker.
func (c *cache[V]) find(w *work, name string, key digest, find func() (value V, keep bool, err error)) (V, error) {
	if value, ok := c.get(key); ok {
		w.metrics.Cached = append(w.metrics.Cached, name)
		return value, nil
	}
	value, keep, err := find()
	if err == nil && keep {
		c.put(key, value)
	}
	return value, err
}

func (c *cache[V]) get(key digest) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.entries[key]
	if at == nil {
		return value, false
	}
	c.order.MoveToFront(at)
	return at.Value.(entry[V]).value, true
}

func (c *cache[V]) put(key digest, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[key] != nil { // found by two runs at once
		return
	}
	e := entry[V]{key, value, c.size(value)}
	c.entries[key] = c.order.PushFront(e)
	c.bytes += e.size
	for c.order.Len() > maxKnown || c.bytes > maxKnownBytes {
		oldest := c.order.Remove(c.order.Back()).(entry[V])
		delete(c.entries, oldest.key)
		c.bytes -= oldest.size
	}
}
