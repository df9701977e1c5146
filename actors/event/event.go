// Package event holds the facts that actors tell one another. A fact is in the
// past, is never changed once it is sent, and carries the whole new state, so
// that the receiver needs to remember nothing and a lost one is repaired by the
// next.
//
// Facts travel up to the supervisor and from there to those who use them:
//
//	server → ServerChanged, ToolsChanged → registry → CatalogChanged → typecache, search
package event

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
)

// ServersConfigured tells which servers there are now. Each is as new; who knows
// more of one from before goes on knowing it.
type ServersConfigured struct {
	Servers []toolscript.ServerStatus
}

// ServerChanged tells where the connection to a server now stands.
type ServerChanged struct {
	Status toolscript.ServerStatus
}

// ToolsChanged tells which tools a server offers as far as is known: those that
// it listed last, while it is not connected.
type ToolsChanged struct {
	Server   string
	Tools    []toolscript.Tool
	Warnings []string // about the server's configuration: names in its tool lists that no tool has
}

// CatalogChanged tells of a new generation of the catalog.
type CatalogChanged struct {
	Catalog toolscript.Catalog
	Names   func() *codegen.Names // of exactly this catalog; chosen once, when first asked for
}

// RegistryStarted tells that the registry began anew and may have missed facts:
// servers answer it with what they are and have.
type RegistryStarted struct{}
