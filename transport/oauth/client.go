package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/toolscript/toolscript/transport/reach"
)

// Limits of one request to an authorization server.
const (
	requestTime  = 20 * time.Second
	maxRedirects = 3
)

// newClient returns the client for metadata, registration and tokens of the server at
// resource. The server names the URLs of these requests, so the client
//
//   - accepts only https URLs, and http URLs of this machine;
//   - connects to no address that is more internal than the server's own: a public
//     server cannot cause requests to the local network, and a server of the local
//     network cannot cause requests to this machine (addresses are checked when they
//     are dialled, after names are resolved, unless a proxy dials);
//   - follows redirects of GET requests only, and none from https to http.
func newClient(resource *url.URL) *http.Client {
	inside := &guard{resource: resource}
	return &http.Client{
		Timeout:   requestTime,
		Transport: inside.transport(),
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			switch {
			case via[0].Method != http.MethodGet:
				return errors.New("the authorization server redirects a request that carries credentials")
			case len(via) > maxRedirects:
				return fmt.Errorf("more than %d redirects", maxRedirects)
			case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
				return errors.New("a redirect leads away from https")
			}
			return nil
		},
	}
}

// guard rejects addresses that are more internal than the server's own.
type guard struct{ resource *url.URL }

func (g *guard) transport() http.RoundTripper {
	direct := http.DefaultTransport.(*http.Transport).Clone()
	direct.Proxy = nil
	direct.DialContext = g.dial
	proxied := http.DefaultTransport.(*http.Transport).Clone()
	return roundTripper(func(req *http.Request) (*http.Response, error) {
		if _, err := parseAddress(req.URL.String()); err != nil {
			return nil, fmt.Errorf("the server names an address that is not used: %w", err)
		}
		proxy, err := http.ProxyFromEnvironment(req)
		if err != nil {
			return nil, err
		}
		if proxy != nil {
			return proxied.RoundTrip(req)
		}
		return direct.RoundTrip(req)
	})
}

func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	allowed := g.allowed(ctx)
	dialer := net.Dialer{Timeout: requestTime, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if reach.Of(to.Addr()) > allowed {
			return fmt.Errorf("%s is not a public address, and the MCP server is not in the same network", to.Addr())
		}
		return nil
	}}
	return dialer.DialContext(ctx, network, address)
}

// allowed returns the reach of the server itself. A server without an address counts
// as public.
func (g *guard) allowed(ctx context.Context) reach.Reach {
	if isLoopback(g.resource.Hostname()) {
		return reach.Local
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", g.resource.Hostname())
	if err != nil || len(addresses) == 0 {
		return reach.Public
	}
	nearest := reach.Local
	for _, ip := range addresses {
		nearest = min(nearest, reach.Of(ip))
	}
	return min(nearest, reach.Private) // a public name that leads here does not allow other names to do so
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
