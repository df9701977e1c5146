package discovery

import (
	"errors"
	"os"
	"sync"
)

// errGone is the error of a process that has ended.
var errGone = errors.New("no such process")

func isGone(err error) bool { return errors.Is(err, errGone) }

// processScope is the scope of process ids: a machine, and on Linux a PID namespace. A command in
// another namespace cannot see the gateways outside, and must not regard them as stale.
type processScope struct{ host, pidNamespace string }

var thisPlace = sync.OnceValue(func() processScope {
	host, _ := os.Hostname() // without a name, all machines count as one
	return processScope{host, pidNamespace()}
})

// Scope returns the machine, and on Linux the PID namespace, in which process ids are valid.
func Scope() (host, pidNamespace string) {
	here := thisPlace()
	return here.host, here.pidNamespace
}
