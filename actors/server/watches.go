package server

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Watches receives the announcements of servers. Its methods do not block, and are safe for concurrent use.
type Watches interface {
	// Tell receives an announcement of a server. The goroutine that reads from the server calls it.
	Tell(c toolscript.Change)
	// Connected is called when a server is connected. It has no subscriptions then.
	Connected(server string)
	// Subscribed reports whether a resource of a server is subscribed. Such a server does not rest.
	Subscribed(server string) bool
	// Logs reports whether log messages of a level are wanted.
	Logs(level string) bool
}

// announce passes the announcements of the server to the Watches.
func (k *connLoop) announce(on *upstream.Events) {
	on.Updated = func(uri string) {
		k.Watches.Tell(toolscript.Change{Of: toolscript.ChangeResource, Server: k.Name, URI: uri})
	}
	on.ListChanged = func(of toolscript.Collection) {
		k.Watches.Tell(toolscript.Change{Of: toolscript.ChangeList, Server: k.Name, List: of})
	}
	on.Said = func(level, logger string, data json.RawMessage) {
		if k.Watches.Logs(level) {
			k.Watches.Tell(toolscript.Change{
				Of: toolscript.ChangeLog, Server: k.Name, Level: level, Logger: logger, Data: data,
			})
		}
	}
}
