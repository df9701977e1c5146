package shim

import (
	"slices"

	"github.com/microsoft/typescript-go/internal/ast"
)

// maxModuleBytes bounds the text of the declarations that are kept. Parsed and
// bound they take eight times as much: 12.6 MB, 2,000 large tools, are 100 MB.
const maxModuleBytes = 4 << 20

// module is one version of the declarations of "toolscript".
type module struct {
	key    string
	text   string
	parsed *ast.SourceFile // nil before its first check
}

// modules are the declarations at hand, the last used at the end. The last one
// is kept even when it alone is longer than maxModuleBytes.
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

// Members are the names of what an interface of a module has, in the order of
// the text; nil when the module has not been checked or has no such interface.
func (c *Checker) Members(key, name string) (names []string) {
	m := c.modules.get(key)
	if m == nil || m.parsed == nil {
		return nil
	}
	for _, statement := range m.parsed.Statements.Nodes {
		if !ast.IsInterfaceDeclaration(statement) || statement.Name().Text() != name {
			continue
		}
		for _, member := range statement.Members() {
			if ast.IsMethodSignatureDeclaration(member) || ast.IsPropertySignatureDeclaration(member) {
				names = append(names, member.Name().Text())
			}
		}
	}
	return names
}
