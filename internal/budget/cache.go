package budget

import "container/list"

// Cache keeps the most recently used values, up to a number of values and a size in bytes. It keeps
// the newest value even if that value alone is larger. It is not safe for concurrent use.
type Cache[K comparable, V any] struct {
	number, size int
	entries      map[K]*list.Element // elements of order
	order        list.List           // elements are *cached[K, V], the most recently used first
	bytes        int
}

type cached[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// NewCache returns a Cache for at most number values with at most size bytes together.
func NewCache[K comparable, V any](number, size int) *Cache[K, V] {
	return &Cache[K, V]{number: number, size: size, entries: map[K]*list.Element{}}
}

// Len returns the number of values.
func (c *Cache[K, V]) Len() int { return c.order.Len() }

// Bytes returns the size of all values.
func (c *Cache[K, V]) Bytes() int { return c.bytes }

// Get returns a value and marks it as the most recently used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	at := c.entries[key]
	if at == nil {
		return value, false
	}
	c.order.MoveToFront(at)
	return at.Value.(*cached[K, V]).value, true
}

// Put adds a value under a new key. It reports whether it has dropped other values.
func (c *Cache[K, V]) Put(key K, value V, size int) (dropped bool) {
	c.entries[key] = c.order.PushFront(&cached[K, V]{key: key, value: value})
	return c.Grow(key, size)
}

// Grow adds to the size of a value, if the cache has it. It reports whether it has dropped other values.
func (c *Cache[K, V]) Grow(key K, size int) (dropped bool) {
	at := c.entries[key]
	if at == nil {
		return false
	}
	at.Value.(*cached[K, V]).size += size
	c.bytes += size
	for c.order.Len() > 1 && (c.order.Len() > c.number || c.bytes > c.size) {
		oldest := c.order.Remove(c.order.Back()).(*cached[K, V])
		delete(c.entries, oldest.key)
		c.bytes -= oldest.size
		dropped = true
	}
	return dropped
}
