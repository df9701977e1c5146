package catalog

import (
	"github.com/toolscript/toolscript"
)

// ServersConfigured is the new set of servers. A receiver keeps what it knows about a server
// that stays.
type ServersConfigured struct {
	Servers []toolscript.ServerStatus
}

// ServerChanged is the new state of the connection to a server.
type ServerChanged struct {
	Status toolscript.ServerStatus
}

// ToolsChanged has the tools and skills that a server offers. If it is not connected, they are the tools
// that it listed last.
type ToolsChanged struct {
	Server   string
	Tools    []toolscript.Tool
	Warnings []string // about tool filters of the configuration that name no tool
}

// Changed says that the catalog has a new generation. The View has the catalog.
type Changed struct{ Generation uint64 }

// Stopping says that the gateway stops, and with it all servers.
type Stopping struct{}

// RegistryStarted says that the registry was restarted and may have missed facts.
// Servers answer with their state.
type RegistryStarted struct{}
