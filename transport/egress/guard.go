package egress

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync"
	"syscall"
	"time"
)

const (
	guardDialTime = 20 * time.Second // for one attempt to connect
	keepAlive     = 15 * time.Second
)

// GuardOptions describe a Guard.
type GuardOptions struct {
	// Written are the addresses that the user wrote. They are allowed as written, whatever network
	// they lead to. The first one is the address of the server that names other addresses. If
	// Written is empty, other addresses count as named by a public server.
	Written []*url.URL
	Allowed []string        // further targets that the user allows: host, host:port, IP address, IP:port, prefix
	Base    *http.Transport // settings of the connections; nil: those of NewTransport
	Hint    string          // advice about a refusal, for the text of its error
}

// Guard is an http.RoundTripper for requests whose addresses a remote party may have chosen: in a
// document, a redirect, metadata, a link or a script. An address that the user wrote is allowed as
// written. Any other address must not be more internal than the server that named it: a public
// server may only name public addresses, and a server of the local network must not name this
// machine. The target of a redirect must be allowed for every server that led to it.
//
// A Guard checks the IP address to which it connects, after it has resolved the name. So a DNS server
// cannot change the address after the check. If a proxy of the environment makes the connection,
// the Guard can only check the host as it is written.
type Guard struct {
	written map[string]bool
	named   *url.URL // the first address of Written; nil: none
	allowed allowed
	hint    string
	proxy   func(*http.Request) (*url.URL, error) // returns the proxy of a request; nil: there are no proxies
	base    *line                                 // for requests through proxies
	direct  [Local + 1]*line                      // for addresses that may be in these networks
	free    *line                                 // for addresses that the user wrote

	mu  sync.Mutex
	met *Reach // the most public network to which connections to named have led; nil if there was no connection
}

// NewGuard returns a Guard with the given options.
func NewGuard(o GuardOptions) *Guard {
	base := o.Base
	if base == nil {
		base = NewTransport()
	}
	base = base.Clone()
	base.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTime}
	g := &Guard{written: map[string]bool{}, allowed: newAllowed(o.Allowed), hint: o.Hint, proxy: base.Proxy, base: newLine(base)}
	for i, u := range o.Written {
		if i == 0 {
			g.named = u
		}
		g.written[hostPort(u)] = true
	}
	// Each network has its own transport, so that a request never reuses a connection that it must not make.
	for to := range g.direct {
		g.direct[to] = without(base, func(ctx context.Context, network, at string) (net.Conn, error) {
			return g.dial(ctx, network, at, Reach(to))
		})
	}
	dialer := net.Dialer{Timeout: guardDialTime, KeepAlive: keepAlive}
	g.free = without(base, dialer.DialContext)
	return g
}

// without returns a line that connects with dial and uses no proxy.
func without(base *http.Transport, dial func(ctx context.Context, network, at string) (net.Conn, error)) *line {
	t := base.Clone()
	t.Proxy, t.DialContext = nil, dial
	return newLine(t)
}

// RefusedError is the error for an address that a remote party must not choose.
type RefusedError struct {
	Host string // host as the remote party has named it
	Addr netip.Addr
	Hint string
}

func (e *RefusedError) Error() string {
	text := e.Host
	if e.Addr.IsValid() && e.Addr.String() != e.Host {
		text += " leads to " + e.Addr.String() + ": " + e.Addr.String()
	}
	text += " is not a public address, and only the user may choose such an address"
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// party is the context key, in the request of an answer, for the network of the server that has
// answered.
type party struct{}

// RoundTrip implements http.RoundTripper.
func (g *Guard) RoundTrip(r *http.Request) (*http.Response, error) {
	limit := g.limit(r)
	by, proxied, err := g.way(r, limit)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must close it
		}
		return nil, err
	}
	var at Reach
	sent := r
	if proxied {
		at = ReachOfHost(r.URL.Hostname())
	} else {
		sent = traced(r, func(ip netip.Addr) { at = g.meet(r.URL, ip) })
	}
	answer, err := by.RoundTrip(sent)
	if err == nil {
		answer.Request = r.WithContext(context.WithValue(r.Context(), party{}, at))
	}
	return answer, err
}

