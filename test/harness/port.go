package harness

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// The ports of FreePorts. They are below those that systems give to connections and to
// listeners without a port: such a one could be taken before its program listens.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// FreePorts returns n ports of 127.0.0.1 that nothing listens on, for programs that have to
// know their ports before they start.
func FreePorts(n int) (ports []int, err error) {
	for tried := 0; len(ports) < n; tried++ {
		if tried == 100*n {
			return nil, errors.Join(errors.New("no port is free"), err)
		}
		port := firstPort + rand.IntN(lastPort-firstPort)
		l, failed := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if failed != nil {
			err = failed
			continue
		}
		defer func() { _ = l.Close() }() // nothing was accepted; open until all ports are known
		ports = append(ports, port)
	}
	return ports, nil
}
