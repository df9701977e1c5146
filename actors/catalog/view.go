package catalog

import (
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/naming"
)

// View is the knowledge of the registry at one moment. It is immutable, and its parts
// are consistent.
type View struct {
	Catalog toolscript.Catalog
	Names   func() *naming.Names // names of exactly this catalog; computed on first use
	Servers []Server             // every configured server, sorted by name
}

// Server is one configured server.
type Server struct {
	toolscript.ServerStatus
	Warnings []string // about the configuration of the server
}

// namesOf computes names lazily: calls need no names, so a catalog whose names cannot
// be computed must not prevent calls.
func namesOf(c toolscript.Catalog) func() *naming.Names {
	return sync.OnceValue(func() *naming.Names { return naming.New(c) })
}