// way returns the transport for a request. limit is the most internal network that it may reach.
func (g *Guard) way(r *http.Request, limit Reach) (way *line, proxied bool, err error) {
	at := hostPort(r.URL)
	proxied, err = g.proxied(r)
	switch {
	case err != nil:
		return nil, false, err
	case !proxied && g.written[at]:
		return g.free, false, nil
	case !proxied:
		return g.direct[limit], false, nil
	case !g.written[at] && !g.allowed.name(at) && ReachOfHost(r.URL.Hostname()) > limit:
		return nil, true, &RefusedError{Host: r.URL.Hostname(), Hint: g.hint}
	default:
		return g.base, true, nil
	}
}

func (g *Guard) proxied(r *http.Request) (bool, error) {
	if g.proxy == nil {
		return false, nil
	}
	proxy, err := g.proxy(r)
	return proxy != nil, err
}

// limit returns the most internal network that a request may reach. It is the network of the server
// that named the address. For a redirect, it is the most public network of all servers that led to
// it.
func (g *Guard) limit(r *http.Request) Reach {
	limit := g.home(r.Context())
	for by := r.Response; by != nil; by = by.Request.Response {
		if by.Request == nil {
			return Public
		}
		at, _ := by.Request.Context().Value(party{}).(Reach) // Public if there is none
		limit = min(limit, at)
	}
	return limit
}

// home returns the network of the server that names addresses. A server with a name other than
// localhost is never in Local: even if its name leads to this machine, it counts as Private at most.
func (g *Guard) home(ctx context.Context) Reach {
	if g.named == nil {
		return Public
	}
	host := g.named.Hostname()
	text := ReachOfHost(host)
	if _, err := netip.ParseAddr(host); err == nil {
		return text
	}
	g.mu.Lock()
	met := g.met
	g.mu.Unlock()
	if met != nil {
		return *met
	}
	if proxied, err := g.proxied((&http.Request{URL: g.named}).WithContext(ctx)); err != nil || proxied || text != Public {
		return text
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addresses) == 0 {
		return Public
	}
	nearest := Private
	for _, ip := range addresses {
		nearest = min(nearest, ReachOf(ip))
	}
	return nearest
}

// meet records the address to which a connection to a server has led. It returns the network of that
// server.
func (g *Guard) meet(u *url.URL, ip netip.Addr) Reach {
	at := ReachOf(ip)
	if _, err := netip.ParseAddr(u.Hostname()); err != nil && ReachOfHost(u.Hostname()) != Local {
		at = min(at, Private)
	}
	if g.named != nil && hostPort(u) == hostPort(g.named) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.met == nil || at < *g.met {
			g.met = &at
		}
	}
	return at
}

// Watch returns a copy of r, for another transport to send. If the request goes to the server that names
// addresses, the Guard learns from its connection in which network the server is.
func (g *Guard) Watch(r *http.Request) *http.Request {
	if proxied, err := g.proxied(r); err != nil || proxied || g.named == nil || hostPort(r.URL) != hostPort(g.named) {
		return r
	}
	return traced(r, func(ip netip.Addr) { g.meet(r.URL, ip) })
}

// traced returns a request that reports the address of its connection.
func traced(r *http.Request, got func(netip.Addr)) *http.Request {
	return r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		if at, err := netip.ParseAddrPort(i.Conn.RemoteAddr().String()); err == nil {
			got(at.Addr())
		}
	}}))
}

// Dial connects to a host:port. It applies the same rules as to an address that the first address of
// Written, or a public server, has named.
func (g *Guard) Dial(ctx context.Context, network, at string) (net.Conn, error) {
	return g.dial(ctx, network, at, g.home(ctx))
}

func (g *Guard) dial(ctx context.Context, network, at string, limit Reach) (net.Conn, error) {
	dialer := net.Dialer{Timeout: guardDialTime, KeepAlive: keepAlive}
	if !g.allowed.name(at) {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return fmt.Errorf("%.100q is no address: %w", address, err)
			}
			if ReachOf(to.Addr()) > limit && !g.allowed.address(to) {
				host, _, _ := net.SplitHostPort(at) // never fails: net.Dialer has split it before
				return &RefusedError{Host: host, Addr: to.Addr().Unmap().WithZone(""), Hint: g.hint}
			}
			return nil
		}
	}
	return dialer.DialContext(ctx, network, at)
}

// CloseIdleConnections closes idle connections at once, and all others after their last request.
func (g *Guard) CloseIdleConnections() {
	for _, l := range append([]*line{g.base, g.free}, g.direct[:]...) {
		l.CloseIdleConnections()
	}
}
