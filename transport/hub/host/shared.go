package host

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/micro"
	"golang.org/x/time/rate"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/hub/cluster"
	"github.com/toolscript/toolscript/transport/hub/wire"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	// callLimit is the time limit of calls whose gateway sets none: the gateway ends them.
	callLimit = time.Hour

	changeTime = 10 * time.Second // to start or end a server
	keyShown   = 8                // digits of a key in shown names
)

// counts count the calls of a server.
type counts struct{ calls, failures atomic.Uint64 }

// shared is a server that gateways share.
type shared struct {
	target     // its name is name~key, with the whole key
	host       *Host
	key        string
	shown      string // name~ and the first digits of the key if several servers have one name
	definition wire.Definition
	service    micro.Service
	life       context.Context //nolint:containedctx // ends with the server
	end        context.CancelFunc
	logged     *rate.Limiter // of the log messages that are sent to gateways

	mu         sync.Mutex
	offers     map[*offer]struct{}
	limit      int           // concurrency of its actor
	rest       time.Duration // Config.Idle of its actor
	idleSince  time.Time
	idle       *time.Timer
	ended      bool
	seen       wire.ServerView
	generation uint64
}

// join adds an offer to the server of a definition, and starts the server if it is new.
func (h *Host) join(ctx context.Context, d wire.Definition, o *offer) (*shared, error) {
	h.changing.Lock()
	defer h.changing.Unlock()
	key := d.Key()
	h.mu.Lock()
	s := h.shared[key]
	h.mu.Unlock()
	if s == nil {
		var err error
		if s, err = h.newShared(key, d); err != nil {
			return nil, err
		}
	}
	o.limit, o.rest = d.Config.Concurrency, d.Config.Idle
	o.server.Store(s)
	s.mu.Lock()
	s.offers[o] = struct{}{}
	if s.idle != nil {
		s.idle.Stop()
	}
	s.idle, s.idleSince = nil, time.Time{}
	s.mu.Unlock()
	return s, s.apply(ctx)
}

// newShared creates a server and its micro service. It is called with changing held.
func (h *Host) newShared(key string, d wire.Definition) (*shared, error) {
	name := strings.ReplaceAll(d.Name, toolscript.AccountSeparator, "~") + "~" + key // here it is not an account of a server
	s := &shared{target: target{name: name, title: d.Name}, host: h, key: key, definition: d, offers: map[*offer]struct{}{}, limit: -1, logged: rate.NewLimiter(logLines/10, logLines)}
	s.life, s.end = context.WithCancel(h.closing)
	h.mu.Lock()
	s.shown = h.free(d.Name, d.Name+"~"+key[:keyShown], d.Name+"~"+key)
	h.mu.Unlock()
	var err error
	s.service, err = micro.AddService(h.nc, micro.Config{
		Name: wire.ServiceName(s.shown), Version: fmt.Sprintf("%d.0.0", wire.Protocol), Description: "an MCP server of a toolscript hub",
		Metadata:     map[string]string{"server": s.shown, "type": d.Config.Type, "key": key},
		StatsHandler: func(*micro.Endpoint) any { return s.stats() },
	})
	if err == nil {
		err = s.service.AddEndpoint("call", micro.HandlerFunc(s.called), micro.WithEndpointSubject(wire.ServerSubject(key, "*")),
			micro.WithEndpointPendingLimits(math.MaxInt32, math.MaxInt32))
	}
	if err != nil {
		s.end()
		return nil, &toolscript.Error{Kind: toolscript.Internal, Err: fmt.Errorf("offer the micro service: %w", err)}
	}
	h.mu.Lock()
	h.shared[key], h.names[s.shown] = s, key
	h.mu.Unlock()
	go s.watch()
	return s, nil
}

// free returns the first of names that no server has. It is called with mu held.
func (h *Host) free(names ...string) string {
	for _, name := range names {
		if _, taken := h.names[name]; !taken {
			return name
		}
	}
	return names[len(names)-1]
}

