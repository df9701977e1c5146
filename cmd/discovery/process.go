package discovery

import (
	"errors"
	"os"
	"sync"
)

// errGone is the error of a process that has ended.
var errGone = errors.New("no such process")

var scope = sync.OnceValues(func() (host, namespace string) {
	host, _ = os.Hostname() // without a name, all machines count as one
	return host, pidNamespace()
})

// Scope returns the machine, and on Linux the PID namespace, in which process ids are valid. A command in another
// namespace cannot see the gateways outside, and must not regard them as stale.
func Scope() (host, pidNamespace string) { return scope() }
