package typecache

import "github.com/toolscript/toolscript/internal/budget"

// maxModules and maxBytes bound the cached modules: a filter is any text, so callers
// choose their number, and the text of a large catalog has megabytes.
const (
	maxModules = 256
	maxBytes   = 16 << 20
)

// moduleCache caches the modules that were used last. It keeps the last one even if that alone
// exceeds maxBytes, because most callers ask for the same module.
type moduleCache = budget.Cache[key, Rendered]

func newModuleCache() *moduleCache { return budget.NewCache[key, Rendered](maxModules, maxBytes) }

func size(k key, r Rendered) int {
	n := len(k.filter) + len(r.Module.Text)
	for _, w := range r.Warnings {
		n += len(w)
	}
	return n
}
