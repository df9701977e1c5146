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

// ActorChanged is the new state of an actor, or says that it is gone.
type ActorChanged struct {
	Status toolscript.ActorStatus
	Gone   bool
}

// RunChanged is the new state of a run.
type RunChanged struct{ Run toolscript.RunEntry }

// ApprovalChanged is a call that waits for a person, or says that the call does not wait any
// more.
type ApprovalChanged struct {
	Approval toolscript.Approval
	Gone     bool
}

// Stopping says that the gateway stops, and with it all servers.
type Stopping struct{}

// RegistryStarted says that the registry was restarted and may have missed facts.
// Servers answer with their state.
type RegistryStarted struct{}