// apply gives the actor of the server the smallest concurrency and the longest idle time
// that a gateway has configured, and starts it if it is new. It is called with changing held.
func (s *shared) apply(ctx context.Context) error {
	s.mu.Lock()
	limit, rest, always := 0, time.Duration(0), false
	for o := range s.offers {
		rest, always = max(rest, o.rest), always || o.rest == 0
		if o.limit > 0 && (limit == 0 || o.limit < limit) {
			limit = o.limit
		}
	}
	if always { // a gateway keeps the server running all the time
		rest = 0
	}
	same := limit == s.limit && rest == s.rest
	s.limit, s.rest = limit, rest
	s.mu.Unlock()
	if same {
		return nil
	}
	cfg := s.definition.Config
	cfg.Shared, cfg.Account, cfg.Source = "", s.definition.Name, ""
	cfg.IncludeTools, cfg.ExcludeTools, cfg.Overrides = nil, nil, nil // each gateway selects and names for itself
	cfg.RateLimit = upstream.RateLimit{}                              // each gateway applies its own
	cfg.Timeout, cfg.Concurrency, cfg.Idle = callLimit, limit, rest
	if err := s.host.options.Servers.OfferServer(ctx, s.name, cfg); err != nil {
		s.mu.Lock()
		s.limit = -1 // the next offer tries again
		s.mu.Unlock()
		return err
	}
	return nil
}

// leave removes an offer. A server without offers ends after idleTime.
func (s *shared) leave(o *offer, idleTime time.Duration) {
	s.host.changing.Lock()
	defer s.host.changing.Unlock()
	s.mu.Lock()
	_, used := s.offers[o]
	delete(s.offers, o)
	if used && len(s.offers) == 0 && !s.ended && s.idle == nil {
		s.idleSince = time.Now()
		s.idle = time.AfterFunc(idleTime, s.unused)
	}
	rest := len(s.offers)
	s.mu.Unlock()
	if rest > 0 {
		s.reapply()
	}
}

// changeLimit applies the concurrency of the server after a gateway has changed its own.
func (s *shared) changeLimit() {
	s.host.changing.Lock()
	defer s.host.changing.Unlock()
	s.mu.Lock()
	over := s.ended || len(s.offers) == 0
	s.mu.Unlock()
	if !over {
		s.reapply()
	}
}

// reapply calls apply for a server that runs. It is called with changing held.
func (s *shared) reapply() {
	if s.host.closing.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), changeTime)
	defer cancel()
	if err := s.apply(ctx); err != nil {
		s.host.log.Warn("limits of a shared server not applied", slog.String("server", s.shown), slog.String("error", err.Error()))
	}
}

// unused ends a server that no gateway uses.
func (s *shared) unused() {
	s.host.changing.Lock()
	defer s.host.changing.Unlock()
	s.mu.Lock()
	used := len(s.offers) > 0
	s.mu.Unlock()
	if !used && !s.host.draining.Load() { // the calls of gateways that have given it up go on
		s.withdraw()
	}
}

// withdraw ends the server. It is called with changing held.
func (s *shared) withdraw() {
	s.mu.Lock()
	ended := s.ended
	s.ended = true
	s.mu.Unlock()
	if ended {
		return
	}
	s.host.mu.Lock()
	delete(s.host.shared, s.key)
	delete(s.host.names, s.shown)
	s.host.mu.Unlock()
	s.end()
	if err := s.service.Stop(); err != nil {
		s.host.log.Warn("micro service not stopped", slog.String("server", s.shown), slog.String("error", err.Error()))
	}
	ctx, cancel := context.WithTimeout(context.Background(), changeTime)
	defer cancel()
	if err := s.host.options.Servers.WithdrawServer(ctx, s.name); err != nil && s.host.closing.Err() == nil {
		s.host.log.Warn("shared server not ended", slog.String("server", s.shown), slog.String("error", err.Error()))
	}
}

// answerOffer answers an offer: the server is connected, or an error says why not.
func (s *shared) answerOffer(o *offer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	view, _ := s.host.options.Servers.ViewServer(s.name)
	if _, still := s.offers[o]; !still {
		return toolscript.ContextError(o.ctx)
	}
	if !view.Status.Serves() {
		return connectError(view.Status)
	}
	text, err := json.Marshal(wire.Offered{Server: s.name, Info: upstream.Info{
		Title: view.Status.Title, Instructions: view.Status.Instructions, Protocol: view.Status.Protocol,
	}})
	if err != nil {
		return err
	}
	o.connected = true
	o.gateway.answer(o.number, text, nil, &s.target, nil)
	return nil
}

// watch reports changes of the server to its gateways until it ends.
func (s *shared) watch() {
	for {
		select {
		case <-s.look():
		case <-s.life.Done():
			return
		}
	}
}

