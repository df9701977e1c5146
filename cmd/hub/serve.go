package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/transport/api"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/upstream"
)

// LocalOptions configure ServeLocal. Place, Host and Logger are required.
type LocalOptions struct {
	Place     Place
	Host      *daemon.Host
	Idle      time.Duration     // how long the hub, and each server, runs without gateways; 0: DefaultIdle
	Stay      bool              // the hub runs without gateways, like a service
	Port      int               // port of 127.0.0.1 for NATS clients; 0: none
	Metrics   int               // port of 127.0.0.1 for metrics and health of the hub; 0: none
	Log       string            // path of the log, for the entry
	Ready     func(Entry) error // called when gateways can find the hub
	EndUnused <-chan struct{}   // each value ends the servers that no gateway uses
	Logger    *slog.Logger
}

// ServeLocal runs a hub until ctx ends, or until no gateway has used it for a time. If another
// hub runs at the place, the error has the kind Conflict.
func ServeLocal(ctx context.Context, o LocalOptions) (err error) {
	held, err := takeRunLock(ctx, o.Place)
	if err != nil {
		return err
	}
	defer held.release()
	listener, socket, err := o.Place.listen()
	if err != nil {
		return fmt.Errorf("the hub cannot listen: %w", err)
	}
	limit := cmp.Or(o.Idle, DefaultIdle)
	unused := newIdle(limit)
	servers := &servers{options: o, answers: budget.New(func() int64 { return 0 })}
	defer func() { err = errors.Join(err, servers.close()) }()
	entry := Entry{
		Token: rand.Text(), Version: toolscript.Version, Protocol: hub.Protocol,
		StartedAt: time.Now().UTC(), Socket: socket, Log: o.Log,
	}
	if o.Port != 0 {
		entry.Password = rand.Text()
	}
	if err := servers.start(held.file); err != nil {
		return errors.Join(err, listener.Close())
	}
	h, err := host.Start(host.Options{
		Listener: listener, Token: entry.Token, Port: o.Port, Password: entry.Password, Version: toolscript.Version,
		Servers: servers.system, Idle: limit, Changed: unused.changed, Answers: servers.answers, Logger: o.Logger,
	})
	if err != nil {
		return errors.Join(fmt.Errorf("the hub cannot start: %w", err), listener.Close())
	}
	servers.host.Store(h)
	if o.Metrics != 0 {
		metrics, err := api.ListenMetrics(servers.system.Measures, func() error { return nil }, o.Metrics, o.Logger)
		if err != nil {
			return err
		}
		defer func() { _ = metrics.Close() }() // the hub ends
	}
	entry.Port = h.Port()
	if entry.Process, err = discovery.Identify(os.Getpid()); err == nil {
		err = o.Place.write(entry, held.folder())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("gateways cannot find this hub: %w; name a folder of yours in TOOLSCRIPT_RUNTIME_DIR", err))
	}
	defer func() { err = errors.Join(err, o.Place.remove(entry, held.folder())) }()
	if err := o.Ready(entry); err != nil {
		return err
	}
	if err := wait(ctx, o, unused, h.Lost(), servers); err != nil {
		return err
	}
	h.Drain() // while the entry exists, so that gateways start no other hub before this one has ended
	return nil
}

// wait returns when the hub must end. Until then, it ends unused servers on request.
func wait(ctx context.Context, o LocalOptions, unused *idle, lost <-chan struct{}, servers *servers) error {
	over := unused.over
	if o.Stay {
		over = nil
	}
	for {
		select {
		case <-o.EndUnused:
			// Otherwise a server whose project is no longer trusted would run until the hub
			// or the server is idle.
			servers.host.Load().EndUnused()
		case <-over:
			o.Logger.Info("hub stopping: no gateway uses it")
			return nil
		case <-lost:
			return &toolscript.Error{Kind: toolscript.Internal, Err: errors.New("the hub has lost its connection to its NATS server; gateways start another hub")}
		case <-ctx.Done():
			o.Logger.Info("hub stopping")
			return nil
		}
	}
}

// runLockTime bounds the wait for a hub that is ending, or for the servers of a killed hub
// to end.
const runLockTime = 10 * time.Second

// takeRunLock takes the lock of the hub. The error has the kind Conflict if another hub
// holds it and answers, or does not end in time.
func takeRunLock(ctx context.Context, p Place) (lock, error) {
	ctx, cancel := context.WithTimeout(ctx, runLockTime)
	defer cancel()
	ticks := time.NewTicker(lockPoll)
	defer ticks.Stop()
	for {
		held, err := p.tryLock(runLock)
		if !errors.Is(err, errLocked) {
			if err != nil {
				err = fmt.Errorf("the hub cannot lock its file: %w; name a folder of yours in TOOLSCRIPT_RUNTIME_DIR", err)
			}
			return held, err
		}
		if r, err := p.Running(ctx); err == nil && r != nil {
			return lock{}, &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf(
				"a hub runs for this user (process %d), and gateways find it; see: toolscript status hub", r.PID)}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return lock{}, &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("another hub has not ended within %s; see: toolscript status hub", runLockTime)}
		}
	}
}

// servers runs the actors of the shared servers.
type servers struct {
	options LocalOptions
	system  *gateway.Gateway          // nil before start
	host    atomic.Pointer[host.Host] // nil before the hub accepts gateways
	answers *budget.Budget
}

// start starts the actors. held stays open until the processes of the servers have ended.
func (s *servers) start(held *os.File) (err error) {
	s.system, err = startServers(s.options.Host, gateway.Options{
		Hold: []*os.File{held}, Host: upstream.Host{Answers: s.answers}, Options: actors.Options{Logger: s.options.Logger},
		// Only gateways start servers, and the hub accepts gateways later.
		Over: func(dial upstream.Dial) upstream.Dial {
			return func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (upstream.Connection, error) {
				return dial(ctx, name, cfg, s.host.Load().Events(name, on))
			}
		},
	})
	return err
}

// startServers starts the actors of a hub.
func startServers(h *daemon.Host, o gateway.Options) (*gateway.Gateway, error) {
	o.ServersOnly, o.Logins, o.Cache, o.Host.Dir = true, h.Logins(o.Logger), h.Cache, h.Config.WorkDir
	return gateway.Start(o)
}

// close closes the connections to gateways, and then ends the servers within daemon.StopTime.
func (s *servers) close() error {
	var failed error
	if h := s.host.Load(); h != nil {
		failed = h.Close()
	}
	if s.system != nil {
		ctx, cancel := context.WithTimeout(context.Background(), daemon.StopTime)
		defer cancel()
		failed = errors.Join(failed, s.system.Close(ctx))
	}
	return failed
}
