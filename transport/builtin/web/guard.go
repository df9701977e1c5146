// Package web has the built-in tools that read the web. They connect to public addresses
// only: a page, a redirect or a DNS server must not lead them into the user's network.
package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/transport/reach"
)

// Limits of one request.
const (
	requestTime  = 20 * time.Second
	maxRedirects = 5
	maxBody      = 5 << 20 // bytes of a page
)

// errPrivate is wrapped by the error of a connection that was refused.
var errPrivate = errors.New(`is not a public address; "allowHosts" of the server's web settings can allow it`)

// guard decides which addresses may be reached.
type guard struct {
	names    map[string]bool // host, or host:port
	prefixes []allowed
}

// allowed are the addresses of a prefix, on one port or on all.
type allowed struct {
	prefix netip.Prefix
	port   uint16 // 0: all
}

// newGuard reads the hosts that are allowed.
func newGuard(hosts []string) guard {
	g := guard{names: map[string]bool{}}
	for _, host := range hosts {
		if a, ok := parseAddress(host); ok {
			g.prefixes = append(g.prefixes, a)
			continue
		}
		g.names[canonical(host)] = true
	}
	return g
}

// parseAddress reads a prefix, an address, or an address with a port.
func parseAddress(text string) (allowed, bool) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return allowed{prefix.Masked(), 0}, true
	}
	if at, err := netip.ParseAddrPort(text); err == nil {
		ip := at.Addr().Unmap()
		return allowed{netip.PrefixFrom(ip, ip.BitLen()), at.Port()}, true
	}
	if ip, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		ip = ip.Unmap()
		return allowed{netip.PrefixFrom(ip, ip.BitLen()), 0}, true
	}
	return allowed{}, false
}

// canonical is a host name in lower case without the dot of the root.
func canonical(host string) string {
	name, port, found := strings.Cut(host, ":")
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if found {
		return name + ":" + port
	}
	return name
}

// admitsName reports whether the name of a host is allowed, whatever its address is.
func (g guard) admitsName(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	return err == nil && (g.names[canonical(host)] || g.names[canonical(hostPort)])
}

// admits reports whether an address may be reached.
func (g guard) admits(at netip.AddrPort) bool {
	ip := at.Addr().Unmap()
	if reach.Of(ip) == reach.Public {
		return true
	}
	for _, a := range g.prefixes {
		if a.prefix.Contains(ip) && (a.port == 0 || a.port == at.Port()) {
			return true
		}
	}
	return false
}

// dial connects to a host. The address is checked after the lookup, when it is about to
// be used, so that no other answer of a DNS server can replace it.
func (g guard) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: requestTime}
	if !g.admitsName(hostPort) {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err == nil && !g.admits(at) {
				err = fmt.Errorf("%s %w", at.Addr(), errPrivate)
			}
			return err
		}
	}
	return dialer.DialContext(ctx, network, hostPort)
}

// client is an HTTP client without cookies. It uses no proxy: a proxy would look names up
// itself, and could reach private addresses.
func (g guard) client() *http.Client {
	return &http.Client{
		Timeout: requestTime,
		Transport: &http.Transport{
			DialContext: g.dial, TLSHandshakeTimeout: requestTime, DisableKeepAlives: true,
			MaxResponseHeaderBytes: 1 << 20,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			return check(req.URL)
		},
	}
}

// parseURL reads the address of a page.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, errors.New("not a URL") // the error of url.Parse would repeat the query
	}
	u.Fragment = ""
	return u, check(u)
}

func check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("only http and https URLs can be fetched")
	case u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return errors.New("the URL has no host")
	case u.User != nil:
		return errors.New("the URL has a user name in it")
	}
	return nil
}
