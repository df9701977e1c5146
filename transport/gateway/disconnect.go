package gateway

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
)

// errClientGone is the cause with which the context of a request ends whose
// client closed the connection.
var errClientGone = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the client has disconnected")}

// watchEvery is how soon a client that left is noticed.
const watchEvery = 100 * time.Millisecond

// watch calls gone when the client closes its connection before ctx ends.
// fasthttp does not read while a request is served, so it would never tell. A
// client that closes only its sending side looks gone too.
func watch(ctx context.Context, c net.Conn, gone func()) {
	tracked, ok := c.(*conn)
	if !ok {
		return
	}
	sys, ok := tracked.Conn.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if disconnected(raw) {
				gone()
				return
			}
		}
	}
}
