package shim

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// maxModuleBytes bounds the text of the stored declarations. Parsed and bound, declarations
// take eight times their size: 12.6 MB, for 2,000 large tools, take 100 MB.
const maxModuleBytes = 4 << 20

// module is one version of the declarations of the module "toolscript".
type module struct {
	key    string
	text   string
	parsed *ast.SourceFile // parsed form; nil before the first check
}

// modules stores declarations, the most recently used last. The last is kept even if it
// exceeds maxModuleBytes.
type modules struct {
	kept  []*module
	bytes int
}

func (m *modules) put(key, text string) {
	if m.get(key) != nil {
		return
	}
	m.kept = append(m.kept, &module{key: key, text: text})
	m.bytes += len(text)
	for len(m.kept) > 1 && m.bytes > maxModuleBytes {
		m.bytes -= len(m.kept[0].text)
		m.kept = slices.Delete(m.kept, 0, 1)
	}
}

func (m *modules) get(key string) *module {
	i := slices.IndexFunc(m.kept, func(k *module) bool { return k.key == key })
	if i < 0 {
		return nil
	}
	found := m.kept[i]
	m.kept = append(slices.Delete(m.kept, i, i+1), found)
	return found
}