// look reports changes of the server to its gateways, and returns a channel that is closed at
// the next change. It reads the view with mu held, so that an offer that was answered is not
// lost because of an older view.
func (s *shared) look() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	view, _ := s.host.options.Servers.ViewServer(s.name)
	ready := view.Status.Serves()
	other := view.Status.State != s.seen.Status.State
	rests := s.seen.Status.Serves() && (rested(s.seen) || rested(view)) // gateways need not know
	again := ready && (!view.Status.Since.Equal(s.seen.Status.Since) && !rests || !reflect.DeepEqual(view.Tools, s.seen.Tools))
	s.seen = view
	switch {
	case again:
		s.each(func(o *offer) { _ = o.gateway.tell(o.number, wire.Changed, nil) }) // the gateway sees the end of the connection
	case !ready:
		s.lost(connectError(view.Status))
	}
	if other || again {
		s.generation++
		if text, err := json.Marshal(wire.Catalog{Generation: s.generation, State: stateFor(view.Status), Tools: view.Status.Tools}); err == nil {
			_ = s.host.nc.Publish(wire.CatalogSubject(s.key), text) // the end of the hub is reported elsewhere
		}
	}
	return view.Changed
}

// stateFor returns the state of a server for gateways, which need not know that it starts after
// a rest: their calls wait.
func stateFor(status toolscript.ServerStatus) toolscript.ServerState {
	if status.Serves() && !status.State.Serves() {
		return toolscript.Resting
	}
	return status.State
}

// rested reports whether a server is at rest, or starts after one.
func rested(v wire.ServerView) bool {
	return v.Status.State == toolscript.Resting || v.Status.Rested
}

// lost tells the gateways that the server is not connected any more. It is called with mu
// held.
func (s *shared) lost(why error) {
	text := s.encode(why)
	s.each(func(o *offer) {
		o.connected = false
		_ = o.gateway.tell(o.number, wire.Lost, text) // the gateway sees the end of the connection
	})
}

// each calls f for the offers whose gateway knows the server as connected. It is called
// with mu held.
func (s *shared) each(f func(*offer)) {
	for o := range s.offers {
		if o.connected {
			f(o)
		}
	}
}

// stats returns the data of the endpoint in the statistics of the micro service.
func (s *shared) stats() cluster.State {
	status := s.status()
	return cluster.State{
		State: status.Status.State, Tools: status.Status.Tools, Gateways: status.Gateways, InFlight: status.Status.InFlight,
		Queued: status.Status.Queued, Calls: status.Calls, Errors: status.Errors,
	}
}

func (s *shared) status() wire.Server {
	view, _ := s.host.options.Servers.ViewServer(s.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	gateways := map[*gateway]struct{}{}
	for o := range s.offers {
		gateways[o.gateway] = struct{}{}
	}
	status := wire.Server{
		Name: s.shown, Key: s.key, Service: wire.ServiceName(s.shown), Folder: s.definition.Folder, Gateways: len(gateways),
		Calls: s.calls.Load(), Errors: s.failures.Load(), Status: view.Status,
	}
	status.Status.Name = s.shown
	if !s.idleSince.IsZero() {
		since := s.idleSince
		status.IdleSince = &since
	}
	return status
}

const (
	maxLine  = 16 << 10 // bytes
	logLines = 100      // per server and ten seconds; gateways have lower bounds and count what they leave out
)

// Events returns on with a Log that also forwards the messages of the server to its
// gateways. name is the name of the server in the hub.
func (h *Host) Events(name string, on upstream.Events) upstream.Events {
	before := on.Log
	on.Log = func(level slog.Level, text string) {
		if before != nil {
			before(level, text)
		}
		h.forward(name, level, text)
	}
	return on
}

func (h *Host) forward(name string, level slog.Level, text string) {
	h.mu.Lock()
	var from *shared
	for _, s := range h.shared {
		if s.name == name {
			from = s
		}
	}
	h.mu.Unlock()
	if from == nil || !from.logged.Allow() {
		return
	}
	line, err := json.Marshal(wire.LogLine{Level: int(level), Text: texts.Cut(text, maxLine)})
	if err != nil {
		return
	}
	from.mu.Lock()
	defer from.mu.Unlock()
	from.each(func(o *offer) { _ = o.gateway.tell(o.number, wire.Log, line) }) // the gateway sees the end of the connection
}
