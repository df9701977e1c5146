// Package egress decides where connections may go. A Proxy is a forward proxy on this machine that only
// connects to named hosts and ports. A confined server gets the address of its Proxy in HTTPS_PROXY and
// HTTP_PROXY, and can make no other connections. A Guard restricts the requests of this process:
// addresses that a server or a page names must not lead into the user's own network.
package egress

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of the proxy.
const (
	dialTime    = 20 * time.Second
	headerTime  = 10 * time.Second
	mostTunnels = 256
)

// Proxy is a running proxy of one server.
type Proxy struct {
	allowed []string // targets as host:port, in lower case
	options Options
	token   string
	log     func(level slog.Level, format string, args ...any)
	server  *http.Server
	at      net.Addr
	tunnels chan struct{}

	mu   sync.Mutex
	open map[net.Conn]struct{}
	gone bool
}

// CheckTarget returns an error if a text is not host:port.
func CheckTarget(text string) error {
	if strings.Contains(text, "*") {
		return fmt.Errorf("%.100q: a host is named in full, without *", text)
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil || host == "" || strings.ContainsAny(host, "/@ ") {
		return fmt.Errorf("%.100q is not a host and a port, such as api.github.com:443", text)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
		return fmt.Errorf("%.100q has no port from 1 to 65535", text)
	}
	return nil
}

// Options configure a Proxy.
type Options struct {
	Any  bool                              // every target is allowed
	Seen func(target string, allowed bool) // called for each connection; may be nil
}

// Start starts a proxy that only connects to targets, each as host:port. log receives messages about refused and
// failed connections; it may be nil.
func (o Options) Start(targets []string, log func(level slog.Level, format string, args ...any)) (*Proxy, error) {
	if log == nil {
		log = func(slog.Level, string, ...any) {}
	}
	token := make([]byte, 16)
	_, _ = rand.Read(token) // crypto/rand never returns an error
	p := &Proxy{options: o, token: base64.RawURLEncoding.EncodeToString(token), log: log, tunnels: make(chan struct{}, mostTunnels), open: map[net.Conn]struct{}{}}
	for _, t := range targets {
		p.allowed = append(p.allowed, strings.ToLower(t))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it never blocks
	if err != nil {
		return nil, err
	}
	p.at = l.Addr()
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: headerTime, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	go func() { _ = p.server.Serve(l) }() // it ends with Close
	return p, nil
}

// Port returns the port of the proxy on 127.0.0.1.
func (p *Proxy) Port() uint16 { return uint16(p.at.(*net.TCPAddr).Port) }

// Env returns the environment variables that make programs use the proxy, as NAME=value.
func (p *Proxy) Env() []string {
	address := (&url.URL{Scheme: "http", User: url.UserPassword("toolscript", p.token), Host: p.at.String()}).String()
	env := []string{"NODE_USE_ENV_PROXY=1", "NO_PROXY=", "no_proxy="}
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "ALL_PROXY", "all_proxy"} {
		env = append(env, name+"="+address)
	}
	return env
}

// Close ends the proxy and its connections.
func (p *Proxy) Close() {
	_ = p.server.Close() // the error is about a listener that is closed already
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	for c := range p.open {
		_ = c.Close()
	}
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, ok := proxyAuth(r)
	if !ok || user != "toolscript" || subtle.ConstantTimeCompare([]byte(password), []byte(p.token)) != 1 {
		w.Header().Set("Proxy-Authenticate", `Basic realm="toolscript"`)
		http.Error(w, "the credentials of the proxy are missing", http.StatusProxyAuthRequired)
		return
	}
	target := r.Host
	if r.Method != http.MethodConnect {
		if r.URL.Scheme != "http" || r.URL.Host == "" {
			http.Error(w, "this is a forward proxy", http.StatusBadRequest)
			return
		}
		if target = r.URL.Host; r.URL.Port() == "" {
			target = net.JoinHostPort(r.URL.Hostname(), "80")
		}
	}
	allowed := p.options.Any || slices.Contains(p.allowed, strings.ToLower(target))
	if p.options.Seen != nil {
		p.options.Seen(strings.ToLower(target), allowed)
	}
	if !allowed {
		p.log(slog.LevelWarn, "a connection to %.200q was refused: it is not in \"confine.net\"", target)
		http.Error(w, fmt.Sprintf("toolscript: the configuration of this server does not allow %s", target), http.StatusForbidden)
		return
	}
	select {
	case p.tunnels <- struct{}{}:
		defer func() { <-p.tunnels }()
	default:
		http.Error(w, "toolscript: too many connections", http.StatusTooManyRequests)
		return
	}
	if r.Method == http.MethodConnect {
		p.tunnel(w, r, target)
		return
	}
	p.forward(w, r)
}

func proxyAuth(r *http.Request) (user, password string, ok bool) {
	as := http.Request{Header: http.Header{"Authorization": r.Header.Values("Proxy-Authorization")}}
	return as.BasicAuth()
}

// tunnel connects the client to the target and copies bytes in both directions.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request, target string) {
	out, err := dial(r.Context(), "tcp", target)
	if err != nil {
		p.log(slog.LevelWarn, "cannot connect to %s: %v", target, err)
		http.Error(w, "toolscript: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = out.Close() }()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, "toolscript: HTTP/1.1 is needed", http.StatusInternalServerError)
		return
	}
	in, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer func() { _ = in.Close() }()
	if !p.hold(in, out) {
		return
	}
	defer p.release(in, out)
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection Established\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{}, 2)
	pipe := func(to net.Conn, source io.Reader) {
		_, _ = io.Copy(to, source) // either end may be closed at any time
		if half, ok := to.(*net.TCPConn); ok {
			_ = half.CloseWrite()
		}
		done <- struct{}{}
	}
	go pipe(out, buffered)
	go pipe(in, out)
	<-done
	<-done
}

