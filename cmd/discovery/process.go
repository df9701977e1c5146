package discovery

import (
	"errors"
	"os"
	"sync"
)

// errGone says that no process of that id runs.
var errGone = errors.New("no such process")

func isGone(err error) bool { return errors.Is(err, errGone) }

// place is where process ids mean something: one machine, and on Linux one
// namespace of it. A command in a sandbox with a namespace of its own sees none
// of the gateways outside, which does not make them stale.
type place struct{ host, pidNamespace string }

var thisPlace = sync.OnceValue(func() place {
	host, _ := os.Hostname() // without a name all machines are taken for one
	return place{host, pidNamespace()}
})
