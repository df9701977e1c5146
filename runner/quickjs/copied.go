package quickjs

// copiedStore restores an image by copying it. It works on all systems.
type copiedStore struct{ snapshot }

func (s copiedStore) newMemory(limit uint64) (memory, error) {
	return &copiedMemory{image: s.snapshot, limit: limit}, nil
}

func (copiedStore) close() error { return nil }

// copiedMemory is a memory in the Go heap. It moves when it grows.
type copiedMemory struct {
	image snapshot // empty while the engine boots
	data  []byte
	limit uint64
}

// Reallocate implements experimental.LinearMemory.
func (m *copiedMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		return nil
	}
	if size > uint64(cap(m.data)) {
		grown := make([]byte, size, min(m.limit, max(size, 2*uint64(cap(m.data)))))
		copy(grown, m.data)
		m.data = grown
	}
	m.data = m.data[:size]
	return m.data
}

// Free implements experimental.LinearMemory.
func (m *copiedMemory) Free() { m.data = nil }

func (m *copiedMemory) setLimit(bytes uint64) { m.limit = bytes }

func (m *copiedMemory) restore() error {
	clear(m.data)
	for _, p := range m.image.pieces {
		copy(m.data[p.offset:], p.data)
	}
	return nil
}

// written returns nil: no page needs to be warmed.
func (*copiedMemory) written() []span { return nil }

func (*copiedMemory) warm([]span) {}