// hold registers connections that Close must close. It returns false after Close.
func (p *Proxy) hold(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.open[c] = struct{}{}
	}
	return !p.gone
}

func (p *Proxy) release(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.open, c)
	}
}

var transport = &http.Transport{DialContext: dial, Proxy: nil, MaxIdleConns: 16, IdleConnTimeout: time.Minute, ResponseHeaderTimeout: 5 * time.Minute}

// forward makes a request of plain HTTP for the client.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	for _, name := range []string{"Proxy-Authorization", "Proxy-Connection", "Connection", "Keep-Alive", "Te", "Trailer", "Upgrade"} {
		out.Header.Del(name)
	}
	resp, err := transport.RoundTrip(out)
	if err != nil {
		http.Error(w, "toolscript: "+err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }() // only read
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	to := io.Writer(w)
	if resp.ContentLength < 0 {
		to = flushing{w}
		_ = http.NewResponseController(w).Flush() // the client may close its connection
	}
	_, _ = io.Copy(to, resp.Body)
}

// flushing sends each part of a stream at once: an event does not wait for the next one.
type flushing struct{ http.ResponseWriter }

// Write implements io.Writer.
func (f flushing) Write(p []byte) (int, error) {
	n, err := f.ResponseWriter.Write(p)
	return n, cmp.Or(err, http.NewResponseController(f.ResponseWriter).Flush())
}

// names is the Guard for targets that are names. A name must not lead into the user's own network or to
// this machine, even if the configuration lists the name.
var names = sync.OnceValue(func() *Guard { return NewGuard(GuardOptions{Hint: "name the address itself to allow it"}) })

// dial connects to a target. An IP address and localhost may be in any network, because the configuration
// names them directly.
func dial(ctx context.Context, network, target string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	host, _, err := net.SplitHostPort(target)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil || strings.EqualFold(host, "localhost") {
		var d net.Dialer
		return d.DialContext(ctx, network, target)
	}
	return names().Dial(ctx, network, target)
}
