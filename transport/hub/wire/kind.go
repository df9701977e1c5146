package wire

import "github.com/toolscript/toolscript/transport/upstream"

// Fleet is the kind of servers that the hubs of a fleet define and run. A program that uses a fleet
// connects to them with a hub.Fleet.
var Fleet = upstream.Kind{Type: upstream.Fleet, Hub: true}
