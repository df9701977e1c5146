package registry

import (
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
)

// View is what the registry knows at one moment. It is immutable; its parts fit
// one another.
type View struct {
	Catalog toolscript.Catalog
	Names   func() *codegen.Names // of exactly this catalog; chosen once, when first asked for
	Servers []Server              // every configured server, sorted by name
}

// Server is one configured server.
type Server struct {
	toolscript.ServerStatus
	Warnings []string // about its configuration
}

// namesOf chooses names lazily: calls do without them, so a catalog whose names
// cannot be chosen must not keep its tools from being called.
func namesOf(c toolscript.Catalog) func() *codegen.Names {
	return sync.OnceValue(func() *codegen.Names { return codegen.NewNames(c) })
}
