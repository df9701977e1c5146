package host

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// core is the common part of Host and Fleet: a connection to a NATS server, and the
// gateways whose calls the hub carries out.
type core struct {
	servers Servers
	answers *budget.Budget
	log     *slog.Logger
	nc      *nats.Conn
	pacer   *wire.Pacer     // sends answers in pieces
	closing context.Context //nolint:containedctx // the work of the hub ends with it
	shut    context.CancelFunc
	lost    chan struct{} // closed when the connection has ended

	keys *keys // set in a fleet; nil: calls have no idempotency keys

	draining atomic.Bool // the hub of a host ends: it takes no new calls

	pauses  pauses // pauses of this process
	resumed func() // called after a pause; may be nil

	mu       sync.Mutex
	gateways map[string]*gateway // by id
}

func (c *core) init(s Servers, answers *budget.Budget, log *slog.Logger) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	c.servers, c.answers, c.log = s, answers, log
	c.lost, c.gateways = make(chan struct{}), map[string]*gateway{}
	c.pacer = wire.NewPacer(func() error { return c.nc.Flush() })
	c.closing, c.shut = context.WithCancel(context.Background())
	c.pauses.count()
	go c.watchPauses()
}

// Lost returns a channel that is closed when the hub has lost its connection to the NATS
// server. The hub then answers no calls, and must be closed.
func (c *core) Lost() <-chan struct{} { return c.lost }

func (c *core) gateway(id string) *gateway {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gateways[id]
}

// target is a server that gateways call.
type target struct {
	name  string // name of its actor
	title string // name in the configuration of the gateways
	counts
}

// encode encodes an error for a gateway. t may be nil.
func (t *target) encode(err error) []byte {
	if t == nil {
		return wire.EncodeError(err, "", "")
	}
	return wire.EncodeError(err, t.name, t.title)
}
