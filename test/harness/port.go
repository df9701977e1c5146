package harness

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// The range of FreePorts. It is below the range that systems use for connections and for listeners
// without a port, because such a port could be taken before its program listens.
const (
	firstPort = 20_000
	lastPort  = 32_000
)

// FreePorts returns n ports of 127.0.0.1 on which nothing listens, for programs whose ports must be
// known before they start.
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
		defer func() { _ = l.Close() }() // without connections; open until all ports are known
		ports = append(ports, port)
	}
	return ports, nil
}
