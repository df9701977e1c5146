package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript"
)

// Join connects to a cluster with connect and joins its queue group of runners. It does not
// reconnect after the connection is lost, because the runs that used it have ended. See Lost.
func Join(ctx context.Context, connect func(context.Context, ...nats.Option) (*nats.Conn, error), o Options) (*Server, error) {
	lost := make(chan struct{})
	closed := sync.OnceFunc(func() { close(lost) })
	nc, err := connect(ctx, nats.Name("toolscript runner "+o.Host), nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { closed() }))
	if err != nil {
		return nil, err
	}
	s, err := Serve(nc, o)
	if err == nil {
		s.lost, s.owned = lost, true
		err = nc.LastError()
	}
	if err == nil {
		return s, nil
	}
	nc.Close()
	if errors.Is(err, nats.ErrPermissionViolation) {
		return nil, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			"the credentials do not allow this hub to run scripts of gateways: %w; see: toolscript fleet permissions --role runner", err)}
	}
	return nil, fmt.Errorf("join the fleet: %w", err)
}

// Lost returns a channel that is closed when the connection of Join has ended. Then the
// caller must call Close.
func (s *Server) Lost() <-chan struct{} { return s.lost }
