package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Servers are the servers of a hub, by their name in the hub.
type Servers interface {
	// OfferServer starts a server, or applies new limits to it.
	OfferServer(ctx context.Context, name string, cfg upstream.Config) error
	// WithdrawServer ends a server.
	WithdrawServer(ctx context.Context, name string) error
	// AwaitServer makes an unconnected server try to connect, and returns its status after
	// the attempt. The error is the error of ctx.
	AwaitServer(ctx context.Context, name string) (toolscript.ServerStatus, error)
	// RestartServer ends a server with its process, connects it again, and returns the
	// status after the first attempt.
	RestartServer(ctx context.Context, name string) (toolscript.ServerStatus, error)
	// Reread reads the list of tools of a server that does not announce its changes, unless the
	// list has just been read. It reports whether it has read the list.
	Reread(ctx context.Context, name string) bool
	// ViewServer returns the state of a server; false if there is none.
	ViewServer(name string) (wire.ServerView, bool)
	// CallServer begins a call. stop ends it. Neither blocks.
	CallServer(name string, c wire.ServerCall) (stop func(cause error))
}

// Options configure a Host. Listener, Token and Servers are required.
type Options struct {
	Listener net.Listener       // a unix socket that only the user can reach; the Host closes it
	Token    string             // secret that gateways present
	Port     int                // TCP port of 127.0.0.1 for the tools of NATS; 0: none; -1: any
	Password string             //nolint:gosec // password of the user "operator" at Port; never encoded
	Version  string             // version of the program
	Servers  Servers            // the servers that gateways share
	Idle     time.Duration      // how long a server without gateways keeps running
	Changed  func(gateways int) // the number of gateways has changed; called in order; must not block or use the Host; may be nil
	Answers  *budget.Budget     // limits the memory for arguments and answers; nil: unlimited
	Logger   *slog.Logger       // nil: no log
}

// Host is a hub. It is safe for concurrent use.
type Host struct {
	core
	options  Options
	self     wire.HubInfo
	broker   *broker
	acceptor *acceptor

	changing sync.Mutex // held while a server is started or ended

	// Guarded by mu.
	shared map[string]*shared // by key
	names  map[string]string  // keys of servers, by shown name
}

// Start starts the NATS server and accepts gateways.
func Start(o Options) (*Host, error) {
	if o.Token == "" {
		return nil, errors.New("a hub needs a token")
	}
	h := &Host{
		options: o, shared: map[string]*shared{}, names: map[string]string{},
		self: wire.HubInfo{Protocol: wire.Protocol, Version: o.Version, PID: os.Getpid(), Started: time.Now()},
	}
	h.init(o.Servers, o.Answers, o.Logger)
	h.acceptor = newAcceptor(h)
	var err error
	if h.broker, err = newBroker(o, h.log); err != nil {
		return nil, err
	}
	if h.nc, err = h.broker.connect(sync.OnceFunc(func() { close(h.lost) })); err == nil {
		err = h.subscribe()
	}
	if err != nil {
		h.broker.server.Shutdown()
		return nil, fmt.Errorf("connect to the NATS server: %w", err)
	}
	go h.acceptor.serve(o.Listener)
	return h, nil
}

func (h *Host) subscribe() error {
	requests, err := h.nc.Subscribe(wire.HostNames("*").Hub("*", ""), h.requested)
	if err == nil {
		err = requests.SetPendingLimits(-1, -1) // gateways send what the hub has room for
	}
	return errors.Join(err, h.nc.Flush())
}

// Port returns the TCP port of the NATS server; 0 if it has none.
func (h *Host) Port() int {
	if at, ok := h.broker.server.Addr().(*net.TCPAddr); ok {
		return at.Port
	}
	return 0
}

// Close ends all connections. Calls in flight fail at the gateways. It does not end the
// servers.
func (h *Host) Close() error {
	h.shut()
	err := h.options.Listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	h.acceptor.close()
	h.nc.Close()
	h.broker.server.Shutdown()
	h.broker.server.WaitForShutdown()
	return err
}

// info returns the first line that the hub sends.
func (h *Host) info() wire.HubInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	info := h.self
	info.Users = len(h.gateways)
	return info
}

// Status returns the state of the hub.
func (h *Host) Status() wire.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	status := wire.Status{HubInfo: h.self, Gateways: []wire.Gateway{}, Servers: []wire.Server{}}
	for _, g := range h.gateways {
		status.Gateways = append(status.Gateways, g.status())
	}
	for _, s := range h.shared {
		status.Servers = append(status.Servers, s.status())
	}
	slices.SortFunc(status.Gateways, func(a, b wire.Gateway) int { return cmp.Or(a.Since.Compare(b.Since), strings.Compare(a.ID, b.ID)) })
	slices.SortFunc(status.Servers, func(a, b wire.Server) int { return strings.Compare(a.Name, b.Name) })
	return status
}

// EndUnused ends the servers that no gateway uses, at once.
func (h *Host) EndUnused() {
	h.mu.Lock()
	all := slices.Collect(maps.Values(h.shared))
	h.mu.Unlock()
	for _, s := range all {
		s.unused()
	}
}
