package runs

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/runner"
)

// The bounds of each cache. A compiled script can have a megabyte, so a bound of the entries
// alone would not bound the memory.
const (
	maxKnown      = 1000
	maxKnownBytes = 32 << 20
)

// scriptCache has the results of compilations and type checks, by content. All runs
// of a gateway share it.
type scriptCache struct {
	compiled *cache[compilation]
	checked  *cache[[]toolscript.Diagnostic]
}

func newScriptCache() *scriptCache {
	return &scriptCache{
		compiled: newCache(func(c compilation) int {
			n := len(c.JavaScript) + len(c.SourceMap) + sizeOf(c.found)
			for _, m := range c.Modules {
				n += len(m.Path) + len(m.JavaScript) + len(m.SourceMap)
			}
			return n
		}),
		checked: newCache(sizeOf),
	}
}

// compilation is the result of compiling: a module or findings.
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

// hash hashes texts with their lengths, so that no two lists of texts have the same
// input.
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

	mu   sync.Mutex
	kept *budget.Cache[digest, V]
}

// entryBytes is the size of an entry besides its value.
const entryBytes = 200

func newCache[V any](size func(V) int) *cache[V] {
	return &cache[V]{size: size, kept: budget.NewCache[digest, V](maxKnown, maxKnownBytes)}
}

// find returns the cached value of a key, or calls find and caches its value if keep is
// true. It adds a hit to the metrics of the run under name. Two runs of one new text may
// both call the function find; this is rare, and neither run waits for the other.
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
	return c.kept.Get(key)
}

func (c *cache[V]) put(key digest, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.kept.Get(key); !known { // two runs may have found the value at the same time
		c.kept.Put(key, value, c.size(value)+entryBytes)
	}
}
