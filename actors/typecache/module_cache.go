package typecache

// maxModules and maxBytes bound the cached modules: a filter is any text, so callers
// choose their number, and the text of a large catalog has megabytes.
const (
	maxModules = 256
	maxBytes   = 16 << 20
)

// moduleCache caches the newest modules. It keeps the newest module even if that alone exceeds
// maxBytes, because most callers ask for the same module.
type moduleCache struct {
	modules map[key]Rendered
	order   []key // oldest first
	bytes   int
}

func newModuleCache() *moduleCache { return &moduleCache{modules: map[key]Rendered{}} }

func (s *moduleCache) get(k key) (Rendered, bool) {
	r, ok := s.modules[k]
	return r, ok
}

// put caches a module under a new key.
func (s *moduleCache) put(k key, r Rendered) {
	s.modules[k] = r
	s.order = append(s.order, k)
	s.bytes += size(k, r)
	for len(s.order) > 1 && (len(s.order) > maxModules || s.bytes > maxBytes) {
		s.drop()
	}
}

// drop removes the oldest module.
func (s *moduleCache) drop() {
	oldest := s.order[0]
	s.order = s.order[1:]
	s.bytes -= size(oldest, s.modules[oldest])
	delete(s.modules, oldest)
}

func size(k key, r Rendered) int {
	n := len(k.filter) + len(r.Module.Text)
	for _, w := range r.Warnings {
		n += len(w)
	}
	return n
}
