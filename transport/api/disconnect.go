package api

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/rescue"
)

// errClientGone is the cause of a request's context after the client has closed the
// connection.
var errClientGone = &toolscript.Error{Kind: toolscript.Cancelled, Err: errors.New("the client has disconnected")}

// watchEvery is the time between two checks of a connection.
const watchEvery = 100 * time.Millisecond

// watch calls gone if the client closes its connection before ctx ends. fasthttp does not
// read during a request, so it would not notice. A client that closes only its sending side
// counts as gone.
func watch(ctx context.Context, c net.Conn, gone func()) {
	tracked, ok := c.(*conn)
	if !ok {
		return
	}
	raw, ok := tracked.raw()
	if !ok {
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

// raw returns the socket of the connection, or false if it has no socket.
func (c *conn) raw() (syscall.RawConn, bool) {
	sys, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, false
	}
	raw, err := sys.SyscallConn()
	return raw, err == nil
}

// watch ends the exchange when its client closes the connection, or when the check of the
// connection panics.
func (x *exchange) watch(ctx context.Context, c net.Conn) {
	var fault error
	defer func() {
		if fault != nil {
			x.cancel(fault)
		}
	}()
	defer rescue.Into(&fault)
	watch(ctx, c, x.leave)
}

// leave ends the exchange of a client that has closed the connection. It is called at
// most once.
func (x *exchange) leave() {
	close(x.gone)
	x.cancel(errClientGone)
}
